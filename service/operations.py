"""Operations: what each takes and returns is declared beside its view, once.

Routes, the `Allow` of a 405, the check of scopes, OpenAPI and the routes that logs and metrics
know follow from the declarations.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partialmethod
from typing import Any

from marshmallow import INCLUDE, Schema, missing
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, MapAdapter, Rule

from landform.schemas.fields import Ignored
from landform.service.json_codec import JsonObject
from landform.service.reply import Reply
from landform.storage.rows import Row

WP_JSON = "/wp-json"
NAMESPACES = ("wp/v2", "gf/v2")
WORDPRESS, GRAVITY_FORMS = (f"{WP_JSON}/{name}" for name in NAMESPACES)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

# Takes a `Call`.
Prepare = Callable[..., Any]
# Takes a `Call` and the ids in the path.
View = Callable[..., Reply]


@dataclass(frozen=True, eq=False)
class Operation:
    """A view, and the declaration of what it takes and returns. `Resource` makes it."""

    view: View
    name: str
    methods: tuple[str, ...]
    path: str
    response: Mapping[str, Schema] | Schema | str | None
    wordpress_response: Schema | None
    many: bool
    status: int
    headers: tuple[str, ...]
    scope: str | None
    public: bool
    denied: str
    query: Schema | None
    wordpress_query: Schema | None
    body: Schema | None
    wordpress_body: Schema | None
    form: bool
    empty_body: str
    finds_row_first: bool
    body_list: str
    example: Row | None
    if_match: str
    safe: bool
    responds_early: bool
    repeatable: bool
    batch: bool
    prepare: Prepare | None
    errors: tuple[str, ...]

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
    def takes_idempotency_key(self) -> bool:
        """Whether the operation creates something once, and so takes an `Idempotency-Key`."""
        return self.status == 201 and self.repeatable

    @cached_property
    def needs_body(self) -> bool:
        """Whether a field of the body is required."""
        fields = self.body.load_fields.values() if self.body else ()
        return any(field.required for field in fields)

    @cached_property
    def takes_body(self) -> bool:
        """Whether a body is more than parameters in JSON."""
        return self.body is not None or self.form

    @cached_property
    def checks_names(self) -> bool:
        """Whether unknown names are reported: a page of documentation takes any."""
        return self.query is None or self.query.unknown != INCLUDE

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
    """A path, the base of its twin in WordPress if there is one, and its operations by method."""

    path: str
    wordpress_base: str
    operations: Mapping[str, Operation]

    @property
    def rules(self) -> list[str]:
        """The path, and the one of WordPress if there is one."""
        return [self.path, *([self.wordpress_base + self.path] if self.wordpress_base else [])]

    @property
    def methods(self) -> dict[Operation, list[str]]:
        """The methods of each operation, with HEAD beside GET."""
        methods: dict[Operation, list[str]] = defaultdict(list)
        for method, operation in self.operations.items():
            methods[operation] += ["GET", "HEAD"] if method == "GET" else [method]
        return dict(methods)

    def allowed(self, may: Callable[[Operation], bool] = bool) -> str:
        """Return the methods as `Allow` lists them, of the operations that somebody `may` run."""
        allowed = [method for method, operation in self.operations.items() if may(operation)]
        head = ["HEAD"] if "GET" in allowed else []
        return ", ".join([*allowed, *head, "OPTIONS"])


class Resource:
    """The operations of a resource.

    `wordpress_base`: what stands before their paths in WordPress; empty where they have no twin
    there.
    """

    def __init__(self, wordpress_base: str = "") -> None:
        self.wordpress_base = wordpress_base
        self.paths: dict[str, dict[str, Operation]] = defaultdict(dict)

    def operation(
        self,
        methods: str,
        path: str,
        *,
        name: str = "",
        response: Mapping[str, Schema] | Schema | str | None = None,
        wordpress_response: Schema | None = None,
        many: bool = False,
        status: int = 200,
        headers: tuple[str, ...] = (),
        scope: str | None = None,
        public: bool = False,
        denied: str = "rest_forbidden",
        query: Schema | None = None,
        wordpress_query: Schema | None = None,
        body: Schema | None = None,
        wordpress_body: Schema | None = None,
        form: bool = False,
        empty_body: str = "",
        finds_row_first: bool = False,
        body_list: str = "",
        example: Row | None = None,
        if_match: str = "",
        safe: bool = False,
        responds_early: bool = False,
        repeatable: bool = True,
        batch: bool = True,
        prepare: Prepare | None = None,
        errors: tuple[str, ...] = (),
    ) -> Callable[[View], View]:
        """Return the decorator that adds a view at a path, such as `/pages/<page_id>`.

        - `methods`: separated by blanks, the usual one first.
        - `name`: of the endpoint and of the Python method; by default that of the view.
        - `response`: the schema of the response, one for each context, or a constant text; with
          `many` it is a list of these. `wordpress_response`: that below `/wp-json`.
        - `scope`: what callers need; without one any credentials will do. None are needed where
          it is `public`. `denied`: the code of the error for callers without it.
        - `query`, `body`: the schemas that load them. `wordpress_query`, `wordpress_body`: those
          below `/wp-json` where they differ. Without `body`, parameters may come in a body too.
          `form`: also as a form.
          `empty_body`: the code of the error for an empty one, or one of another type; with
          `finds_row_first` the view refuses an empty one. `body_list`: the field that a list
          stands for.
        - `if_match`: the resource whose ETag a write may depend on; `feeds` for their list.
        - `safe`: changes nothing, whatever its method. `responds_early`: a 202 where it takes
          long; `Location` says where the result will be. `repeatable`: whether a create takes an
          `Idempotency-Key`. `batch`: whether it may be in a batch.
        - `prepare`: does what takes long and needs no database, before others have to wait for a
          write. The view gets what it returns as `call.prepared`.
        - `errors`: the codes that do not follow from the rest.
        """

        def add(view: View) -> View:
            operation = Operation(
                view,
                name or view.__name__,
                tuple(methods.split()),
                path,
                response,
                wordpress_response,
                many,
                status,
                headers,
                scope,
                public,
                denied,
                query,
                wordpress_query,
                body,
                wordpress_body,
                form,
                empty_body,
                finds_row_first,
                body_list,
                example,
                if_match,
                safe,
                responds_early,
                repeatable,
                batch,
                prepare,
                errors,
            )
            self.paths[path] |= dict.fromkeys(operation.methods, operation)
            return view

        return add

    get = partialmethod(operation, "GET")
    post = partialmethod(operation, "POST")
    put = partialmethod(operation, "PUT")
    patch = partialmethod(operation, "PATCH")
    delete = partialmethod(operation, "DELETE")


def all_routes(resources: Iterable[Resource]) -> list[Route]:
    """Return the operations of resources by path, in the order in which these were declared."""
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
    """Finds the route of a path, without Flask."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = [*routes]

    @cached_property
    def _adapter(self) -> MapAdapter:
        # Made when it is first needed, as rules take long to compile.
        rules = [Rule(rule, endpoint=route) for route in self._routes for rule in route.rules]
        return Map(rules, strict_slashes=False, merge_slashes=False).bind("")

    def find(self, path: str) -> tuple[Route, Mapping[str, str]] | None:
        """Return the route of a path, and the variables in it; None for none."""
        try:
            route, variables = self._adapter.match(path)
        except HTTPException:
            return None
        return route, variables


