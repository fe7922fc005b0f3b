"""The mail server of `LANDFORM_SMTP_URL`."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from landform.parts.option import Kind

PORTS = {"smtp": 587, "smtps": 465}
# In ASCII, as every server takes it, and without what begins an encoded word, which programs that
# read mails decode.
ADDRESS = re.compile(r"(?!.*=\?)(?:(?![@<>()\[\],;:\\\"])[!-~]){1,64}@[A-Za-z0-9.-]{1,253}")


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
    scheme = "smtps" if server.is_secure else "smtp"
    user = f"{server.user}:***@" if server.user else ""
    return f"{scheme}://{user}{server.host}:{server.port}?from={server.sender}"


SMTP_URL = Kind(
    "a URL such as smtp://user:secret@mail.example.com?from=leads@example.com", _read, _hide
)
