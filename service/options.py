"""The options of a blueprint: the arguments of `create_blueprint`.

The settings of the standalone service (`standalone/settings.py`), the environment variables and
docs/settings.md follow from these declarations. To add an option, add a field here, and read it
from `call.options`. Without a meaning it is for hosts only. One that changes bodies belongs to
`Call.etag`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from werkzeug.urls import iri_to_uri

from landform.parts import all_parts
from landform.parts.option import (
    FLAG,
    ORIGINS,
    TEXT,
    Kind,
    choice,
    convert_options,
    matching,
    option,
    seconds,
    whole,
)
from landform.parts.part import Part
from landform.service.auth.credentials import Authorizer
from landform.storage import Clock, Store

# What public pages may load by default; no other site may show them in a frame.
SITE_POLICY = (
    "default-src 'self' https: data: blob: 'unsafe-inline'; object-src 'none'; base-uri 'self'; "
    "frame-ancestors 'none'"
)
IN_MEMORY = "sqlite:///:memory:"
NO_MEMORY = (
    "cannot be a database in memory: each process would have one of its own, and lose it at its "
    "end. Name a file; sqlite:///:memory: is for tests within one process"
)


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


def _url(text: str) -> str | None:
    url = urlsplit(text)
    if text and (url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc):
        raise ValueError
    if not text.isprintable() or " " in text:
        raise ValueError
    # Redirects have it in a header; raises `ValueError` for a host that none can have.
    iri_to_uri(text)
    return text.rstrip("/") or None


def _credentials(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        parts = [pair.partition(":") for pair in value.split(",")] if value.strip() else []
        pairs = [(name.strip(), secret.strip()) for name, _, secret in parts]
    else:
        pairs = list(value.items())
    credentials = dict(pairs)
    if len(credentials) < len(pairs) or not all(credentials.values()):
        raise ValueError
    if not all(name and ":" not in name for name in credentials):
        raise ValueError
    # Clients cannot send lone surrogates.
    "".join((*credentials, *credentials.values())).encode()
    return credentials


def _folder(value: str | Path) -> str | None:
    if value and not Path(value).is_dir():
        raise ValueError
    return str(value) or None


def _parts(value: Collection[Part]) -> tuple[Part, ...]:
    """Return the parts that are enabled, in the order of `all_parts`."""
    by_type = {type(part): part for part in value}
    types = [*all_parts().values()]
    if len(by_type) < len(value) or not by_type.keys() <= {*types}:
        raise ValueError
    return tuple(by_type[kind] for kind in types if kind in by_type and by_type[kind].enabled)


def _without_password(url: str) -> str:
    """Return the URL of a database without its password."""
    url = re.sub(r"^([^:]*://[^:/?@]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&][a-z_]*password=)[^&]*", r"\1***", url)


DATABASE = Kind(
    "a URL such as sqlite:///landform.db or postgresql://user@host/name",
    matching("", "(sqlite:///|postgres(ql)?://)[^\0]+").read,
    hide=_without_password,
)
TIMEZONE = Kind(
    "a time zone of the IANA database, such as Europe/Paris",
    lambda value: ZoneInfo(TEXT.read(value)).key,
)
WEB_URL = Kind("an absolute http or https URL without a user or password", _url)
CREDENTIALS = Kind(
    "name:secret, several separated by commas, no name twice",
    _credentials,
    hide=lambda value: ",".join(f"{name}:***" for name in value or ()),
)
COLOR = matching("a color such as #0b57d0", "#(?:[0-9a-fA-F]{3}){1,2}")
PICTURE = matching(
    "an https URL, or a path such as /files/logo.svg",
    r"(https://[A-Za-z0-9.:-]+(/[!-~]*)?|/(?![/\\])[!-~]*)?",
)
HEADER = matching("the value of a header, in ASCII", "[ -~]*")
# With extensions after a single letter, and private parts after an x.
LANGUAGE_TAG = (
    "[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*"
    "(-[A-WYZa-wyz0-9](-[A-Za-z0-9]{2,8})+)*(-[Xx](-[A-Za-z0-9]{1,8})+)?"
)
LANGUAGE = matching("a language tag such as en or pt-BR", LANGUAGE_TAG)
SLUG = matching("a slug such as summer-sale", "[%a-z0-9_-]{1,200}")
FOLDER = Kind("a folder that is there", _folder)
FUNCTION = Kind("a function of the request", _function)
PARTS = Kind("a list of parts such as (Runs(days=90),), none of them twice", _parts)


# No repr: it would show credentials, and the password in the URL of a database.
@dataclass(frozen=True, repr=False)
class Options:
    """The options of one blueprint. Raises `OptionError` for an invalid value.

    Options for hosts only: `name`, for a second blueprint; `authorizer`, a function that identifies
    callers instead of `credentials`; `wp_json_paths`, to serve paths below `/wp-json` too; `site`,
    to show published pages to visitors; `root_page`, for the page at `/` without a prefix;
    `parts`, such as `(Console(),)`; and `local_mode=False` behind a proxy.
    """

    database_url: str = field(
        metadata={
            "kind": DATABASE,
            "meaning": "where the data is: a SQLite file (an absolute path has four slashes), or "
            "[`postgresql://...`](scaling.md#on-postgresql)",
        }
    )
    _: KW_ONLY
    name: str = "landform"
    authorizer: Authorizer | None = field(default=None, metadata={"kind": FUNCTION, "meaning": ""})
    wp_json_paths: bool = option(False, FLAG)
    root_page: bool = option(False, FLAG)
    site: bool = option(False, FLAG)
    local_mode: bool = option(True, FLAG)
    credentials: Mapping[str, str] | None = option(
        None, CREDENTIALS, "who may do everything; a secret in a text has no comma"
    )
    timezone: str = option(
        "UTC", TIMEZONE, "the local time of the site, in which dates are given and shown"
    )
    public_url: str | None = option(
        None, WEB_URL, "what the `link` of a page starts with, if not the address of the request"
    )
    site_title: str = option("landform", TEXT, "the name of the site")
    site_description: str = option("", TEXT, "what the site is, in a sentence")
    site_language: str = option(
        "en", LANGUAGE, "the language of pages without `meta.language`, and of letters in slugs"
    )
    site_max_age: int = option(
        60,
        whole(0, 31_536_000),
        "the seconds for which a public page may be cached; never beyond its next start or end",
    )
    site_policy: str = option(
        SITE_POLICY,
        HEADER,
        "the [`Content-Security-Policy` of public pages](site.md#what-a-page-may-load)",
    )
    site_image: str | None = option(
        None, WEB_URL, "the image that shared links show for pages without one"
    )
    site_accent: str = option(
        "#0b57d0", COLOR, "the color of buttons; links have [a readable shade](site.md#brand) of it"
    )
    site_logo: str | None = option(
        None, PICTURE, "the logo above each page, instead of the name of the site"
    )
    site_footer: str = option(
        "", TEXT, "the text below each page: HTML, [sanitized](site.md#brand) as that of a page"
    )
    site_soon: bool = option(
        False, FLAG, "`1`: before [its window](site.md#windows) a page says when it opens"
    )
    home_page: str | None = option(None, SLUG, "the slug of [the page at `/`](site.md#addresses)")
    templates: str | None = option(
        None, FOLDER, "the folder of [your own templates](site.md#templates)"
    )
    translations: str | None = option(
        None, FOLDER, "the folder of [your own translations](site.md#languages)"
    )
    max_body_bytes: int = option(4 << 20, whole(1), "the largest body of a request (else 413)")
    max_response_bytes: int = option(32 << 20, whole(1), "the largest list (else 400)")
    failed_attempts_per_minute: int = option(
        60,
        whole(1),
        "wrong credentials, and wrong passwords of a page, from one IP address before a 429",
    )
    require_if_match: bool = option(
        False, FLAG, "`1`: an update or delete without `If-Match` is a 428"
    )
    strict: bool = option(
        False,
        FLAG,
        "`1`: [an unknown name](api.md#what-landform-ignores) is a 400, unless a request has "
        "`Prefer: handling=lenient`",
    )
    cors_origins: Collection[str] = option(
        (), ORIGINS, "web origins whose pages may call the service from a browser"
    )
    search_timeout: float = option(
        1.0,
        seconds(0.01, maximum=60),
        "how long the database may work [for one list of pages]"
        "(performance.md#what-a-search-may-cost) before it is a 503",
    )
    cache_bytes: int = option(
        10 << 20, whole(), "the bytes of responses that each process caches; `0`: no cache"
    )
    parts: Collection[Part] | None = option(None, PARTS)
    event_days: int = option(
        30, whole(0, 36_500), "how long [events](events.md) are kept; `0`: none are written"
    )
    sqlite_synchronous: str = option(
        "FULL",
        choice("FULL", "EXTRA", "NORMAL"),
        "how SQLite writes to the disk; with `NORMAL` a power cut may lose the last writes",
    )
    busy_timeout: float = option(
        10.0, seconds(), "how long a write waits for another one before it is a 503"
    )
    postgres_statement_timeout: float = option(
        15.0, seconds(0.001), "how long a statement waits for PostgreSQL before it is a 503"
    )
    group_access: bool = option(
        False,
        FLAG,
        "`1`: the group of a SQLite file may read and write it (mode 660); `0`: "
        "[only its owner may](operations.md#who-can-read-the-files) (600)",
    )
    create_database: bool = option(
        True, FLAG, "`0`: requests get a 503 as long as there is no database"
    )
    store_identity: str | None = option(
        None,
        matching("the 32 digits that `landform migrate --identity` prints", "([0-9a-f]{32})?"),
        "the only store to serve: with any other one requests get a 503, and none is created",
    )

    def __post_init__(self) -> None:
        """Convert each value that is not the default."""
        convert_options(self)

    @cached_property
    def named_parts(self) -> tuple[Part, ...]:
        """The parts of the blueprint; without `parts` all that have `in_guests`."""
        guests = (part() for part in all_parts().values() if part.in_guests)
        return tuple(guests if self.parts is None else self.parts)

    @property
    def part_types(self) -> tuple[type[Part], ...]:
        """The classes of the parts of the blueprint."""
        return tuple(map(type, self.named_parts))


def new_store(options: Options, url: str | None = None, *, has_timeouts: bool = True) -> Store:
    """Return the store of the options, or of another URL; it is not opened yet.

    Commands need no timeouts for searches and statements.
    """
    return Store(
        url or options.database_url,
        Clock(options.timezone),
        synchronous=options.sqlite_synchronous,
        busy_timeout=options.busy_timeout,
        answer_timeout=options.postgres_statement_timeout if has_timeouts else None,
        search_timeout=options.search_timeout if has_timeouts else None,
        event_days=options.event_days,
        row_written=[
            part.row_written
            for part in options.named_parts
            if type(part).row_written is not Part.row_written
        ],
        language=options.site_language,
        identity=None if url else options.store_identity or None,
        group_access=options.group_access,
    )
