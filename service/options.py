"""Every option of a blueprint, declared once: the arguments of `create_blueprint`.

The settings of the standalone service (`standalone/settings.py`), the environment variables and
docs/settings.md follow from these declarations. To add an option, add a field here and read it
where it is needed, from `ServiceContext.options`.
"""

from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from landform.service.option_kinds import (
    CREDENTIALS,
    FLAG,
    IDENTITY,
    ORIGINS,
    TEXT,
    TIMEZONE,
    URL,
    Option,
    check_options,
    choice,
    option,
    positive_seconds,
    seconds,
    whole,
)

if TYPE_CHECKING:
    from landform.service.auth.credentials import Authorizer

# The deepest JSON that is read at all: the interpreter's stack bounds it.
DEEPEST_JSON = 500


@dataclass(frozen=True)
class Limits:
    """How much one request may ask for; texts are measured in characters.

    As settings of the standalone service the names begin with `MAX_`.
    """

    json_depth: int = option(
        DEEPEST_JSON, whole(1, DEEPEST_JSON), "the deepest nesting of a JSON body"
    )
    meta_keys: int = option(
        5000, whole(1), "the most keys in `meta`, and items of lists, at any depth"
    )
    form_fields: int = option(1000, whole(1), "the most fields of a form; more are a 413")
    title_characters: int = option(2000, whole(1), "the longest title")
    content_characters: int = option(2_000_000, whole(1), "the longest content")
    content_elements: int = option(
        10_000, whole(1), "the most HTML elements in a content that is cleaned"
    )
    content_depth: int = option(256, whole(1), "the deepest nesting of those elements")
    slug_characters: int = option(2000, whole(1), "the longest text that a slug is made of")
    password_characters: int = option(255, whole(1), "the longest password of a page")
    text_characters: int = option(
        2000, whole(1), "the longest `addon_slug`, `event_type`, and text in the meta of a page"
    )
    list_items: int = option(1000, whole(1), "the most values of a filter")
    search_characters: int = option(1000, whole(1), "the longest search")
    search_words: int = option(100, whole(1), "the most words of a search")
    search_short_words: int = option(
        3,
        whole(1),
        "the most words of a search, wanted or excluded, that have fewer than three characters: "
        "the full-text index cannot find those, and every text is read",
    )
    fields_characters: int = option(4000, whole(1), "the longest `_fields`")
    offset: int = option(1_000_000_000, whole(1), "the largest `offset` and `page`")
    response_bytes: int = option(
        32 * 1024 * 1024,
        whole(1),
        "the largest list; a larger one is a 400 that asks for `_fields` or fewer items",
    )

    def __post_init__(self) -> None:
        """Refuse numbers that are out of bounds."""
        check_options(self)


# No repr: it would show credentials, and the password in the URL of a database.
@dataclass(frozen=True, repr=False)
class Options:
    """The options of one blueprint. Raises `OptionError` for a number that is out of bounds.

    A host also gives its blueprint a `name`, where it has two of them; an `authorizer`, which
    says who sent a request, instead of `credentials`; `wp_json_paths`, to be served below
    `/wp-json` too; and `local_mode=False` where it stands behind a proxy.
    """

    database_url: str = field(
        metadata={
            "option": Option(
                "sqlite:///landform.db",
                TEXT,
                "where the data is: a SQLite file (an absolute path has four slashes), or "
                "[`postgresql://...`](scaling.md#on-postgresql)",
            )
        }
    )
    _: KW_ONLY
    name: str = "landform"
    authorizer: "Authorizer | None" = None
    wp_json_paths: bool = False
    local_mode: bool = True
    limits: Limits = field(default_factory=Limits)
    credentials: Mapping[str, str] | None = option(
        None, CREDENTIALS, "who may do everything; a secret holds no comma"
    )
    timezone: str = option(
        "UTC", TIMEZONE, "the local time of the site, in which dates are given and shown"
    )
    public_url: str | None = option(
        None, URL, "what the `link` of a page starts with", "where the request came in"
    )
    max_body_bytes: int = option(
        4 * 1024 * 1024, whole(1), "the largest body of a request; a larger one is a 413"
    )
    failed_attempts_per_minute: int = option(
        60,
        whole(1),
        "wrong credentials, and wrong passwords of a page, from one IP address before a 429",
    )
    require_if_match: bool = option(
        False, FLAG, "`1`: an update or delete without `If-Match` is a 428"
    )
    cors_origins: Collection[str] = option(
        (), ORIGINS, "web origins whose pages may call the service from a browser"
    )
    search_timeout: float = option(
        1.0,
        seconds(0.01, 60),
        "how long the database may work for one list of pages that searches, filters or skips "
        "more than 10,000; [beyond it is a 503](performance.md#what-a-search-may-cost)",
    )
    cache_bytes: int = option(
        16 * 1024 * 1024,
        whole(),
        "how many bytes of responses each process caches until somebody writes; `0`: none",
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
        15.0,
        positive_seconds(),
        "how long a statement waits for PostgreSQL before the connection is given up",
    )
    create_database: bool = option(
        True,
        FLAG,
        "`0`: a missing database is not created, and requests get a 503 until there is one",
    )
    store_identity: str | None = option(
        None,
        IDENTITY,
        "the only store to serve: with any other one, or none, requests get a 503, and no "
        "database is created",
        "that of the first start",
    )

    def __post_init__(self) -> None:
        """Refuse numbers that are out of bounds."""
        check_options(self)
