"""The unmodified OpenAI client reaches the gateway and is refused without a key."""

import os

import openai
import pytest


def test_an_unknown_key_is_refused():
    client = openai.OpenAI(base_url=f"{os.environ['SOIT_API_URL']}/v1", api_key="sk_unknown", max_retries=0)
    with pytest.raises(openai.AuthenticationError) as refused:
        client.models.list()
    assert refused.value.status_code == 401
