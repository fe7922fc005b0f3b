"""The body of each response is what the schema of its operation dumps: no field more, none less."""

import re
from collections.abc import Iterator, Mapping
from inspect import isfunction
from types import UnionType
from typing import Any, Union, get_args, get_origin

from applications import Client
from flask import Flask
from marshmallow import INCLUDE, Schema
from part_tables import WORDPRESS_ROUTES, tables

from landform.schemas import wordpress
from landform.schemas.fields import UtcTime, columns_of
from landform.service.pages.dump import CONTEXTS as PAGES
from landform.service.pages.dump import WORDPRESS_CONTEXTS
from landform.service.pipeline.call import Urls
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.operations import Operation, RouteTable
from landform.service.resources import HOME

ROUTES = (HOME, *WORDPRESS_ROUTES)
FIND = RouteTable(ROUTES).find
OPERATIONS = {
    (operation, rule)
    for route in ROUTES
    for operation in route.operations.values()
    for rule in route.rules
}
FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"feedName": "Newsletter"}}
JSON_TYPES = {"string": str, "object": dict, "array": list}
CONTEXTS = ("view", "embed", "edit")


def wrong(kind: Any, value: Any, path: str = "body") -> Iterator[str]:
    """Yield where a value is not of a kind: a type, or a schema that dumps it."""
    # The fields of events come from all parts, so that a function returns their schema.
    kind = kind() if isfunction(kind) else kind
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return
    if origin in (Union, UnionType):
        if all([*wrong(one, value, path)] for one in inner):
            yield f"{path} is {value!r}, not {kind}"
    elif isinstance(kind, type) and issubclass(kind, Schema):
        yield from wrong_object(kind(), value, path)
    elif type(value) is not origin and not (kind is float and type(value) is int):
        yield f"{path} is {value!r}, not {kind}"
    elif origin is list and inner:
        for number, item in enumerate(value):
            yield from wrong(inner[0], item, f"{path}[{number}]")
    elif origin is dict and inner:
        for name, item in value.items():
            yield from wrong(inner[1], item, f"{path}.{name}")


def wrong_object(schema: Schema, value: Any, path: str) -> Iterator[str]:
    """Yield where an object has not the fields of a schema, or not their types."""
    if not isinstance(value, Mapping):
        yield f"{path} is {value!r}, not an object"
        return
    fields: Mapping[str, Any] = schema.dump_fields
    required = {name for name, field in fields.items() if field.required}
    others = set() if schema.unknown == INCLUDE else value.keys() - fields.keys()
    for name in (required - value.keys()) | others:
        yield f"{path}.{name} is missing, or is no field of {type(schema).__name__}"
    for name in fields.keys() & value.keys():
        field, item = fields[name], value[name]
        if hasattr(field, "constant"):
            if item != field.constant:
                yield f"{path}.{name} is {item!r}, not {field.constant!r}"
        elif not ((field.allow_none or isinstance(field, UtcTime)) and item is None):
            kind = JSON_TYPES[field.json_type["type"]] if field.json_type else field.kind
            yield from wrong(kind, item, f"{path}.{name}")


def schema_of(operation: Operation, path: str) -> Any:
    """Return the schema of an operation's response at a URL."""
    response: Any = operation.response
    if isinstance(response, Mapping):
        query = dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)
        named = next((name for name in ("force", "diff") if name in query), next(iter(response)))
        response = response[query.get("context", named)]
    name = type(response).__name__
    if path.startswith("/wp-json") and name.startswith("Page"):
        return getattr(wordpress, name.replace("Page", "WordPress", 1))()
    return response


