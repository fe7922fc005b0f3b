"""The options of the part, and its mail server."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from landform.parts.leads.models import MOST_DAYS
from landform.parts.option import FLAG, ORIGINS, Kind, option, whole
from landform.parts.part import Part

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


def _address(value: Any) -> str:
    if value and not ADDRESS.fullmatch(value):
        raise ValueError
    return value or ""


# No repr: it would show the password of the mail server.
@dataclass(frozen=True, kw_only=True, repr=False)
class LeadsOptions(Part):
    """The options of `Leads`."""

    submissions: bool = option(
        True, FLAG, "`0`: strangers cannot submit forms", setting="submissions"
    )
    submissions_per_minute: int = option(
        10,
        whole(1, 1_000_000),
        "submissions from one IP address in a minute before a 429",
        setting="submissions_per_minute",
    )
    entry_ip: bool = option(
        False, FLAG, "`1`: entries have the IP address of their sender", setting="entry_ip"
    )
    entry_days: int = option(
        0, whole(0, MOST_DAYS), "how long entries are kept; `0`: for ever", setting="entry_days"
    )
    embed_origins: Collection[str] = option(
        (),
        ORIGINS,
        "web origins whose pages may show [a form in a frame](parts/leads.md#on-any-other-site)",
        setting="embed_origins",
    )
    smtp_url: SmtpServer | None = option(  # noqa: RUF009 - a field
        None,
        SMTP_URL,
        "the [mail server](parts/leads.md#e-mail) of feeds, also with `smtps://`; "
        "`from` is the address that mail is from",
        setting="smtp_url",
    )
    admin_email: str = option(
        "",
        Kind("an e-mail address", _address),
        "the address that the [merge tag](parts/leads.md#merge-tags) `{admin_email}` stands for",
        setting="admin_email",
    )
    addon_private: bool = option(
        False,
        FLAG,
        "`1`: [feeds](parts/leads.md#what-becomes-of-an-entry) may send to private addresses",
        setting="addon_private",
    )
