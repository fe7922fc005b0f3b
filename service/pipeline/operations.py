"""Operations, which are declared beside their views.

Routes, `Allow`, the check of scopes, OpenAPI and the Python API follow from the declarations.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from types import GenericAlias, UnionType
from typing import Any

from marshmallow import INCLUDE, Schema, missing
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, MapAdapter, Rule

from landform.parts.errors import PartError
from landform.schemas.fields import Ignored, ListOf, add_choices
from landform.service.auth.credentials import Identity
from landform.service.pipeline.codes import all_error_codes
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import Reply
from landform.storage.rows import Row

WP_JSON = "/wp-json"
NAMESPACES = ("wp/v2", "gf/v2")
WORDPRESS, GRAVITY_FORMS = (f"{WP_JSON}/{name}" for name in NAMESPACES)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

COMMON_CODES = (
    "rest_invalid_param rest_too_many_attempts internal_server_error storage_unavailable "
    "storage_full rest_invalid_json rest_bad_request rest_body_too_large"
).split()
WRITE_CODES = ("rest_cross_site", "storage_uncertain")
IF_MATCH_CODES = ("rest_precondition_failed", "rest_precondition_required")

# What an operation returns: a schema, several by the parameter that chooses one, a Python type with
# schemas, or a text.
Returned = Schema | Mapping[str, Schema] | type | GenericAlias | UnionType | str | None
# A function of the loaded body and the caller.
Render = Callable[[JsonObject, Identity], Any]
# A function of a store and the ids in the path, which raises a 404.
FindRow = Callable[..., object]
# A function of a `Call` and the ids in the path.
View = Callable[..., Reply]


@dataclass(frozen=True, eq=False, kw_only=True)
class Operation:
    """A view and its declaration.

    - `name`: of the endpoint and of the Python method; by default that of the view.
    - `response`: what is returned, see `Returned`; a text is constant, and with `many` it is a
      list. `wordpress_response`: that below `/wp-json`. `invalid`: the body of a 400 that is no
      error. `other_type`: another content type, for callers that prefer it in `Accept`.
    - `scope`: the scope that callers need; with none, any valid credentials. `public`: callers
      need no credentials, and the view checks what they may see. `denied`: the code of the error
      for other callers.
    - `query`, `body`: the schemas that load them. `wordpress_query`, `wordpress_body`: those
      below `/wp-json` if they differ. An operation without a schema for the body also reads
      the parameters of the query from there. `form`: forms are accepted too. `empty_body`: the
      error code for an empty body, or one of another type. `find_row`: a function that raises a
      404, which comes before the errors of a body that lacks something. `body_list`: the field
      that a body becomes which is a list. `most_bytes`: of a body by HTTP, before it is parsed;
      0 for the general limit. `too_large`: the error code for more.
    - `file`: the name of a file in a form, which the view gets as `call.incoming.file`; other files
      are left out. With `is_raw` any other body is the file itself. `most_bytes` may be more than
      the general limit then.
    - `if_match`: the resource whose ETag a write may depend on; without its id in the path, that
      of a list.
    - `safe`: nothing is changed, whatever the method. `responds_early`: a slow result is a 202
      whose `Location` will have it. `repeatable`: whether a create accepts an
      `Idempotency-Key`; `reads_key`: whether the view itself does. `batch`: whether it may be in
      a batch.
    - `render`: a function of the loaded body and the caller that renders its texts, which is slow:
      it is called before a write blocks others. The view gets its result as `call.rendered`.
    - `headers`: those of a response that OpenAPI describes. `errors`: the codes that do not follow
      from the other fields, see `error_codes`, and the errors of a part.
    """

    view: View
    name: str
    methods: tuple[str, ...]
    path: str
    response: Returned = None
    wordpress_response: Schema | None = None
    invalid: Returned = None
    other_type: str = ""
    many: bool = False
    status: int = 200
    headers: tuple[str, ...] = ()
    scope: str | None = None
    public: bool = False
    denied: str = "rest_forbidden"
    query: Schema | None = None
    wordpress_query: Schema | None = None
    body: Schema | None = None
    wordpress_body: Schema | None = None
    form: bool = False
    empty_body: str = ""
    find_row: FindRow | None = None
    body_list: str = ""
    most_bytes: int = 0
    too_large: str = "rest_body_too_large"
    file: str = ""
    is_raw: bool = False
    example: Row | None = None
    if_match: str = ""
    safe: bool = False
    responds_early: bool = False
    repeatable: bool = True
    reads_key: bool = False
    batch: bool = True
    render: Render | None = None
    errors: tuple[str | type[PartError], ...] = ()

    @cached_property
    def is_read(self) -> bool:
        """Whether the operation is a GET."""
        return "GET" in self.methods

    @cached_property
    def is_write(self) -> bool:
        """Whether the operation may change something."""
        return not (self.is_read or self.safe)

    @cached_property
    def is_conditional_read(self) -> bool:
        """Whether `If-None-Match` may be answered with 304."""
        return self.is_read and "ETag" in self.headers

    @cached_property
    def is_repeatable_create(self) -> bool:
        """Whether the first reply is stored for an `Idempotency-Key`."""
        return self.status == 201 and self.repeatable

    @cached_property
    def takes_idempotency_key(self) -> bool:
        """Whether the operation accepts an `Idempotency-Key`."""
        return self.is_repeatable_create or self.reads_key

    @cached_property
    def takes_body(self) -> bool:
        """Whether the operation has a body, not only parameters in one."""
        return self.body is not None or self.form

    @cached_property
    def is_form_of_visitors(self) -> bool:
        """Whether visitors send a form to it."""
        return self.form and self.public and self.is_write

    @cached_property
    def checks_names(self) -> bool:
        """Whether unknown names are reported."""
        return self.query is None or self.query.unknown != INCLUDE

    @cached_property
    def list_parameters(self) -> frozenset[str]:
        """The parameters that may be repeated; below `/wp-json` the last one counts."""
        fields = self.query.load_fields if self.query else {}
        return frozenset({"_fields", *(key for key in fields if isinstance(fields[key], ListOf))})

    @cached_property
    def error_codes(self) -> dict[int, list[str]]:
        """The error statuses, each with its codes."""
        codes = [error if isinstance(error, str) else error.code for error in self.errors]
        codes += (self.denied, *COMMON_CODES)
        codes += WRITE_CODES if self.is_write else ()
        codes += (self.empty_body,) if self.empty_body else ()
        checks_type = self.form or self.body is None
        codes += ("rest_unsupported_media_type",) if checks_type else ()
        codes += IF_MATCH_CODES if self.if_match else ()
        codes += ("rest_idempotency_key_reused",) if self.takes_idempotency_key else ()
        statuses: dict[int, list[str]] = {}
        for code in dict.fromkeys(codes):
            for status in all_error_codes()[code][0]:
                statuses.setdefault(status, []).append(code)
        if "<" in self.path:
            statuses.setdefault(404, []).append("rest_no_route")
        return statuses

    @cached_property
    def response_schemas(self) -> tuple[Schema, ...]:
        """The schemas of the responses."""
        if isinstance(self.response, Mapping):
            return tuple(self.response.values())
        return (self.response,) if isinstance(self.response, Schema) else ()


@cache
def path_variables(path: str) -> tuple[str, ...]:
    """Return the names of the variables in the path of a route."""
    return tuple(re.findall(r"<(\w+)>", path))


@dataclass(frozen=True, eq=False)
class Route:
    """A path and its operations by method; `wordpress_base` may be empty."""

    path: str
    wordpress_base: str
    operations: Mapping[str, Operation]

    @property
    def rules(self) -> list[str]:
        """The path, and that below `/wp-json` if there is one."""
        return [self.path, *([self.wordpress_base + self.path] if self.wordpress_base else [])]

    @property
    def methods(self) -> dict[Operation, list[str]]:
        """The methods of each operation, with HEAD beside GET."""
        methods: dict[Operation, list[str]] = defaultdict(list)
        for method, operation in self.operations.items():
            methods[operation] += ["GET", "HEAD"] if method == "GET" else [method]
        return dict(methods)

    def allowed(self, may: Callable[[Operation], bool] = lambda operation: True) -> str:
        """Return the header `Allow` with the methods of the operations that pass `may`."""
        allowed = [method for method, operation in self.operations.items() if may(operation)]
        head = ["HEAD"] if "GET" in allowed else []
        return ", ".join([*allowed, *head, "OPTIONS"])


class Resource:
    """The operations of a resource.

    `wordpress_base`: the prefix of their paths in WordPress; empty if there are none. `http_only`:
    the Python API has none of them.
    """

    def __init__(self, wordpress_base: str = "", *, http_only: bool = False) -> None:
        self.wordpress_base, self.http_only = wordpress_base, http_only
        self.paths: dict[str, dict[str, Operation]] = defaultdict(dict)
        # The decorators for operations with one method, such as `@RESOURCE.get("/pages", ...)`.
        self.get = partial(self.operation, "GET")
        self.post = partial(self.operation, "POST")
        self.put = partial(self.operation, "PUT")
        self.patch = partial(self.operation, "PATCH")
        self.delete = partial(self.operation, "DELETE")

    def operation(self, methods: str, path: str, **declared: Any) -> Callable[[View], View]:
        """Return the decorator that adds a view at a path, such as `/pages/<page_id>`.

        `methods` are separated by blanks, the usual one first. `declared` are the other fields of
        `Operation`.
        """

        def add(view: View) -> View:
            fields = {"name": view.__name__, **declared}
            operation = Operation(view=view, methods=tuple(methods.split()), path=path, **fields)
            self.paths[path] |= dict.fromkeys(operation.methods, operation)
            return view

        return add


def all_routes(resources: Iterable[Resource]) -> list[Route]:
    """Return the routes of resources, in the order of declaration."""
    return [
        Route(
            path,
            resource.wordpress_base,
            {method: operations[method] for method in METHODS if method in operations},
        )
        for resource in resources
        for path, operations in resource.paths.items()
    ]


class RouteTable:
    """A table to find the route of a path without Flask."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = [*routes]

    @cached_property
    def _adapter(self) -> MapAdapter:
        # Created at first use, as rules are slow to compile.
        rules = [Rule(rule, endpoint=route) for route in self._routes for rule in route.rules]
        return Map(rules, strict_slashes=False, merge_slashes=False).bind("")

    def find(self, path: str) -> tuple[Route, Mapping[str, str]] | None:
        """Return the route of a path and its variables, or None."""
        try:
            route, variables = self._adapter.match(path)
        except HTTPException:
            return None
        return route, variables


