"""Every option of a blueprint, declared once: the arguments of `create_blueprint`.

The settings of the standalone service (`standalone/settings.py`), the environment variables and
docs/settings.md follow from these declarations. To add an option, add a field here and read it
where it is needed, from `ServiceContext.options`.
"""

from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from landform.service import option_kinds as kinds
from landform.service.option_kinds import Option, OptionError, option, options_of, seconds, whole

if TYPE_CHECKING:
    from landform.service.auth.credentials import Authorizer
    from landform.storage import Store

# What a public page may load, and who may show it in a frame: nobody.
POLICY = (
    "default-src 'self' https: data: blob: 'unsafe-inline'; object-src 'none'; base-uri 'self'; "
    "frame-ancestors 'none'"
)


def _limit(default: int, meaning: str) -> int:
    return option(default, whole(1), meaning)


DATABASE_URL = Option(
    "sqlite:///landform.db",
    kinds.DATABASE,
    "where the data is: a SQLite file (an absolute path has four slashes), or "
    "[`postgresql://...`](scaling.md#on-postgresql)",
)

AUTHORIZER = Option(None, kinds.FUNCTION)


# No repr: it would show credentials, and the password in the URL of a database.
@dataclass(frozen=True, repr=False)
class Options:
    """The options of one blueprint. Raises `OptionError` for a value that one cannot have.

    A host also gives its blueprint a `name`, where it has two of them; an `authorizer`, which
    says who sent a request, instead of `credentials`; `wp_json_paths`, to be served below
    `/wp-json` too; `site`, to show published pages to visitors; `console`, to have the console at
    `/console`; `root_page`, to have the page at `/` where it has no prefix; and `local_mode=False`
    where it stands behind a proxy.
    """

    database_url: str = field(metadata={"option": DATABASE_URL})
    _: KW_ONLY
    name: str = "landform"
    authorizer: "Authorizer | None" = field(default=None, metadata={"option": AUTHORIZER})
    wp_json_paths: bool = option(False, kinds.FLAG)
    root_page: bool = option(False, kinds.FLAG)
    site: bool = option(False, kinds.FLAG)
    console: bool = option(False, kinds.FLAG)
    local_mode: bool = option(True, kinds.FLAG)
    credentials: Mapping[str, str] | None = option(
        None, kinds.CREDENTIALS, "who may do everything; a secret in a text has no comma"
    )
    timezone: str = option(
        "UTC", kinds.TIMEZONE, "the local time of the site, in which dates are given and shown"
    )
    public_url: str | None = option(
        None, kinds.URL, "what the `link` of a page starts with, if not the address of the request"
    )
    site_title: str = option("landform", kinds.TEXT, "the name of the site")
    site_description: str = option("", kinds.TEXT, "what the site is, in a sentence")
    site_language: str = option(
        "en", kinds.LANGUAGE, "the language of pages without `meta.language`"
    )
    site_max_age: int = option(
        60,
        whole(0, 31_536_000),
        "the seconds for which a public page may be cached; never beyond its next start or end",
    )
    site_policy: str = option(
        POLICY,
        kinds.HEADER,
        "the [`Content-Security-Policy` of public pages](site.md#what-a-page-may-load)",
    )
    site_image: str | None = option(
        None, kinds.URL, "the image that shared links show for pages without one"
    )
    home_page: str | None = option(
        None,
        kinds.SLUG,
        "the slug of [the page at `/`](site.md#addresses)",
    )
    templates: str | None = option(
        None, kinds.FOLDER, "the folder of [your own templates](site.md#templates)"
    )
    max_body_bytes: int = _limit(4 << 20, "the largest body of a request (else 413)")
    max_response_bytes: int = _limit(32 << 20, "the largest list (else 400)")
    failed_attempts_per_minute: int = _limit(
        60, "wrong credentials, and wrong passwords of a page, from one IP address before a 429"
    )
    require_if_match: bool = option(
        False, kinds.FLAG, "`1`: an update or delete without `If-Match` is a 428"
    )
    strict: bool = option(
        False,
        kinds.FLAG,
        "`1`: [an unknown name](api.md#what-landform-ignores) is a 400, unless a request has "
        "`Prefer: handling=lenient`",
    )
    cors_origins: Collection[str] = option(
        (), kinds.ORIGINS, "web origins whose pages may call the service from a browser"
    )
    search_timeout: float = option(
        1.0,
        seconds(0.01, most=60),
        "how long the database may work [for one list of pages]"
        "(performance.md#what-a-search-may-cost) before it is a 503",
    )
    cache_bytes: int = option(
        10 << 20, whole(), "the bytes of responses that each process caches; `0`: no cache"
    )
    run_days: int = option(
        30,
        whole(1, 36_500),
        "how long [runs of feeds](feeds.md#what-is-remembered) are kept after their last write",
    )
    event_days: int = option(
        30,
        whole(0, 36_500),
        "how long [events](events.md) are kept; `0`: none are written",
    )
    revisions: int = option(
        20,
        whole(0, 1000),
        "how many [revisions](api.md#revisions) of each page are kept; `0`: none",
    )
    webhook_private: bool = option(
        False,
        kinds.FLAG,
        "`1`: [webhooks](webhooks.md) may lead to private addresses",
    )
    sqlite_synchronous: str = option(
        "FULL",
        kinds.choice("FULL", "EXTRA", "NORMAL"),
        "how SQLite writes to the disk; with `NORMAL` a power cut may lose the last writes",
    )
    busy_timeout: float = option(
        10.0, seconds(), "how long a write waits for another one before it is a 503"
    )
    postgres_statement_timeout: float = option(
        15.0,
        seconds(0.001),
        "how long a statement waits for PostgreSQL before it is a 503",
    )
    group_access: bool = option(
        False,
        kinds.FLAG,
        "`1`: the group of a SQLite file may read and write it (mode 660); `0`: "
        "[only its owner may](operations.md#who-can-read-the-files) (600)",
    )
    create_database: bool = option(
        True, kinds.FLAG, "`0`: requests get a 503 as long as there is no database"
    )
    store_identity: str | None = option(
        None,
        kinds.IDENTITY,
        "the only store to serve: with any other one requests get a 503, and none is created",
    )

    def __post_init__(self) -> None:
        """Convert each value that is not the default."""
        for name, declared in options_of(type(self)).items():
            value, kind = getattr(self, name), declared.kind
            try:
                converted = value if value is declared.default else kind.read(value)
            except (ValueError, TypeError, LookupError, AttributeError, OSError):
                raise OptionError(name, f"must be {kind.wanted}") from None
            object.__setattr__(self, name, converted)


def new_store(options: Options, url: str | None = None, *, has_timeouts: bool = True) -> "Store":
    """Return the store of the options, or another one by its URL; it is not opened yet.

    Without timeouts, as commands have it, searches and statements take as long as they need.
    """
    # Settings are read without a database driver.
    from landform.storage import Clock, Store  # noqa: PLC0415

    return Store(
        url or options.database_url,
        Clock(options.timezone),
        synchronous=options.sqlite_synchronous,
        busy_timeout=options.busy_timeout,
        answer_timeout=options.postgres_statement_timeout if has_timeouts else None,
        search_timeout=options.search_timeout if has_timeouts else None,
        event_days=options.event_days,
        revisions=options.revisions,
        identity=None if url else options.store_identity,
        group_access=options.group_access,
    )
