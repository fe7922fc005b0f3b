"""The incoming call of an operation, and the loaded call for its view."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version as version_of
from threading import Event
from typing import Any, ClassVar, NamedTuple, TypeVar
from urllib.parse import quote, unquote_plus

from werkzeug.datastructures import Headers
from werkzeug.http import parse_etags

from landform.service.auth.credentials import Access, Authorizer, CredentialAuthorizer, Identity
from landform.service.options import Options
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.loading import SECRETS, Fields, pairs
from landform.service.pipeline.operations import GRAVITY_FORMS, WORDPRESS, WP_JSON, Operation
from landform.service.pipeline.sent_file import SentFile
from landform.storage import Store
from landform.storage.failed_attempts import Attempts
from landform.storage.pages.slugs import path_segment
from landform.storage.rows import Row
from landform.storage.sql import Precondition, read_generation

T = TypeVar("T")
# Responses of another release may have other fields, so clients read them again.
RELEASE = version_of("landform")
# Characters of a query that need no encoding in a `Link` header.
SAFE_IN_QUERY = "%!$&'()*+,-./:;=?@[\\]^_`{|}~"
# The statuses of pages with an address of their own.
LINKED = ("publish", "private")


class Urls(NamedTuple):
    """The start of the links of pages, and of their `_links` below `/wp-json`.

    `reserved`: slugs that are other addresses of the service; None if landform does not serve pages
    to visitors. `home`: the slug of the home page.
    """

    public: str
    wordpress: str = ""
    reserved: Collection[str] | None = None
    home: str | None = None

    def page_link(self, row: Row) -> str:
        """Return the public URL of a page. It needs `id`, `slug` and `status`."""
        has_address = row["slug"] and row["status"] in LINKED
        ending = self.address(row["slug"]) if has_address else None
        return f"{self.public}/" + (f"?page_id={row['id']}" if ending is None else ending)

    def address(self, slug: str) -> str | None:
        """Return the end of the URL of a page, or None for a reserved slug."""
        if slug == self.home:
            return ""
        if self.reserved is not None:
            if slug in self.reserved:
                return None
            # Most slugs have no `%`.
            slug = path_segment(slug) if "%" in slug else slug
        return f"{slug}/"


@dataclass(frozen=True)
class Service:
    """The options of one blueprint, and the objects that its calls share."""

    options: Options
    store: Store
    authorizer: Authorizer
    attempts: Attempts
    # The slugs of other addresses; None if pages are not served to visitors.
    reserved_slugs: frozenset[str] | None = None
    # The functions of the host that run feeds, by the slug of the add-on; None for no function.
    addons: dict[str, Callable[..., None] | None] = field(default_factory=dict)
    # The `Site` of service/site/responses.py, which renders pages.
    site: Any = None
    # Whether the background work begins nothing more; it sleeps until it is woken. For how many
    # seconds a process that ends waits for what is being sent.
    stopping: Event = field(default_factory=Event)
    woken: Event = field(default_factory=Event)
    sending_seconds: ClassVar[float] = 5.0

    def stop(self) -> None:
        """Begin no more background work, before the process ends."""
        self.stopping.set()
        self.woken.set()

    @cached_property
    def is_host_authorized(self) -> bool:
        """Whether the host identifies callers, perhaps by a cookie."""
        return not isinstance(self.authorizer, CredentialAuthorizer)

    @property
    def sign_in(self) -> str:
        """How callers sign in: by `session` of a host, `credentials`, or `local` mode."""
        if isinstance(self.authorizer, CredentialAuthorizer):
            return "credentials" if self.authorizer.has_credentials() else "local"
        return "session"

    def urls(self, public_url: str, wordpress_url: str = "") -> Urls:
        """Return the URLs of pages whose links start with `public_url`."""
        home = self.options.home_page if self.options.site else None
        return Urls(public_url, wordpress_url, self.reserved_slugs, home)


@dataclass(eq=False)
class Incoming:
    """An unchecked call, in a batch or from Python; one by HTTP is a subclass.

    `url` is that of the operation without its query, `root_url` that of the service. `query`: the
    parameters, with brackets resolved. `query_string`: the raw query, if there is one.
    `generation`: that of the store, if it was read once for several calls. `query_pairs`: the
    decoded names and values of the raw query. `is_wordpress`: whether the URL is below `/wp-json`,
    as WordPress or Gravity Forms has it. `file`: the one that the operation takes, if it was sent.
    """

    method: str
    url: str
    root_url: str
    headers: Headers | Mapping[str, str]
    access: Access
    query: JsonObject = field(default_factory=dict)
    body: JsonObject = field(default_factory=dict)
    query_string: bytes = b""
    generation: str = ""
    file: SentFile | None = None
    query_pairs: list[tuple[str, str]] = field(init=False)
    is_wordpress: bool = field(init=False)

    def __post_init__(self) -> None:
        self.query_pairs = pairs(self.query_string) if self.query_string else []
        self.is_wordpress = f"{WORDPRESS}/" in self.url or f"{GRAVITY_FORMS}/" in self.url

    def read_query(self, operation: Operation) -> JsonObject:
        """Return the query; without a schema for the body, also the parameters in the body."""
        return self.query if operation.body else {**self.body, **self.query}

    def read_body(self, operation: Operation) -> JsonObject:
        """Return the object in the body, which may be empty."""
        return self.body

    def read_form(self, operation: Operation) -> list[tuple[str, str]]:
        """Return the names and values of a form in the body; empty for other bodies."""
        return []


class Call(NamedTuple):
    """The argument of a view: a call that is checked and loaded; nothing in it is changed.

    `store` and `options` are those of the service. `access`: the caller and its rights; it has the
    scope of the operation, but of a `public` one nothing is known of the caller yet. `ids`: the
    variables of the path. `query` and `body` are loaded by the schemas, `sent_query` and
    `sent_body` are not. `fields`: those of `_fields`; None for all. `name_headers` report unknown
    names, also with an error. `rendered`: see `Operation`.
    """

    service: Service
    store: Store
    options: Options
    operation: Operation
    incoming: Incoming
    access: Access
    ids: Mapping[str, Any]
    sent_query: JsonObject
    sent_body: JsonObject
    if_match: Precondition | None
    query: JsonObject
    body: JsonObject
    fields: Fields | None
    name_headers: Mapping[str, str]
    rendered: Any

    def part(self, kind: type[T]) -> T:
        """Return the part of a class, with its options, that the blueprint names."""
        return next(part for part in self.options.named_parts if isinstance(part, kind))

    @property
    def caller(self) -> Identity:
        """The caller; raises a 401 without valid credentials."""
        return self.access.identity or self.access.require()

    @property
    def is_wordpress(self) -> bool:
        """Whether the URL is below `/wp-json`, as WordPress or Gravity Forms has it."""
        return self.incoming.is_wordpress

    @property
    def root_url(self) -> str:
        """The URL below which the routes are, such as one that ends with `/wp-json/wp/v2`."""
        return self.incoming.root_url

    @property
    def site_url(self) -> str:
        """The URL of the service without `/wp-json`."""
        return self.incoming.root_url.removesuffix(WORDPRESS).removesuffix(GRAVITY_FORMS)

    def rest_url(self, route: str) -> str:
        """Return the URL of a route of WordPress, such as `/wp/v2/pages`."""
        return f"{self.site_url}{WP_JSON}{route}"

    @property
    def public_url(self) -> str:
        """The start of the links of pages."""
        return self.options.public_url or self.site_url

    @property
    def urls(self) -> Urls:
        """The URLs of pages in the reply."""
        is_wordpress, root_url = self.incoming.is_wordpress, self.incoming.root_url
        return self.service.urls(self.public_url, root_url if is_wordpress else "")

    @property
    def page_password(self) -> str:
        """The password that was sent for a page, in the header or the query."""
        text = self.incoming.headers.get("X-Page-Password")
        if not text:
            return str(self.query.get("password", ""))
        with suppress(UnicodeError):
            text = text.encode("latin-1").decode()
        return text

    def query_without(self, *names: str) -> str:
        """Return the raw query for a link, without some names and without secrets."""
        hidden = (*names, "rest_route", *SECRETS)
        parts = []
        for part in self.incoming.query_string.split(b"&"):
            name = unquote_plus(part.partition(b"=")[0].decode("latin-1"))
            if name not in hidden and not name.startswith("oauth_"):
                parts.append(quote(part, safe=SAFE_IN_QUERY))
        return "&".join(parts)

    def etag(self, name: str, version: int, *variant: object, generation: str = "") -> str:
        """Return the strong entity tag of a version of a resource at this URL.

        It is `"<resource>_<generation>.<version>.<variant>"` (for the generation see
        `storage/sql.py`), so nothing is rendered to compare it. The variant distinguishes the
        responses of one resource, such as contexts.
        """
        generation = generation or self.incoming.generation or read_generation(self.store)
        fields, embed = self.sent_query.get("_fields"), self.sent_query.get("_embed")
        urls = self.incoming.url, self.options.public_url, self.options.home_page
        text = repr((RELEASE, *urls, fields, embed, *variant)).encode(errors="surrogatepass")
        return f'"{name}_{generation}.{version}.{blake2b(text, digest_size=9).hexdigest()}"'

    def row_etag(self, resource: str, row: Row, *variant: object, generation: str = "") -> str:
        """Return the entity tag of a row."""
        return self.etag(f"{resource}{row['id']}", row["version"], *variant, generation=generation)

    def has(self, etag: str) -> bool:
        """Return whether a reader already has the reply with an entity tag, for a 304."""
        sent = self.incoming.headers.get("If-None-Match") if self.operation.is_read else None
        return bool(sent) and parse_etags(sent).contains_weak(etag.strip('"'))
