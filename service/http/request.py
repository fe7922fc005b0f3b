"""One request as the operations see it: its parameters, its body, its caller, its answer."""

from collections.abc import Mapping
from functools import cached_property
from math import inf
from typing import Any
from urllib.parse import quote

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge

from landform.service.auth.credentials import CredentialAuthorizer, Identity, NotLocal, Rejected
from landform.service.context import ServiceContext
from landform.service.errors import ApiError
from landform.service.http import etags, form_data, limits, sparse_fields
from landform.service.http.json_codec import TooDeep, loads, render
from landform.service.http.parameters import nested, pairs
from landform.service.http.response_cache import CALLER
from landform.service.http.response_limit import ResponseBound
from landform.storage import identity
from landform.storage.sql.versions import Expected, Versions

WP_JSON_PATHS = ("/wp-json/wp/v2", "/wp-json/gf/v2")
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}


class ApiRequest:
    """A Flask request (`http`) together with the service that it came to."""

    def __init__(self, http: Request, service: ServiceContext) -> None:
        self.http = http
        self.service = service
        self.store = service.store
        # Until when (seconds since 1970) the answer stays true if nobody writes.
        self.cache_until = 0.0
        self._bound: ResponseBound | None = None
        # One more, because a body without a length is cut at the bound without a word.
        most = service.options.max_body_bytes + 1
        http.max_content_length = http.max_form_memory_size = most
        # Not Werkzeug's base_url, which fails on a Host that is no name in Punycode.
        host = quote(http.host, safe=":[]")
        path = (http.root_path + http.path).lstrip("/")
        self.url = f"{http.scheme}://{host}/{quote(path)}"

    @cached_property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query, as they came."""
        return pairs(self.http.query_string)

    @cached_property
    def query(self) -> dict[str, Any]:
        """The query parameters, brackets resolved; refused where they ask for too much."""
        query = nested(self.query_pairs)
        limits.check_query(self.service.options.limits, query)
        return query

    @cached_property
    def fields(self) -> sparse_fields.Fields | None:
        """The fields that `_fields` asks for; None for all."""
        return sparse_fields.parse(self.query.get("_fields"))

    @cached_property
    def _caller(self) -> Identity | Rejected | None:
        try:
            identity = self.service.authorizer(self.http)
            self.http.environ[CALLER] = identity.name if identity else None
            return identity
        except NotLocal as rejection:
            return rejection
        except Rejected as rejection:
            # Here, and not where it is answered: an answer may tell without being a refusal.
            self.service.throttle.count_failure(self.http.remote_addr or "")
            return rejection

    @property
    def identity(self) -> Identity | None:
        """Who calls; None for strangers and for whoever was rejected."""
        return self._caller if isinstance(self._caller, Identity) else None

    @property
    def caller_valid_until(self) -> float:
        """Until when the same credentials mean the same caller if nobody writes."""
        return self.identity.valid_until if self.identity else inf

    @property
    def is_rejected(self) -> bool:
        """Whether credentials came that are wrong."""
        return isinstance(self._caller, Rejected)

    def has_scope(self, scope: str) -> bool:
        """Say whether the caller has a scope."""
        return isinstance(self._caller, Identity) and scope in self._caller.scopes

    def reject_invalid_credentials(self, code: str = "rest_forbidden") -> None:
        """Let strangers pass, but nobody whose credentials are wrong."""
        if isinstance(self._caller, Rejected):
            raise self._unauthorized(code, str(self._caller))

    def check_password(self, page_id: int, password: str, sent: str) -> None:
        """Refuse a wrong password of a page, and one that cannot be counted."""
        address = self.http.remote_addr or ""
        self.service.throttle.check_password(address, page_id, password, sent)

    def _unauthorized(self, code: str, message: str) -> ApiError:
        # A host's own way to sign in is none that a browser should ask a password for.
        ours = isinstance(self.service.authorizer, CredentialAuthorizer)
        return ApiError(401, code, message, headers=CHALLENGE if ours else {})

    def require_scope(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Let only a caller pass, with the scope where one is named, and return who it is."""
        self.reject_invalid_credentials(code)
        if not isinstance(self._caller, Identity):
            message = "This needs credentials, and none came (some proxies strip the header)."
            raise self._unauthorized(code, message)
        if scope and scope not in self._caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        # What is wrong with the query has to be said before anything is written.
        _ = self.query
        return self._caller

    def check_meta(self, meta: dict[str, Any]) -> None:
        """Refuse a meta that a write would merge into more than a body may hold."""
        options = self.service.options
        limits.check_merged_meta(options.limits, meta, options.max_body_bytes)

    def check_page_meta(self, meta: dict[str, Any]) -> None:
        """Do the same for a page's, of which every key is there, most of them empty."""
        self.check_meta({name: value for name, value in meta.items() if value})

    def response_bound(self, parameter: str) -> ResponseBound:
        """Return what refuses a list that is too large, by the parameter that makes it smaller."""
        self._bound = ResponseBound(self.service.options.limits.response_bytes, parameter)
        return self._bound

    def header(self, name: str) -> str:
        """Return the text of a header, which clients send as UTF-8 or as Latin-1."""
        text = self.http.headers.get(name, "")
        try:
            return text.encode("latin-1").decode()
        except UnicodeError:
            return text

    @cached_property
    def is_json(self) -> bool:
        """Whether the body is declared as JSON."""
        return self.http.is_json

    def body(self) -> dict[str, Any]:
        """Return the parameters of the body: a JSON object or a form; nothing is an empty one."""
        body = self.json() if self.is_json else self._form()
        limits.check_page_meta(self.service.options.limits, body)
        return body

    def _form(self) -> dict[str, Any]:
        kind, raw = self.http.mimetype, self.raw_body()
        if kind not in form_data.KINDS:
            return {}
        most = self.service.options.limits.form_fields
        sent = form_data.read(kind, self.http.mimetype_params, raw, most)
        body = nested(sent)
        limits.check_body(self.service.options.limits, body)
        return body

    def json(self) -> dict[str, Any]:
        """Return the JSON object in the body; an empty body or value is an empty object."""
        raw = self.raw_body()
        if not self.is_json or not raw.strip():
            return {}
        most = self.service.options.limits.json_depth
        try:
            value = loads(raw, most)
        except TooDeep as error:
            message = f"The body is nested more than {most} levels deep."
            raise ApiError(400, "rest_invalid_json", message) from error
        except ValueError as error:
            raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
        if not isinstance(value, dict) and value not in ([], None):
            raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
        body: dict[str, Any] = value or {}
        limits.check_body(self.service.options.limits, body)
        return body

    def raw_body(self) -> bytes:
        """Return the bytes of the body; 413 where they are too many, 400 where some are missing."""
        most, announced = self.service.options.max_body_bytes, self.http.content_length or 0
        try:
            raw = self.http.get_data()
        except RequestEntityTooLarge:
            raw = b" " * (most + 1)
        except Exception as error:
            # Whatever a server raises here, it is the client's sending that failed.
            raise ApiError(400, "rest_bad_request", "The body could not be read.") from error
        if len(raw) > most:
            raise ApiError(413, "rest_body_too_large", f"The body is larger than {most} bytes.")
        if len(raw) < announced:
            raise ApiError(400, "rest_bad_request", "The body broke off.")
        return raw

    def api_base_url(self, segments: int) -> str:
        """Return the address that the routes hang on, without the last segments of this path."""
        return self.url.rstrip("/").rsplit("/", segments)[0]

    def public_base_url(self, segments: int) -> str:
        """Return the address that the links of pages start with."""
        if self.service.options.public_url:
            return self.service.options.public_url
        root = self.api_base_url(segments)
        for path in WP_JSON_PATHS:
            root = root.removesuffix(path)
        return root

    def etag(self, name: str, version: int, *variant: object) -> str:
        """Return the entity tag of what this address answers at a version of a resource."""
        wanted = (self.url, self.service.options.public_url, self.query.get("_fields"))
        return etags.make_etag(f"{name}_{self.generation}", version, *wanted, *variant)

    def if_match_versions(self, name: str) -> Versions:
        """Return the versions of a resource that the write may find; None for any."""
        required, sent = self.service.options.require_if_match, self.http.headers.get("If-Match")
        found = etags.if_match_versions(
            sent, f"{name}_{self.generation}" if sent else name, required
        )
        return None if found is None else Expected(self.generation, found)

    @cached_property
    def generation(self) -> str:
        """The generation of the store that entity tags are of."""
        return identity.generation(self.store)

    @property
    def is_conditional(self) -> bool:
        """Whether the caller wants an answer only if it is new."""
        return "If-None-Match" in self.http.headers

    def not_modified(self, tag: str) -> Response | None:
        """Return the 304 where the caller holds the answer with this tag already."""
        if etags.matches(self.http.headers.get("If-None-Match"), tag):
            return Response(status=304, headers={"ETag": tag})
        return None

    def created_response(self, resource: str, body: dict[str, Any], location: str) -> Response:
        """Return the answer to a create of a `resource`: page or feed."""
        headers = {"Location": location, "ETag": self.etag(f"{resource}{body['id']}", 1)}
        return self.json_response(body, 201, headers)

    def json_response(
        self, body: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Return the answer, cut down to the fields that were asked for."""
        response = render(sparse_fields.select(body, self.fields), status, headers)
        if self._bound:
            self._bound.check(response.content_length or 0)
        return response
