"""The service's description: an OpenAPI 3.1 document, made from the schemas that load and dump.

What it says of parameters, bodies and answers are those schemas; what it says of operations is
`OPERATIONS`, which names a schema for each. Nothing of it is made before somebody asks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from marshmallow import Schema

from landform.schemas import feeds as feed_schemas
from landform.schemas import pages as page_schemas
from landform.schemas import whoami as caller_schemas
from landform.schemas.fields import ListOf
from landform.service import feeds, pages, whoami
from landform.service.openapi.components import (
    ERROR,
    ERRORS,
    FEED_EXAMPLE,
    HEADERS,
    PAGE_EXAMPLE,
    REQUEST_HEADERS,
    SECURITY,
    describe,
)

if TYPE_CHECKING:
    from apispec import APISpec

EXAMPLES: dict[type[Schema], dict[str, Any]] = {
    page_schemas.PageCreate: PAGE_EXAMPLE,
    page_schemas.PageUpdate: {"title": "Winter sale"},
    feed_schemas.FeedCreate: {"form_id": 3, **FEED_EXAMPLE},
    feed_schemas.FormFeedCreate: FEED_EXAMPLE,
    feed_schemas.FeedUpdate: {"form_id": 3, "is_active": True, "feed_order": 1, **FEED_EXAMPLE},
    feed_schemas.FeedPatch: {"meta": {"feedName": "Renamed"}},
    feed_schemas.FeedProperties: {"is_active": False, "feed_order": 2},
}
READ, WRITE, CREATE = ("fields",), ("if_match",), ("idempotency_key",)


@dataclass(frozen=True)
class Described:
    """What the document says of one operation beyond its docstring."""

    answer: tuple[type[Schema], ...] | str
    status: int = 200
    many: bool = False
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    form: bool = False
    headers: tuple[str, ...] = ()
    request: tuple[str, ...] = ()
    errors: tuple[int, ...] = ()
    public: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


EVERY_PAGE = (page_schemas.PageView, page_schemas.PageEmbed, page_schemas.PageEdit)
EDIT = (page_schemas.PageEdit,)
FEED, WRITTEN = (feed_schemas.FeedRead,), (feed_schemas.FeedWritten,)
PAGE_WRITE = Described(
    EDIT, body=page_schemas.PageUpdate, form=True, headers=("ETag", "Last-Modified"),
    request=WRITE, errors=(400, 404, 412, 413, 428),
)  # fmt: skip
FEED_WRITE = (400, 404, 412, 413, 428)

OPERATIONS: dict[Callable[..., Any], Described] = {
    pages.list_pages: Described(
        EVERY_PAGE, many=True, query=page_schemas.PageList, request=(*READ, "if_none_match"),
        headers=("X-WP-Total", "X-WP-TotalPages", "Link", "ETag"), errors=(304, 400), public=True,
    ),
    pages.create_page: Described(
        EDIT, 201, body=page_schemas.PageCreate, form=True, headers=("Location",),
        request=CREATE, errors=(400, 413, 422),
    ),
    pages.get_page: Described(
        EVERY_PAGE, query=page_schemas.PageRead, headers=("ETag", "Last-Modified"),
        request=(*READ, "if_none_match", "page_password"), errors=(304, 400, 404), public=True,
    ),
    pages.update_page: PAGE_WRITE,
    pages.delete_page: Described(
        (page_schemas.PageEdit, page_schemas.PageDeleted), query=page_schemas.PageDelete,
        request=WRITE, errors=(400, 404, 410, 412, 413, 428),
    ),
    whoami.whoami: Described((caller_schemas.Caller,), request=READ),
    feeds.list_feeds: Described(
        FEED, many=True, query=feed_schemas.FeedList, headers=("ETag",),
        request=(*READ, "if_none_match"), errors=(304, 400),
    ),
    feeds.create_feed: Described(
        WRITTEN, 201, body=feed_schemas.FeedCreate, headers=("Location",),
        request=CREATE, errors=(400, 413, 422),
    ),
    feeds.get_feed: Described(
        FEED, query=feed_schemas.FeedFilter, headers=("ETag", "Last-Modified"),
        request=(*READ, "if_none_match"), errors=(304, 400, 404),
    ),
    feeds.update_feed: Described(
        WRITTEN, body=feed_schemas.FeedUpdate, headers=("ETag", "Last-Modified"),
        request=WRITE, errors=FEED_WRITE,
    ),
    feeds.patch_feed: Described(
        WRITTEN, body=feed_schemas.FeedPatch, headers=("ETag", "Last-Modified"),
        request=WRITE, errors=FEED_WRITE,
    ),
    feeds.update_properties: Described(
        "Feed updated successfully", body=feed_schemas.FeedProperties,
        request=WRITE, errors=FEED_WRITE,
    ),
    feeds.delete_feed: Described(
        (feed_schemas.FeedDeleted,), request=WRITE, errors=(404, 412, 428),
    ),
    feeds.list_form_feeds: Described(
        FEED, many=True, query=feed_schemas.FeedFilter, headers=("ETag",),
        request=(*READ, "if_none_match"), errors=(304, 400, 404),
    ),
    feeds.create_form_feed: Described(
        WRITTEN, 201, body=feed_schemas.FormFeedCreate, headers=("Location",),
        request=CREATE, errors=(400, 404, 413, 422),
    ),
}  # fmt: skip
ABOUT = (
    "Landing pages and form feeds over HTTP. Any request may carry the query parameter _envelope: "
    "the answer then is 200, with body, status and headers in its body."
)
ALWAYS = (401, 403, 429, 500, 503, 507)


def document(routes: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    """Return the document of the addresses in a table of routes, its server left open."""
    from apispec import APISpec  # noqa: PLC0415 - only for whoever asks for the document
    from apispec.ext.marshmallow import MarshmallowPlugin  # noqa: PLC0415

    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    info = {"description": ABOUT, "license": {"name": "MIT"}}
    spec = APISpec("landform", version("landform"), "3.1.0", plugins=[plugin], info=info)
    plugin.converter.add_attribute_function(describe)  # type: ignore[union-attr]
    spec.components.schema("Error", ERROR)
    for name, scheme in SECURITY.items():
        spec.components.security_scheme(name, scheme)
    for path, _, operations in routes:
        described = {
            method.lower(): _operation(spec, plugin, path, method, function)
            for method, function in operations.items()
            if function in OPERATIONS
        }
        if described:
            spec.path(path.replace("<", "{").replace(">", "}"), operations=described)
    return spec.to_dict()


def _operation(
    spec: "APISpec", plugin: Any, path: str, method: str, function: Callable[..., Any]
) -> dict[str, Any]:
    told = OPERATIONS[function]
    name = function.__name__
    # One function may serve several methods of an address.
    twin = name == "update_page" and method != "PUT"
    text = (function.__doc__ or "").split("`: ")[-1]
    operation: dict[str, Any] = {
        "operationId": f"{name}_by_{method.lower()}" if twin else name,
        "summary": name.replace("_", " ").capitalize(),
        "description": text[:1].upper() + " ".join(text[1:].split()),
        "tags": [path.strip("/").split("/")[0].replace("forms", "feeds")],
        "parameters": [*_path(path), *_query(plugin, told)],
        "responses": _responses(told),
        "security": [{name: []} for name in SECURITY] + ([{}] if told.public else []),
    }
    if told.body:
        kinds = ["application/json"]
        kinds += ["application/x-www-form-urlencoded"] if told.form else []
        example = {"example": EXAMPLES[told.body]} if told.body in EXAMPLES else {}
        content = {kind: {"schema": _body(told, kind), **example} for kind in kinds}
        operation["requestBody"] = {"required": told.status == 201, "content": content}
    return operation


def _body(told: Described, kind: str) -> Any:
    if told is not PAGE_WRITE or kind != "application/json":
        return told.body
    # An update of nothing may say so in each way that PHP has for it.
    return {"anyOf": [told.body, {"type": "null"}, {"type": "array", "maxItems": 0}]}


def _path(path: str) -> list[dict[str, Any]]:
    names = [part.strip("<>") for part in path.split("/") if part.startswith("<")]
    schema = {"type": "integer", "minimum": 0}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def _query(plugin: Any, told: Described) -> list[dict[str, Any]]:
    parameters = [REQUEST_HEADERS[name] for name in told.request]
    if not told.query:
        return parameters
    for name, one in told.query().fields.items():
        schema = plugin.converter.field2property(one)
        parameter = {"name": name, "in": "query", "schema": schema}
        if isinstance(one, ListOf):
            parameter |= {"style": "form", "explode": False}
        parameters.append(parameter)
    return parameters


def _responses(told: Described) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(told.status): {
            "description": "What was asked for.",
            "headers": {name: HEADERS[name] for name in told.headers},
            "content": {"application/json": {"schema": _answer(told)}},
        }
    }
    for status in sorted({*told.errors, *ALWAYS}):
        responses[str(status)] = ERRORS[status]
    return responses


def _answer(told: Described) -> Any:
    if isinstance(told.answer, str):
        return {"type": "string", "const": told.answer}
    shapes: Any = [*told.answer]
    shape = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    return {"type": "array", "items": shape} if told.many else shape


def _name(schema: Any) -> str:
    return str(getattr(schema, "__name__", type(schema).__name__))