def wordpress_path(route: Route) -> str | None:
    """Return the path of a route below `/wp-json`, or None."""
    path = next((rule for rule in route.rules if rule.startswith(WP_JSON)), None)
    return None if path is None else path.removeprefix(WP_JSON) or "/"


def describe_route(route: Route) -> JsonObject:
    """Return the namespace of a route, its methods and their arguments."""
    path = wordpress_path(route) or ""
    is_batched = any(item.is_write and item.batch for item in route.operations.values())
    batched = {"allow_batch": {"v1": True}} if is_batched else {}
    return {
        "namespace": next((space for space in NAMESPACES if path.startswith(f"/{space}")), ""),
        "methods": list(route.operations),
        "endpoints": [
            {"methods": [method], **batched, "args": _arguments(operation)}
            for method, operation in route.operations.items()
        ],
    }


def _arguments(operation: Operation) -> JsonObject:
    """Return the arguments of an operation for clients of WordPress: types, bounds, defaults."""
    schemas = filter(None, (operation.query, operation.wordpress_body or operation.body))
    fields: JsonObject = {}
    for schema in schemas:
        fields |= schema.load_fields
    arguments: JsonObject = {}
    for name, field in fields.items():
        if isinstance(field, Ignored):
            continue
        described = {"required": field.required, **field.wordpress_type}
        default = field.load_default
        if default is not missing and default is not None and not field.root.partial:
            described["default"] = default() if callable(default) else default
        arguments[name] = add_choices(described, field.choices)
    return arguments
