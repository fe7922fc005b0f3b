"""One request as the operations see it: its parameters, its body, its caller, its answer."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from landform.service import selection
from landform.service.access import Authorizer, Identity, Rejected
from landform.service.encoding import loads, render
from landform.service.errors import ApiError
from landform.service.parameters import nested, pairs
from landform.storage import Store

PEER_PATHS = ("/wp-json/wp/v2", "/wp-json/gf/v2")
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}


class Call:
    """A request together with the store and the settings of the blueprint that it came to."""

    def __init__(
        self,
        request: Request,
        store: Store,
        authorizer: Authorizer,
        public_url: str | None,
        max_body_bytes: int,
    ) -> None:
        self.request = request
        self.store = store
        self.authorizer = authorizer
        self.public_url = public_url
        self.max_body_bytes = max_body_bytes
        # One more, because a body without a length is cut at the bound without a word.
        request.max_content_length = request.max_form_memory_size = max_body_bytes + 1

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
            return self.authorizer(self.request)
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
        if isinstance(self._caller, Rejected):
            raise ApiError(401, code, str(self._caller), headers=CHALLENGE)

    def require(self, scope: str, code: str = "rest_forbidden") -> Identity:
        """Let only a caller with the scope pass, and return who it is."""
        self.admit(code)
        if not isinstance(self._caller, Identity):
            raise ApiError(401, code, "This needs credentials; none came.", headers=CHALLENGE)
        if scope not in self._caller.scopes:
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
        with suppress(RequestEntityTooLarge):
            raw = self.request.get_data()
            if len(raw) <= self.max_body_bytes:
                return raw
        message = f"The body is larger than {self.max_body_bytes} bytes."
        raise ApiError(413, "rest_body_too_large", message)

    def root(self, segments: int) -> str:
        """Return the address that the routes hang on, without the last segments of this path."""
        return iri_to_uri(self.request.base_url).rstrip("/").rsplit("/", segments)[0]

    def site(self, segments: int) -> str:
        """Return the address that the links of pages start with."""
        if self.public_url:
            return self.public_url
        root = self.root(segments)
        for path in PEER_PATHS:
            root = root.removesuffix(path)
        return root

    def answer(
        self, body: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Return the answer, cut down to the fields that were asked for."""
        return render(selection.select(body, self.fields), status, headers)
