"""One request as the operations see it: its parameters, its body, its caller, its response."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from urllib.parse import quote

from flask import Request, Response

from landform.service.auth.credentials import (
    Authorizer,
    CredentialAuthorizer,
    Identity,
    NotAccepted,
    Rejected,
)
from landform.service.auth.throttling import Throttle
from landform.service.errors import ApiError, refusal
from landform.service.http import etags
from landform.service.http.body import (
    JSON_START,
    bound_body,
    read_body,
    read_bytes,
    read_json,
    wrong_type,
)
from landform.service.http.contract import Contract
from landform.service.http.headers import render, set_no_store
from landform.service.http.query import Fields, nested, pairs, parse_fields, select_fields
from landform.service.http.response_cache import CALLER, ResponseCache, has_body
from landform.service.http.response_limit import ResponseBound
from landform.service.json_codec import JsonObject
from landform.service.options import Options
from landform.storage import Store
from landform.storage.rows import Row
from landform.storage.sql import identity
from landform.storage.sql.versions import Expected, Versions

WP_JSON_PATHS = ("/wp-json/wp/v2", "/wp-json/gf/v2")
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}
# The contract of what is no operation of the API, such as metrics.
OTHER = Contract("GET", "")


@dataclass(frozen=True)
class ServiceContext:
    """What the requests of one blueprint share: its options, and what was made of them."""

    options: Options
    store: Store
    authorizer: Authorizer
    throttle: Throttle
    cache: ResponseCache
    # The slugs that give a page no address of its own; None where visitors are not served.
    reserved_slugs: frozenset[str] | None = None


class ApiRequest:
    """A Flask request (`http`) together with the service and the operation that it came to."""

    def __init__(self, http: Request, service: ServiceContext, contract: Contract = OTHER) -> None:
        self.http = http
        # Headers as WSGI has them: a look-up here costs a tenth of one in `http.headers`.
        self._environ = http.environ
        self.service = service
        self.contract = contract
        self.store = service.store
        # Until when (seconds since 1970) the response stays true unless this table is written to.
        self.cache_until, self.made_of = 0.0, ""
        # Whether the response holds a secret, which no cache may store.
        self.is_secret = False
        # The versions that a conditional write may find; None for any.
        self.expected: Versions = None
        # What a write did, and its caller may not have meant.
        self.warnings: list[str] = []
        # The headers by which a client asks later whether the response is still the same.
        self.validators: dict[str, str] = {}
        self._bound: ResponseBound | None = None
        bound_body(http, service.options.max_body_bytes)
        # Not Werkzeug's base_url, which fails on a Host that is no name in Punycode.
        host = quote(http.host, safe=":[]")
        path = (http.root_path + http.path).lstrip("/")
        self.url = f"{http.scheme}://{host}/{quote(path)}"

    # What the client sent.

    @cached_property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query, as they came."""
        return pairs(self.http.query_string) if self.http.query_string else []

    @cached_property
    def query(self) -> JsonObject:
        """The query parameters, brackets resolved; refused where they ask for too much.

        Some clients send them as JSON in the body; the query itself comes first.
        """
        query = nested(self.query_pairs) if self.query_pairs else {}
        if not self.contract.takes_body and has_body(self._environ):
            query = {**self._query_in_body(), **query}
        return query

    def _query_in_body(self) -> JsonObject:
        """Return the parameters that are JSON in the body; a body of another kind has none."""
        raw = self.raw_body()
        if self.http.is_json:
            return read_json(raw)
        if JSON_START.match(raw):
            raise wrong_type(raw)
        return {}

    @cached_property
    def parameters(self) -> JsonObject:
        """The query as the operation's schema loads it."""
        return self.contract.load_query(self.query)

    @cached_property
    def fields(self) -> Fields | None:
        """The fields that `_fields` asks for; None for all."""
        return parse_fields(self.query.get("_fields"))

    def header(self, name: str) -> str:
        """Return the text of a header, which clients send as UTF-8 or as Latin-1."""
        text = self.http.headers.get(name, "")
        try:
            return text.encode("latin-1").decode()
        except UnicodeError:
            return text

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
        return self.contract.load_body(self.sent_body())

    # Who called, and what they may do.

    @cached_property
    def _caller(self) -> Identity | Rejected | None:
        try:
            identity = self.service.authorizer(self.http)
            self._environ[CALLER] = identity.name if identity else None
            return identity
        except NotAccepted as rejection:
            return rejection
        except Rejected as rejection:
            # Here, and not with the refusal: a response may reveal it without being a 401.
            self.service.throttle.count_failure(self.http.remote_addr or "")
            return rejection

    @property
    def identity(self) -> Identity | None:
        """Who calls; None for anonymous callers and for those who were rejected."""
        return self._caller if isinstance(self._caller, Identity) else None

    @property
    def caller(self) -> Identity:
        """Who calls; a refusal for anybody without valid credentials."""
        return self.require_scope()

    @property
    def caller_valid_until(self) -> float:
        """Until when the same credentials mean the same caller, unless somebody writes."""
        return self.identity.valid_until if self.identity else inf

    @property
    def caller_made_of(self) -> tuple[str, ...]:
        """The table that says what the credentials mean; none where only the options do."""
        authorizer = self.service.authorizer
        is_fixed = isinstance(authorizer, CredentialAuthorizer) and authorizer.is_fixed(
            self.identity
        )
        return () if is_fixed and not self.is_rejected else ("api_key",)

    @property
    def sign_in(self) -> str:
        """How callers say who they are: a host's `session`, `credentials`, or `local` mode."""
        authorizer = self.service.authorizer
        if not isinstance(authorizer, CredentialAuthorizer):
            return "session"
        return "credentials" if authorizer.has_credentials() else "local"

    @property
    def is_rejected(self) -> bool:
        """Whether credentials came that are wrong."""
        return isinstance(self._caller, Rejected)

    def has_scope(self, scope: str | None) -> bool:
        """Return whether there is a caller, and has the scope where one is named."""
        caller = self.identity
        return caller is not None and (scope is None or scope in caller.scopes)

    def reject_invalid_credentials(self, code: str = "rest_forbidden") -> None:
        """Let anonymous callers pass, but nobody whose credentials are wrong."""
        if self.is_rejected:
            raise self._unauthorized(code, str(self._caller))

    def require_scope(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Let only a caller pass, with the scope where one is named, and return who it is."""
        caller = self._caller
        if not isinstance(caller, Identity):
            self.reject_invalid_credentials(code)
            message = "This needs credentials, but none came (some proxies strip the header)."
            raise self._unauthorized(code, message)
        if scope and scope not in caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        # What is wrong with the query has to be said before anything is written.
        _ = self.fields
        return caller

    def authorize(self) -> None:
        """Let only those pass who may run the operation; on reads a bad parameter comes first."""
        contract = self.contract
        if contract.is_read and not contract.public:
            _ = self.parameters
        if not contract.public:
            self.require_scope(contract.scope, contract.denied)

    def _unauthorized(self, code: str, message: str) -> ApiError:
        # A host's own way to sign in is none that a browser should ask a password for.
        ours = isinstance(self.service.authorizer, CredentialAuthorizer)
        return ApiError(401, code, message, headers=CHALLENGE if ours else {})

    def is_password(self, page_id: int, password: str, sent: str) -> bool:
        """Return whether what was sent is the password of a page; 503 if it cannot be counted."""
        ip_address = self.http.remote_addr or ""
        return self.service.throttle.is_password(ip_address, page_id, password, sent)

    # What bounds a response.

    def response_bound(self, parameter: str) -> ResponseBound:
        """Return what refuses a list that is too large, by the parameter that makes it smaller."""
        self._bound = ResponseBound(self.service.options.max_response_bytes, parameter)
        return self._bound

    # URLs.

    @cached_property
    def is_below_wp_json(self) -> bool:
        """Whether the request came to the URL that WordPress or Gravity Forms has for it."""
        wordpress, gravity_forms = WP_JSON_PATHS
        path = self.http.path
        return f"{wordpress}/" in path or f"{gravity_forms}/" in path

    def api_base_url(self, segments: int) -> str:
        """Return the URL that the routes are below, without the last segments of this path."""
        return self.url.rstrip("/").rsplit("/", segments)[0]

    def public_base_url(self, segments: int) -> str:
        """Return the URL that the links of pages start with."""
        return self.service.options.public_url or self.site_url(segments)

    def site_url(self, segments: int) -> str:
        """Return the URL that the service is below, whichever path of its own this is."""
        root = self.api_base_url(segments)
        for path in WP_JSON_PATHS:
            root = root.removesuffix(path)
        return root

    # Conditions.

    @cached_property
    def generation(self) -> str:
        """The generation of the store that entity tags belong to."""
        return identity.generation(self.store)

    def etag(self, name: str, version: int, *variant: object) -> str:
        """Return the entity tag of the response at this URL, at a version of a resource."""
        shown = self.query.get("_fields"), self.query.get("_embed")
        wanted = (self.url, self.service.options.public_url, *shown)
        return etags.make_etag(f"{name}_{self.generation}", version, *wanted, *variant)

    def expect_version(self, path: Mapping[str, int]) -> None:
        """Read from `If-Match` which versions of its resource, or their list, a write may find.

        The last id in the path is that of the resource.
        """
        required, sent = self.service.options.require_if_match, self._environ.get("HTTP_IF_MATCH")
        resource_id = "" if self.contract.if_match == "feeds" else [*path.values()][-1]
        name = f"{self.contract.if_match}{resource_id}"
        found = etags.if_match_versions(
            sent, f"{name}_{self.generation}" if sent else name, required
        )
        self.expected = None if found is None else Expected(self.generation, found)

    @property
    def is_conditional(self) -> bool:
        """Whether the caller wants a response only if it is new."""
        return "HTTP_IF_NONE_MATCH" in self._environ

    def holds(self, tag: str) -> bool:
        """Give the response an entity tag; say whether the caller has that response already."""
        self.validators["ETag"] = tag
        return etags.matches(self._environ.get("HTTP_IF_NONE_MATCH"), tag)

    def holds_row(self, resource: str, row: Row, *variant: object) -> bool:
        """Do the same for the response that shows a row of a resource, by its version."""
        if row["modified_utc"]:
            self.validators["Last-Modified"] = etags.last_modified(row["modified_utc"])
        return self.holds(self.etag(f"{resource}{row['id']}", row["version"], *variant))

    # Responses.

    def cache(self, table: str, until: float) -> None:
        """Let the response be cached until a time, or until somebody writes to the table."""
        self.made_of, self.cache_until = table, until

    def not_modified(self) -> Response:
        """Return the 304 for a caller who has the response already."""
        response = Response(status=304, headers={"ETag": self.validators["ETag"]})
        return set_no_store(response) if self.is_secret else response

    def created_response(self, resource: str, body: JsonObject, location: str) -> Response:
        """Return the response to a create of a `resource`: page or feed."""
        headers = {"Location": location, "ETag": self.etag(f"{resource}{body['id']}", 1)}
        return self.json_response(body, headers)

    def json_response(self, body: object, headers: Mapping[str, str] | None = None) -> Response:
        """Return a body as JSON, cut down to the fields that were asked for, with its ETag."""
        selected = select_fields(body, self.fields)
        response = render(selected, self.contract.status, {**self.validators, **(headers or {})})
        if self.warnings:
            response.headers["X-Landform-Warning"] = "; ".join(self.warnings)
        if self._bound:
            self._bound.check(response.content_length or 0)
        return set_no_store(response) if self.is_secret else response
