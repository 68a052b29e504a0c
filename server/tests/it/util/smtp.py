"""A mail server for tests. Prints its port, then each mail it took as one line of JSON, until stdin ends.

Usage: smtp.py MODE PORT FOLDER. PORT 0 is any. Modes: `plain`; `starttls` and `wrapped`, with a certificate whose authority it writes
to FOLDER/ca.pem; `login`, which takes mails of soit/pa:ss alone; `refuse` answers 550 to every address, `later` 451 to the first two;
`silent` takes connections and says nothing.
"""

import asyncio
import email
import email.policy
import json
import pathlib
import socket
import ssl
import sys

import trustme
from aiosmtpd.smtp import SMTP, AuthResult


def say(line):
    print(line, flush=True)


class Box:
    def __init__(self, mode):
        self.mode = mode
        self.asked = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.asked += 1
        if self.mode == "refuse":
            return f"550 <{address}> is nobody here"
        if self.mode == "later" and self.asked <= 2:
            return f"451 <{address}> not now"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        say(json.dumps({
            "to": envelope.rcpt_tos, "from": envelope.mail_from, "headers": [list(pair) for pair in mail.items()],
            "subject": str(mail["subject"]), "text": parts.get("text/plain"), "html": parts.get("text/html"),
            "tls": server.transport.get_extra_info("ssl_object") is not None,
        }))
        return "250 OK"


def tls(folder):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(pathlib.Path(folder) / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(context)
    return context


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"soit", b"pa:ss"))


async def main(mode, port, folder):
    loop = asyncio.get_running_loop()
    context = tls(folder) if mode in ("starttls", "wrapped") else None
    box, options = Box(mode), {"hostname": "localhost", "enable_SMTPUTF8": True}
    if mode == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    if mode == "login":
        options |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": False}
    listener = socket.create_server(("127.0.0.1", port))
    protocol = (lambda: asyncio.Protocol()) if mode == "silent" else (lambda: SMTP(box, **options))
    server = await loop.create_server(protocol, sock=listener, ssl=context if mode == "wrapped" else None)
    say(listener.getsockname()[1])
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
