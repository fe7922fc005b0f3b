"""One request as the operations see it: its parameters, its body, its caller, its answer."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from landform.service import selection
from landform.service.access import Authorizer, Identity, Rejected
from landform.service.encoding import loads, render
from landform.service.errors import ApiError
from landform.service.parameters import nested
from landform.storage import Store

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
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
        request.max_content_length = max_body_bytes
        request.max_form_memory_size = max_body_bytes

    @cached_property
    def query(self) -> dict[str, Any]:
        """The query parameters, brackets resolved."""
        return nested(self.request.args.items(multi=True))

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
        if self.request.mimetype in FORMS:
            try:
                return nested(self.request.form.items(multi=True))
            except RequestEntityTooLarge:
                raise self._too_large() from None
        return {}

    def json(self) -> dict[str, Any]:
        """Return the JSON object in the body; an empty body or value is an empty object."""
        raw = self._read()
        if not self.is_json or not raw.strip():
            return {}
        try:
            value = loads(raw)
        except ValueError as error:
            raise ApiError(400, "rest_invalid_json", "The body is not valid JSON.") from error
        if not isinstance(value, dict) and value not in ([], None):
            raise ApiError(400, "rest_invalid_json", "The body must be a JSON object.")
        return value or {}

    def _read(self) -> bytes:
        try:
            return self.request.get_data()
        except RequestEntityTooLarge:
            raise self._too_large() from None

    def _too_large(self) -> ApiError:
        limit = self.request.max_content_length
        return ApiError(413, "rest_body_too_large", f"The body is larger than {limit} bytes.")

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
