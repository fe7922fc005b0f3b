"""SMTP servers on the loopback interface that remember the mails that they were sent."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword
from conftest import free_port

ACCEPT = "250 OK"


class Mailbox:
    """A server at `url`: the mails that it accepted, with their recipients, and who signed in.

    `respond` returns the line for a command (`RCPT` or `DATA`) and an address or a message id.
    """

    def __init__(self, respond: Callable[[str, str], str]) -> None:
        self.respond, self.url = respond, ""
        self.accepted: list[tuple[list[str], EmailMessage]] = []
        self.refused: list[EmailMessage] = []
        self.logins: list[tuple[bytes, bytes, bool]] = []

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if (line := self.respond("RCPT", address)) == ACCEPT:
            envelope.rcpt_tos.append(address)
        return line

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        if (line := self.respond("DATA", message["Message-ID"])) == ACCEPT:
            self.accepted.append((list(envelope.rcpt_tos), message))
        else:
            self.refused.append(message)
        return line

    def authenticate(
        self, server: Any, session: Any, envelope: Envelope, mechanism: str, data: LoginPassword
    ) -> AuthResult:
        self.logins.append((data.login, data.password, session.ssl is not None))
        return AuthResult(success=data.password == b"sesame")


@contextmanager
def mailbox(
    respond: Callable[[str, str], str] = lambda command, name: ACCEPT,
    tls: ssl.SSLContext | None = None,
    **options: Any,
) -> Iterator[Mailbox]:
    """Serve a mailbox, with STARTTLS if there is a context for it."""
    box = Mailbox(respond)
    controller = Controller(
        box, "127.0.0.1", free_port(), tls_context=tls, authenticator=box.authenticate, **options
    )
    controller.start()
    box.url = f"smtp://127.0.0.1:{controller.port}?from=leads@example.com"
    try:
        yield box
    finally:
        controller.stop()


# What a scripted server says first, to each command, and after the end of a mail.
REPLIES: dict[str, Any] = {
    "": "220 mail.example.com", "EHLO": "250 mail.example.com", "MAIL": ACCEPT, "RCPT": ACCEPT,
    "DATA": "354 Go on", ".": ACCEPT, "QUIT": "221 Bye",
}  # fmt: skip
Say = Callable[[bytes], None]


class Script:
    """A server at `url` that says what `replies` has, and counts the mails that came whole.

    A reply is a line; None, to end the connection; or a function that gets one that sends bytes,
    and is the end.
    """

    def __init__(self) -> None:
        self.url, self.mails = "", 0
        self.replies: dict[str, str | Callable[[Say], None] | None] = {}

    def serve(self, handler: StreamRequestHandler) -> None:
        command = ""
        while True:
            reply = {**REPLIES, **self.replies}.get(command, "502 What?")
            if reply is None:
                return None
            if callable(reply):
                return reply(handler.connection.sendall)
            handler.wfile.write(f"{reply}\r\n".encode())
            line = handler.rfile.readline()
            if command == "DATA" and str(reply).startswith("354"):
                while line not in (b".\r\n", b""):
                    line = handler.rfile.readline()
                self.mails += line != b""
            if not line:
                return None
            command = "." if line == b".\r\n" else line.upper().split()[0].decode(errors="replace")


@contextmanager
def scripted() -> Iterator[Script]:
    """Serve a script."""
    script = Script()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                script.serve(self)

    class Server(ThreadingTCPServer):
        daemon_threads, block_on_close = True, False

    with Server(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        script.url = f"smtp://127.0.0.1:{server.server_address[1]}?from=leads@example.com"
        try:
            yield script
        finally:
            server.shutdown()
