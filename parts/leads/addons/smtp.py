"""Sending of mail by SMTP, to the server of `LANDFORM_SMTP_URL`."""

import re
import smtplib
import ssl
from contextlib import closing, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from landform.parts.leads.addons import AddonError
from landform.storage.option import Kind

# In seconds, for each step.
TIMEOUT = 10.0
PORTS = {"smtp": 587, "smtps": 465}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ADDRESS = re.compile(r"[^\s@<>()\[\],;:\\\"]{1,64}@[A-Za-z0-9.-]{1,253}", re.ASCII)


@dataclass(frozen=True)
class SmtpServer:
    """A server for mail, and the address that mail is from."""

    is_secure: bool
    host: str
    port: int
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)


def _read(value: Any) -> SmtpServer | None:
    if isinstance(value, SmtpServer) or not value:
        return value or None
    url = urlsplit(value)
    user, password = unquote(url.username or ""), unquote(url.password or "")
    sender = parse_qs(url.query).get("from", [user])[0]
    if not (url.hostname and value.isprintable() and ADDRESS.fullmatch(sender)):
        raise ValueError
    is_secure, port = url.scheme == "smtps", url.port or PORTS[url.scheme]
    return SmtpServer(is_secure, url.hostname, port, sender, user, password)


def _hide(server: SmtpServer | None) -> str:
    if not server:
        return ""
    scheme, user = (
        "smtps" if server.is_secure else "smtp",
        f"{server.user}:***@" * bool(server.user),
    )
    return f"{scheme}://{user}{server.host}:{server.port}?from={server.sender}"


SMTP_URL = Kind(
    "a URL such as smtp://user:secret@mail.example.com?from=leads@example.com", _read, _hide
)


def send_mail(server: SmtpServer, message: EmailMessage, recipients: list[str]) -> None:
    """Send a mail to all recipients or to none; raises `AddonError`.

    The errors do not repeat what the server says, which may have addresses.
    """
    try:
        with closing(_connect(server)) as client:
            codes = [client.mail(server.sender)[0], *(client.rcpt(name)[0] for name in recipients)]
            refused = next((code for code in codes if code >= 400), None)
            code = refused or client.data(message.as_bytes())[0]
            # What is accepted stays so, whatever becomes of the connection.
            with suppress(OSError, smtplib.SMTPException):
                client.quit()
    except smtplib.SMTPResponseException as error:
        code = error.smtp_code
        if isinstance(error, smtplib.SMTPAuthenticationError):
            raise AddonError("The mail server refused the credentials.") from None
    except (OSError, smtplib.SMTPException) as error:
        raise AddonError(f"The mail server cannot be used: {type(error).__name__}.") from None
    if code >= 400:
        raise AddonError(f"The mail server answered {code}.", retryable=code < 500)


def _connect(server: SmtpServer) -> smtplib.SMTP:
    """Return a connection that is encrypted if the server can, and signed in.

    A password is sent unencrypted to this machine only.
    """
    context, name = ssl.create_default_context(), server.sender.partition("@")[2]
    client: smtplib.SMTP
    if server.is_secure:
        client = smtplib.SMTP_SSL(server.host, server.port, name, timeout=TIMEOUT, context=context)
    else:
        client = smtplib.SMTP(server.host, server.port, name, timeout=TIMEOUT)
    try:
        client.ehlo_or_helo_if_needed()
        if not server.is_secure and client.has_extn("starttls"):
            client.starttls(context=context)
        elif server.user and not server.is_secure and server.host not in LOOPBACK:
            raise AddonError("The mail server offers no encryption, which a password needs.")
        if server.user:
            client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client
