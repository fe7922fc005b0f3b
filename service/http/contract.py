"""Operations: what each takes and returns is declared beside its view, once.

Routes, the `Allow` of a 405, the check of scopes, OpenAPI and the routes that logs and metrics
know follow from the declarations.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, NamedTuple, ParamSpec

from flask import Response
from marshmallow import INCLUDE, Schema, missing

from landform.schemas.fields import Ignored
from landform.schemas.known_names import KnownNames
from landform.service.json_codec import JsonObject
from landform.storage.rows import Row

API = "/wp-json"
NAMESPACES = ("wp/v2", "gf/v2")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
# What clients of WordPress and Gravity Forms send with any request, beside what has an effect in
# any: a language of messages, a nonce, a context, credentials, a signature.
OF_EVERY_QUERY = (
    "_fields", "_embed", "_envelope", "_method", "_locale", "_wpnonce", "context", "rest_route",
    "consumer_key", "consumer_secret",
)  # fmt: skip
OAUTH = ("oauth_",)
# What responses to `_embed` hold beside what their schemas show.
EMBEDDED = ("_embedded",)

P = ParamSpec("P")
View = Callable[..., Response]


@dataclass(frozen=True)
class Contract:
    """The declaration of what an operation takes and returns.

    `methods` are separated by blanks, the usual one first. Without `scope` credentials will do, of
    any scope, and none are needed where it is `public`. `denied`: the code of the error for callers
    without the scope. The schema of the `body` also reads forms where `form` says so; an empty body
    is refused with the code `empty_body`, and a list stands for an object with the field
    `body_list`. `response` maps contexts to schemas, or is one schema or a constant text; of `many`
    it is a list. `wp_json_response` is that below `/wp-json` where it is another one. `if_match` is
    the resource whose ETag a write may be conditional on; `feeds` for their list. A `safe` one
    changes nothing, whatever its method. A create that is not `repeatable` takes no
    `Idempotency-Key`. One that writes may be in a `batch`. `errors` do not follow from the rest.
    """

    methods: str
    path: str
    response: Mapping[str, Schema] | Schema | str | None = None
    wp_json_response: Schema | None = None
    many: bool = False
    status: int = 200
    headers: tuple[str, ...] = ()
    scope: str | None = None
    public: bool = False
    denied: str = "rest_forbidden"
    query: Schema | None = None
    body: Schema | None = None
    form: bool = False
    empty_body: str = ""
    example: Row | None = None
    if_match: str = ""
    safe: bool = False
    repeatable: bool = True
    batch: bool = True
    body_list: str = ""
    errors: tuple[str, ...] = ()

    @cached_property
    def is_read(self) -> bool:
        """Whether the operation changes nothing."""
        return self.methods == "GET"

    @cached_property
    def is_write(self) -> bool:
        """Whether the operation may change something."""
        return not (self.is_read or self.safe)

    @cached_property
    def is_conditional_read(self) -> bool:
        """Whether `If-None-Match` may be answered with 304."""
        return self.is_read and "ETag" in self.headers

    @cached_property
    def creates(self) -> bool:
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
    def has_names(self) -> bool:
        """Whether the names in a request mean anything: a page of documentation takes any."""
        return self.query is None or self.query.unknown != INCLUDE

    @cached_property
    def known_parameters(self) -> KnownNames:
        """The names that a query may have."""
        return KnownNames(self.query, also=OF_EVERY_QUERY, prefixes=OAUTH)

    @cached_property
    def known_fields(self) -> tuple[KnownNames, KnownNames]:
        """The names that a body may have, which may be a response: here, and below `/wp-json`."""
        if not self.body:
            return self.known_parameters, self.known_parameters
        shown = self.response.values() if isinstance(self.response, Mapping) else [self.response]
        own = KnownNames(self.body, [one for one in shown if isinstance(one, Schema)])
        peer = self.wp_json_response
        return own, KnownNames(self.body, [peer], EMBEDDED) if peer else own


def path_variables(path: str) -> list[str]:
    """Return the names of the variables in a path."""
    return re.findall(r"<(\w+)>", path)


class Operation(NamedTuple):
    """A view and its contract."""

    view: View
    contract: Contract

    @property
    def name(self) -> str:
        """The name of the view."""
        return self.view.__name__


@dataclass(frozen=True, eq=False)
class Route:
    """A path, what stands before it in WordPress if that has it, and its operations by method."""

    path: str
    wp_json: str
    operations: Mapping[str, Operation]

    @property
    def rules(self) -> list[str]:
        """The path, and the one of WordPress if there is one."""
        return [self.path, *([self.wp_json + self.path] if self.wp_json else [])]

    def allowed(self, may: Callable[[Contract], bool] = bool) -> str:
        """Return the methods as `Allow` lists them, of the operations that somebody `may` run."""
        found = [name for name, operation in self.operations.items() if may(operation.contract)]
        head = ["HEAD"] if "GET" in found else []
        return ", ".join([*found, *head, "OPTIONS"])


def _declare(
    make: Callable[P, Contract],
) -> Callable[Concatenate["Resource", P], Callable[[View], View]]:
    def operation(self: "Resource", /, *args: P.args, **kw: P.kwargs) -> Callable[[View], View]:
        """Return the decorator that adds a view with the contract of these arguments."""
        contract = make(*args, **kw)

        def add(view: View) -> View:
            methods = contract.methods.split()
            self.paths[contract.path] |= dict.fromkeys(methods, Operation(view, contract))
            return view

        return add

    return operation


class Resource:
    """The operations of a resource. `wp_json`: what stands before their paths in WordPress."""

    def __init__(self, wp_json: str = "") -> None:
        self.wp_json = wp_json
        self.paths: dict[str, dict[str, Operation]] = defaultdict(dict)

    operation = _declare(Contract)


def all_routes(resources: Iterable[Resource]) -> list[Route]:
    """Return the operations of resources by path, in the order in which these were declared."""
    return [
        Route(path, resource.wp_json, {name: found[name] for name in METHODS if name in found})
        for resource in resources
        for path, found in resource.paths.items()
    ]


def wordpress_name(route: Route) -> str | None:
    """Return a route as it is called below `/wp-json`; None where it is not there."""
    path = next((rule for rule in route.rules if rule.startswith(API)), None)
    return None if path is None else path.removeprefix(API) or "/"


def describe_route(route: Route) -> JsonObject:
    """Return the namespace of a route, its methods, and what each of them takes."""
    name = wordpress_name(route) or ""
    contracts = [operation.contract for operation in route.operations.values()]
    is_batched = any(one.is_write and one.batch for one in contracts)
    batched = {"allow_batch": {"v1": True}} if is_batched else {}
    return {
        "namespace": next((one for one in NAMESPACES if name.startswith(f"/{one}")), ""),
        "methods": list(route.operations),
        "endpoints": [
            {
                "methods": [method],
                **batched,
                "args": _arguments(operation.contract.query) | _arguments(operation.contract.body),
            }
            for method, operation in route.operations.items()
        ],
    }


def _arguments(schema: Schema | None) -> JsonObject:
    """Return each argument that a schema loads: its type, bounds, choices and default."""
    found = schema.load_fields if schema else {}
    return {
        name: _argument(field) for name, field in found.items() if not isinstance(field, Ignored)
    }


def _argument(field: Any) -> JsonObject:
    described = {"required": field.required, **field.wordpress_type}
    described |= {"enum": [*field.choices]} if field.choices else {}
    default = field.load_default
    if default is not missing and default is not None and not field.root.partial:
        described["default"] = default() if callable(default) else default
    return described