class Checker:
    """Sends requests, and holds each response against the schema of its operation."""

    def __init__(self, client: Client) -> None:
        self.client, self.checked = client, set[tuple[Operation, str]]()
        self.wrong = list[str]()

    def __call__(self, method: str, path: str, body: object = None, **sent: Any) -> Any:
        response = self.client.open(path, method=method, **(sent or {"json": body}))
        found = FIND(path.partition("?")[0])
        assert found, path
        route, _ = found
        operation = route.operations[method]
        number = path.startswith("/wp-json") and len(route.rules) == 2
        self.checked.add((operation, route.rules[number]))
        is_invalid = response.status_code == 400 and operation.invalid
        assert response.status_code < 300 or is_invalid, response.text
        # Parameters have the names that are described.
        assert "X-Landform-Ignored" not in response.headers, path
        value = response.get_json()
        schema = operation.invalid if is_invalid else schema_of(operation, path)
        if isinstance(schema, str):
            problems = iter([] if value == schema else [f"{value!r} is not {schema!r}"])
        else:
            kind: Any = type(schema) if isinstance(schema, Schema) else schema
            kind = list[kind] if operation.many else kind
            problems = wrong(kind, value)
        self.wrong += [f"{method} {path}: {problem}" for problem in problems]
        return value


def use_pages(check: Checker, base: str) -> None:
    page = check("POST", f"{base}/pages", {"title": "Fair", "status": "publish", "content": "A"})
    one = f"{base}/pages/{page['id']}"
    check("POST", one, {"content": "B", "meta": {"form_id": "3"}})
    for context in CONTEXTS:
        check("GET", f"{one}?context={context}")
        check("GET", f"{base}/pages?context={context}")
    for use in tables("use_page"):
        use(check, base, one)
    if not base:
        check("DELETE", f"/pages/{check('POST', f'{one}/duplicate')['id']}")
        check("POST", f"{one}/preview")
        check("GET", f"{one}/preview")
        check("DELETE", f"{one}/preview")
        check("POST", "/pages/preview", {"title": "Not stored"})
        check("GET", "/pages/counts")
    check("DELETE", one)
    check("DELETE", f"{one}?force=true")


def use_feeds(check: Checker, base: str) -> None:
    feed = check("POST", f"{base}/feeds", FEED)
    one = f"{base}/feeds/{feed['id']}"
    check("GET", one)
    check("PUT", one, FEED)
    check("PATCH", one, {"meta": {"feedName": "Letter"}})
    check("PUT", f"{one}/properties", {"is_active": "1"})
    check("GET", f"{base}/feeds")
    form = f"{base}/forms/3/feeds"
    check("POST", form, FEED)
    copy = check("POST", f"{one}/duplicate")
    feeds = check("GET", form)
    check("PUT", f"{form}/order", {"feeds": [one["id"] for one in feeds]})
    check("POST", f"{form}/plan", {"entry": {"1": "a"}, "explain": True})
    for use in tables("use_feed"):
        use(check, base, one)
    check("DELETE", f"{base}/feeds/{copy['id']}")


def use_others(check: Checker) -> None:
    check("GET", "/")
    check("GET", "/whoami")
    check("GET", "/events")
    for use in tables("use"):
        use(check)


def test_each_response_is_what_the_schema_of_its_operation_dumps(app: Flask) -> None:
    check = Checker(Client(app))
    for prefix in ("", "/wp-json"):
        use_pages(check, prefix and f"{prefix}/wp/v2")
        use_feeds(check, prefix and f"{prefix}/gf/v2")
    use_others(check)
    assert check.wrong == []
    expected = {(operation.name, rule) for operation, rule in OPERATIONS if operation.response}
    assert {(operation.name, rule) for operation, rule in check.checked} == expected


def test_only_what_parts_name_has_no_schema() -> None:
    without = {rule for operation, rule in OPERATIONS if not operation.response}
    plain = "|".join(tables("WITHOUT_SCHEMA"))
    assert [rule for rule in without if not re.fullmatch(plain, rule)] == []


def test_a_page_is_dumped_as_marshmallow_dumps_it() -> None:
    urls = Urls("http://localhost", "http://localhost/wp-json/wp/v2")
    for schema in (*PAGES.values(), *WORDPRESS_CONTEXTS.values()):
        row = {
            **dict.fromkeys(columns_of(schema), "2026-01-31T12:00:00"),
            **{"meta": "{}", "urls": urls, "shows_content": True, "make_excerpt": str},
        }
        assert dumps(schema.dump(row)) == dumps(Schema.dump(schema, row))
        assert len(schema.dump([row, row], many=True)) == 2
