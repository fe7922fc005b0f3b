"""One request as the operations see it: its parameters, its body, its caller, its response.

`Idempotency-Key`: a create that is repeated, because its response was lost, happens once.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from json import loads
from math import ceil
from urllib.parse import quote, urlencode

from flask import Request, Response
from werkzeug.http import parse_etags

from landform.service.auth.credentials import Access, Authorizer, Identity
from landform.service.errors import ApiError, refusal
from landform.service.http.contract import Contract
from landform.service.http.input import (
    JSON_START,
    Fields,
    nested,
    pairs,
    parse_fields,
    read_body,
    read_bytes,
    read_json,
    select_fields,
    wrong_type,
)
from landform.service.http.responses import (
    ResponseCache,
    has_body,
    last_modified,
    make_etag,
    matches,
    render,
)
from landform.service.json_codec import JsonObject
from landform.service.options import Options
from landform.storage import Store, idempotency_keys
from landform.storage.failed_attempts import Attempts
from landform.storage.idempotency_keys import IdempotencyKey
from landform.storage.rows import Row
from landform.storage.sql import Expected, Versions, read_generation

WORDPRESS, GRAVITY_FORMS = WP_JSON_PATHS = ("/wp-json/wp/v2", "/wp-json/gf/v2")
# What may hold a secret in a query.
SECRETS = ("password", "consumer_key", "consumer_secret")
# The contract of what is no operation of the API, such as metrics.
OTHER = Contract("GET", "")


@dataclass(frozen=True)
class ServiceContext:
    """The options of one blueprint, and what its requests share."""

    options: Options
    store: Store
    authorizer: Authorizer
    attempts: Attempts
    cache: ResponseCache
    # The slugs that give a page no address of its own; None where visitors are not served.
    reserved_slugs: frozenset[str] | None = None


class NotModified(Exception):
    """The caller has the response already: it is a 304."""


class ApiRequest:
    """A Flask request (`http`) together with the service and the operation that it came to."""

    def __init__(self, http: Request, service: ServiceContext, contract: Contract = OTHER) -> None:
        self.http = http
        self.service = service
        self.contract = contract
        self.store = service.store
        self.access = Access(http, service.authorizer, service.attempts)
        # Until when (seconds since 1970) the response stays true unless this table is written to.
        self.cache_until, self.made_of = 0.0, ""
        # The versions that a conditional write may find; None for any.
        self.expected: Versions = None
        # The headers of the response, and those that it has also where it is an error.
        self.headers: dict[str, str] = {}
        self.told: dict[str, str] = {}
        # Flask reads one byte more than is allowed, and no further: a body without a length is cut
        # there without a word.
        http.max_content_length = http.max_form_memory_size = service.options.max_body_bytes + 1

    # What the client sent.

    @cached_property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query, as they came."""
        return pairs(self.http.query_string) if self.http.query_string else []

    def query_without(self, unwanted: str) -> str:
        """Return the query for a link or a redirect: without a name, and without secrets."""
        return urlencode([
            (name, value) for name, value in self.query_pairs
            if name not in (unwanted, "rest_route", *SECRETS) and not name.startswith("oauth_")
        ])  # fmt: skip

    @cached_property
    def query(self) -> JsonObject:
        """The query parameters, brackets resolved; refused where they ask for too much.

        Some clients send them as JSON in the body; the query itself comes first.
        """
        query = nested(self.query_pairs) if self.query_pairs else {}
        if not self.contract.takes_body and has_body(self.http.environ):
            raw = self.raw_body()
            if self.http.is_json:
                return {**read_json(raw), **query}
            if JSON_START.match(raw):
                raise wrong_type(raw)
        return query

    @cached_property
    def parameters(self) -> JsonObject:
        """The query as the operation's schema loads it."""
        schema = self.contract.query
        return dict(schema.load(self.query)) if schema else {}

    @cached_property
    def fields(self) -> Fields | None:
        """The fields that `_fields` asks for; None for all."""
        wanted = self.query.get("_fields")
        return parse_fields(wanted) if wanted else None

    def sent_password(self, in_query: str) -> str:
        """Return the password of a page in the header, which is UTF-8 or Latin-1, or the query."""
        text = self.http.environ.get("HTTP_X_PAGE_PASSWORD", "")
        with suppress(UnicodeError):
            text = text.encode("latin-1").decode()
        return text or in_query

    @cached_property
    def body(self) -> JsonObject:
        """The JSON object in the body, or a form where pages are written; empty for nothing."""
        return read_body(self.http, self.raw_body(), self.contract)

    def raw_body(self) -> bytes:
        """Return the bytes of the body."""
        return read_bytes(self.http, self.service.options.max_body_bytes)

    def sent_body(self) -> JsonObject:
        """Return the body; an empty one is refused where the operation says so."""
        code = self.contract.empty_body
        if code and not self.body:
            raise refusal(code)
        return self.body

    def values(self) -> JsonObject:
        """Return the body as the operation's schema loads it."""
        sent, schema = self.sent_body(), self.contract.body
        return dict(schema.load(sent)) if schema else {}

    # Who called, and what they may do.

    @cached_property
    def caller(self) -> Identity:
        """The caller; a refusal for anybody without valid credentials."""
        return self.access.identity or self.access.require()

    def authorize(self) -> None:
        """Let only those pass who may run the operation; on reads a bad parameter comes first."""
        if self.contract.is_read:
            _ = self.parameters
        self.access.require(self.contract.scope, self.contract.denied)
        # What is wrong with the query has to be said before anything is written.
        _ = self.fields

    # URLs.

    @cached_property
    def url(self) -> str:
        """The URL of the request, without its query."""
        # Not Werkzeug's base_url, which fails on a Host that is no name in Punycode.
        host = quote(self.http.host, safe=":[]")
        path = (self.http.root_path + self.http.path).lstrip("/")
        return f"{self.http.scheme}://{host}/{quote(path)}"

    @cached_property
    def is_below_wp_json(self) -> bool:
        """Whether the request came to the URL that WordPress or Gravity Forms has for it."""
        path = self.http.path
        return f"{WORDPRESS}/" in path or f"{GRAVITY_FORMS}/" in path

    @cached_property
    def api_base_url(self) -> str:
        """The URL that the routes are below: this one without the path of the operation."""
        segments = len([*filter(None, self.contract.path.split("/"))])
        return self.url.rstrip("/").rsplit("/", segments)[0]

    @cached_property
    def public_base_url(self) -> str:
        """The URL that the links of pages start with."""
        return self.service.options.public_url or self.site_url

    @property
    def site_url(self) -> str:
        """The URL that the service is below, whichever path of its own this is."""
        return self.api_base_url.removesuffix(WORDPRESS).removesuffix(GRAVITY_FORMS)

    # Conditions.

    @cached_property
    def generation(self) -> str:
        """The generation of the store that entity tags belong to."""
        return read_generation(self.store)

    def set_etag(self, name: str, version: int, *variant: object, generation: str = "") -> None:
        """Give the response at this URL its entity tag, at a version of a resource."""
        shown = self.query.get("_fields"), self.query.get("_embed")
        options = self.service.options
        wanted = (self.url, options.public_url, options.home_page, *shown, *variant)
        self.add_etag(make_etag(f"{name}_{generation or self.generation}", version, *wanted))

    def add_etag(self, tag: str) -> None:
        """Give the response an entity tag; `NotModified` for a reader who has it already."""
        self.headers["ETag"] = tag
        if self.contract.is_read and matches(self.http.environ.get("HTTP_IF_NONE_MATCH"), tag):
            raise NotModified

    def set_row_etag(self, resource: str, row: Row, *variant: object, generation: str = "") -> None:
        """Give the response that shows a row of a resource its entity tag and `Last-Modified`."""
        name = f"{resource}{row['id']}"
        self.set_etag(name, row["version"], *variant, generation=generation)
        if row["modified_utc"]:
            self.headers["Last-Modified"] = last_modified(row["modified_utc"])

    def expected_versions(self, path: Mapping[str, int]) -> Versions:
        """Return which versions a write may find, by `If-Match`: of its resource, or their list.

        A weak tag, or one of another resource, allows none.
        """
        sent = self.http.environ.get("HTTP_IF_MATCH")
        tags = parse_etags(sent)
        if sent is None and self.service.options.require_if_match:
            raise refusal("rest_precondition_required")
        if sent is None or tags.star_tag:
            return None
        resource_id = path.get(f"{self.contract.if_match}_id", "")
        name = re.escape(f"{self.contract.if_match}{resource_id}_{self.generation}")
        # Werkzeug takes `""` for none.
        found = (
            re.fullmatch(rf"{name}\.([0-9]{{1,18}})\.[^.]*", tag or "") for tag in tags.as_set()
        )
        return Expected(self.generation, frozenset(int(one[1]) for one in found if one))

    # Responses.

    def allow_caching(self, table: str, until: float) -> None:
        """Let the response be cached until a time, or until somebody writes to the table."""
        self.made_of, self.cache_until = table, until

    def forbid_storing(self) -> None:
        """Keep a response that holds a secret out of every cache."""
        self.headers["Cache-Control"] = "no-store"

    def json_response(self, body: object, headers: Mapping[str, str] | None = None) -> Response:
        """Return a body as JSON, cut down to the fields that were asked for."""
        selected = select_fields(body, self.fields) if self.fields else body
        return render(selected, self.contract.status, {**self.headers, **(headers or {})})

    def paging_headers(
        self, query: JsonObject, total: int, beyond: str = "rest_post_invalid_page_number"
    ) -> dict[str, str]:
        """Return the headers of a page of results; one beyond the last is refused with a code."""
        page, last = query["page"], ceil(total / query["per_page"])
        if page > last and total:
            raise ApiError(400, beyond, f"There are only {last} pages of results.")
        headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
        links = [("prev", min(page - 1, last))] if page > 1 and last else []
        links += [("next", page + 1)] if page < last else []
        if links:
            kept = self.query_without("page")
            url = f"{self.url.rstrip('/')}?{kept and kept + '&'}"
            named = [f'<{url}page={number}>; rel="{rel}"' for rel, number in links]
            headers["Link"] = ", ".join(named)
        return headers


