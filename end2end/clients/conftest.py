"""A signed-in administrator and a fresh key for each test module."""

import json
import os
import urllib.error
import urllib.request

import pytest

API = os.environ["SOIT_API_URL"]


class Soit:
    """The smallest REST client that does the job: JSON in, JSON out."""

    def __init__(self):
        self.token = None
        login = self.post("/api/v1/login", {"email": "admin@example.com", "password": "changeme123"})
        self.token = login["access_token"]
        self.post("/api/v1/me/step-up", {"password": "changeme123"})

    def request(self, method, path, body=None, headers=None):
        request = urllib.request.Request(API + path, method=method)
        request.add_header("content-type", "application/json")
        if self.token:
            request.add_header("authorization", f"Bearer {self.token}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(request, data, timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body=None):
        return self.request("POST", path, body or {})

    def create_key(self, **limits):
        return self.post("/api/v1/api-keys", {"name": "client test", "scopes": ["write"], **limits})


@pytest.fixture(scope="session")
def soit():
    return Soit()


@pytest.fixture(scope="session")
def priced(soit):
    """Prices for every built-in model: 0.15 and 0.6 dollars a million tokens."""
    return soit.post(
        "/api/v1/modelhub/prices",
        {"match_ref": "model:test:*", "currency": "USD", "rates": {"input": "0.15", "output": "0.6"}},
    )


@pytest.fixture(scope="module")
def issued(soit, priced):
    return soit.create_key()
