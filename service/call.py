"""One request as the operations see it: its parameters, its body, its caller, its answer."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from landform.service import conditional, selection
from landform.service.access import Authorizer, Identity, NotFromHere, Rejected
from landform.service.encoding import loads, render
from landform.service.errors import ApiError
from landform.service.parameters import nested, pairs
from landform.storage import Store, attempts

PEER_PATHS = ("/wp-json/wp/v2", "/wp-json/gf/v2")
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}


@dataclass(frozen=True)
class Site:
    """What the calls of one blueprint share: its store, who may call, and its settings."""

    store: Store
    authorizer: Authorizer
    public_url: str | None
    max_body_bytes: int
    failed_attempts_per_minute: int
    require_if_match: bool
    cors_origins: frozenset[str]


class Call:
    """A request together with the site that it came to."""

    def __init__(self, request: Request, site: Site) -> None:
        self.request = request
        self.settings = site
        self.store = site.store
        # One more, because a body without a length is cut at the bound without a word.
        most = site.max_body_bytes + 1
        request.max_content_length = request.max_form_memory_size = most

    @cached_property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query, as they came."""
        return pairs(self.request.query_string)

    @cached_property
    def query(self) -> dict[str, Any]:
        """The query parameters, brackets resolved."""
        return nested(self.query_pairs)

    @cached_property
    def fields(self) -> selection.Fields | None:
        """The fields that `_fields` asks for; None for all."""
        return selection.parse(self.query.get("_fields"))

    @cached_property
    def _caller(self) -> Identity | Rejected | None:
        try:
            return self.settings.authorizer(self.request)
        except Rejected as rejection:
            return rejection

    @property
    def is_rejected(self) -> bool:
        """Whether credentials came that are wrong."""
        return isinstance(self._caller, Rejected)

    def may(self, scope: str) -> bool:
        """Say whether the caller has a scope."""
        return isinstance(self._caller, Identity) and scope in self._caller.scopes

    def admit(self, code: str = "rest_forbidden") -> None:
        """Let strangers pass, but nobody whose credentials are wrong."""
        if not isinstance(self._caller, Rejected):
            return
        if not isinstance(self._caller, NotFromHere):
            self.count_failure()
        raise ApiError(401, code, str(self._caller), headers=CHALLENGE)

    def count_failure(self) -> None:
        """Count a wrong secret from the caller's address; 429 where there were too many."""
        address = self.request.remote_addr or ""
        wait = attempts.failed(self.store, address, self.settings.failed_attempts_per_minute)
        if wait:
            message = "Too many wrong credentials came from this address."
            raise ApiError(
                429, "rest_too_many_attempts", message, headers={"Retry-After": str(wait)}
            )

    def require(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Let only a caller pass, with the scope where one is named, and return who it is."""
        self.admit(code)
        if not isinstance(self._caller, Identity):
            message = "This needs credentials, and none came (some proxies strip the header)."
            raise ApiError(401, code, message, headers=CHALLENGE)
        if scope and scope not in self._caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        return self._caller

    @cached_property
    def is_json(self) -> bool:
        """Whether the body is declared as JSON."""
        return self.request.is_json

    def body(self) -> dict[str, Any]:
        """Return the parameters of the body: a JSON object or a form; nothing is an empty one."""
        if self.is_json:
            return self.json()
        raw = self.raw_body()
        if self.request.mimetype == "multipart/form-data":
            return nested(self.request.form.items(multi=True))
        if self.request.mimetype != "application/x-www-form-urlencoded":
            return {}
        try:
            return nested(pairs(raw, "strict"))
        except UnicodeDecodeError:
            raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.") from None

    def json(self) -> dict[str, Any]:
        """Return the JSON object in the body; an empty body or value is an empty object."""
        raw = self.raw_body()
        if not self.is_json or not raw.strip():
            return {}
        try:
            value = loads(raw)
        except ValueError as error:
            raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
        if not isinstance(value, dict) and value not in ([], None):
            raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
        return value or {}

    def raw_body(self) -> bytes:
        """Return the bytes of the body; 413 where they are too many."""
        most = self.settings.max_body_bytes
        with suppress(RequestEntityTooLarge):
            raw = self.request.get_data()
            if len(raw) <= most:
                return raw
        raise ApiError(413, "rest_body_too_large", f"The body is larger than {most} bytes.")

    def root(self, segments: int) -> str:
        """Return the address that the routes hang on, without the last segments of this path."""
        return iri_to_uri(self.request.base_url).rstrip("/").rsplit("/", segments)[0]

    def site(self, segments: int) -> str:
        """Return the address that the links of pages start with."""
        if self.settings.public_url:
            return self.settings.public_url
        root = self.root(segments)
        for path in PEER_PATHS:
            root = root.removesuffix(path)
        return root

    def tag(self, name: str | int, version: int, *variant: object) -> str:
        """Return the entity tag of what this address answers at a version of a resource."""
        wanted = (self.request.base_url, self.settings.public_url, self.query.get("_fields"))
        return conditional.tag(name, version, *wanted, *variant)

    def expected(self, name: int) -> frozenset[int] | None:
        """Return the versions of a resource that the write may find; None for any."""
        required = self.settings.require_if_match
        return conditional.expected(self.request.headers.get("If-Match"), name, required)

    @property
    def is_conditional(self) -> bool:
        """Whether the caller wants an answer only if it is new."""
        return "If-None-Match" in self.request.headers

    def unchanged(self, tag: str) -> Response | None:
        """Return the 304 where the caller holds the answer with this tag already."""
        if conditional.holds(self.request.headers.get("If-None-Match"), tag):
            return Response(status=304, headers={"ETag": tag})
        return None

    def created(self, body: dict[str, Any], location: str) -> Response:
        """Return the answer to a create."""
        return self.answer(body, 201, {"Location": location})

    def answer(
        self, body: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Return the answer, cut down to the fields that were asked for."""
        return render(selection.select(body, self.fields), status, headers)