LONGEST_KEY = 255


def create_idempotently(
    request: ApiRequest,
    resource: str,
    create: Callable[[], Row],
    dump: Callable[[Row, str], JsonObject],
    within: str = "",
) -> Response:
    """Return 201 for the row that `create` stores; if the key was used, for the row of that time.

    `dump` makes the body of a row and the public base URL, outside of the transaction. Keys belong
    to a caller and an operation, which is the `resource`, and what a route names beside that,
    `within`: a create may be repeated at any other URL that leads to the same operation on the same
    store.
    The same key with another body is a 422.
    """
    location, public_url = f"{request.api_base_url}/{resource}s", request.public_base_url
    key = _key(request, f"{resource}:{within}" if within else resource)
    if key is None:
        row = create()
        return _created(request, resource, dump(row, public_url), f"{location}/{row['id']}")
    with request.store.transaction():
        record = idempotency_keys.find(request.store, key)
        if record is None:
            row = create()
            of_row = f"{location}/{row['id']}"
            record = idempotency_keys.add(request.store, key, row, of_row, public_url)
    content = loads(record.answer)
    # Earlier versions stored the body itself.
    body = dump(content["row"], content["public_url"]) if "row" in content else content
    return _created(request, resource, body, record.location)


def _created(request: ApiRequest, resource: str, body: JsonObject, location: str) -> Response:
    request.set_etag(f"{resource}{body['id']}", 1)
    return request.json_response(body, {"Location": location})


def _key(request: ApiRequest, operation: str) -> IdempotencyKey | None:
    """Return the key that came with a request, None for no key; 400 for one that is no key."""
    key = request.http.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
        message = f"Idempotency-Key must be 1 to {LONGEST_KEY} printable characters."
        raise ApiError(400, "rest_invalid_param", message, {"params": {"Idempotency-Key": message}})
    # A key may have the name of a configured credential, which has no colon.
    kind = "key:" if request.caller.is_stored else ""
    owner = f"{kind}{request.caller.name} {operation}"
    if len(owner) > LONGEST_KEY:
        # An index holds no longer one, and nobody reads it.
        owner = sha256(owner.encode()).hexdigest()
    digest = sha256(request.http.mimetype.encode() + b"\n" + request.raw_body()).hexdigest()
    return IdempotencyKey(owner, key, digest)
