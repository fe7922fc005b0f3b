"""SMTP servers on the loopback interface that remember the mails that they were sent."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
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