def wordpress_name(route: Route) -> str | None:
    """Return a route as it is called below `/wp-json`; None where it is not there."""
    path = next((rule for rule in route.rules if rule.startswith(WP_JSON)), None)
    return None if path is None else path.removeprefix(WP_JSON) or "/"


def describe_route(route: Route) -> JsonObject:
    """Return the namespace of a route, its methods, and what each of them takes."""
    name = wordpress_name(route) or ""
    is_batched = any(one.is_write and one.batch for one in route.operations.values())
    batched = {"allow_batch": {"v1": True}} if is_batched else {}
    return {
        "namespace": next((one for one in NAMESPACES if name.startswith(f"/{one}")), ""),
        "methods": list(route.operations),
        "endpoints": [
            {
                "methods": [method],
                **batched,
                "args": _wordpress_arguments(operation),
            }
            for method, operation in route.operations.items()
        ],
    }


def _wordpress_arguments(operation: Operation) -> JsonObject:
    """Return the arguments of an operation as clients of WordPress send them."""
    body = operation.wordpress_body or operation.body
    return _arguments(operation.query) | _arguments(body)


def _arguments(schema: Schema | None) -> JsonObject:
    """Return each argument that a schema loads: its type, bounds, choices and default."""
    fields = schema.load_fields if schema else {}
    return {
        name: _argument(field) for name, field in fields.items() if not isinstance(field, Ignored)
    }


def _argument(field: Any) -> JsonObject:
    described = {"required": field.required, **field.wordpress_type}
    described |= {"enum": [*field.choices]} if field.choices else {}
    default = field.load_default
    if default is not missing and default is not None and not field.root.partial:
        described["default"] = default() if callable(default) else default
    return described
