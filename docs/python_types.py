"""Writes `service/python/operations.pyi`, the types of the Python API, from contracts and schemas.

`make types` runs it; a test holds the file against the declarations.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, get_args, get_origin

from marshmallow import INCLUDE, Schema

from landform.parts import all_parts
from landform.schemas import feeds, fields, pages
from landform.schemas.fields import AnyList, Nested
from landform.service.operations import Operation, Route, path_variables
from landform.service.python.calls import takes_any_name
from landform.service.python.operations import keyword_arguments, operations

STUB = Path(__file__).parents[1] / "service/python/operations.pyi"
HEAD = '''"""The types of the Python API, written by `make types` from the contracts and schemas."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Required, TypedDict, Unpack, overload

from landform.service.operations import Operation, Route
from landform.service.python.calls import Listed

def operations(parts: tuple[type, ...]) -> dict[str, tuple[Route, Operation]]: ...

def keyword_arguments(operation: Operation) -> list[str]: ...

class Operations:
    """Every operation of the HTTP API as a method."""

    def _call(self, route: Route, operation: Operation, arguments: dict[str, Any]) -> Any: ...
'''
NOT_IN_SCHEMAS = {
    "_fields": "str | Sequence[str]", "if_match": "str | Mapping[str, Any]",
    "idempotency_key": "str",
}  # fmt: skip


# The types of fields by their classes; the first one that fits counts.
DECLARED = (
    (fields.RawText, "str | Mapping[str, str]"),
    (fields.Text, "str"),
    (fields.Integer, "int"),
    (fields.Flag, "bool"),
    (fields.DateTime, "datetime | str"),
    (feeds.Settings, "Mapping[str, Any]"),
    (feeds.StoredSettings, "dict[str, Any]"),
    (pages.StoredMeta, "PageMeta"),
)


def declared_type(field: Any) -> str:
    """Return the type of a field by its class; empty if its `kind` is the type."""
    if isinstance(field, fields.Constant):
        return f"Literal[{field.constant!r}]"
    if isinstance(field, fields.ListOf):
        inner = declared_type(field.inner)
        is_list = isinstance(field, fields.JsonList)
        return f"Sequence[{inner or 'Any'}]" if is_list else f"{inner} | Sequence[{inner}]"
    types = (name for kind, name in DECLARED if isinstance(field, kind))
    # A field of a part names its own.
    return next(types, getattr(field, "python_type", ""))


def taken_type(field: Any) -> str:
    """Return the type of an argument, which may be None where null may be sent."""
    kind = declared_type(field) or "Any"
    if field.choices:
        literal = ", ".join(f'"{choice}"' for choice in field.choices)
        kind = kind.replace("str", f"Literal[{literal}]")
    if isinstance(field, Nested):
        kind = f"{field.kind.__name__}Values"
    return f"{kind} | None" if field.allow_none and kind != "Any" else kind


def typed_dict(name: str, doc: str, members: Mapping[str, str], total: bool = True) -> str:
    """Return the code of a TypedDict."""
    head = f"class {name}(TypedDict{'' if total else ', total=False'}):"
    lines = [f"    {member}: {kind}" for member, kind in members.items()]
    return "\n".join([head, f'    """{doc}"""', "", *lines, ""])


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (thing.__doc__ or "").strip().partition("\n")[0]


def responses(operation: Operation) -> dict[str, Schema]:
    """Return the schemas of what an operation responds, by context."""
    if isinstance(operation.response, Mapping):
        return dict(operation.response)
    return {"": operation.response} if isinstance(operation.response, Schema) else {}


def schemas_in(kind: Any) -> list[Schema]:
    """Return the schemas that a type consists of, or one that a function returns."""
    if isinstance(kind, FunctionType):
        return schemas_in(kind())
    if isinstance(kind, type) and issubclass(kind, Schema):
        return [kind()]
    return [schema for one in get_args(kind) for schema in schemas_in(one)]


def nested(schemas: Iterable[Schema], part: str) -> Iterator[Schema]:
    """Yield schemas and those inside them, the inner ones first; `part`: load or dump fields."""
    for schema in schemas:
        fields: Iterable[Any] = getattr(schema, part).values()
        yield from nested([one for field in fields for one in schemas_in(field.kind)], part)
        yield schema


def shown_type(field: Any) -> str:
    """Return the type of a field of a response."""
    kind = declared_type(field) or type_name(field.kind)
    return f"{kind} | None" if field.allow_none else kind


def is_open(kind: Any) -> bool:
    """Return whether a type is a schema of objects that may have any other keys."""
    return isinstance(kind, type) and issubclass(kind, Schema) and kind().unknown == INCLUDE


def type_name(kind: Any) -> str:
    """Return the name of a type, or of one that a function returns; open objects have none."""
    if isinstance(kind, FunctionType):
        return type_name(kind())
    if is_open(kind):
        return "dict[str, Any]"
    inner = ", ".join(type_name(one) for one in get_args(kind))
    return f"{get_origin(kind).__name__}[{inner}]" if inner else str(kind.__name__)


def results(operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield the name and the code of each type that an operation returns."""
    for schema in nested(responses(operation).values(), "dump_fields"):
        if is_open(type(schema)):
            continue
        fields: dict[str, Any] = schema.dump_fields
        members = {key: shown_type(one) for key, one in fields.items()}
        name = type(schema).__name__
        yield name, typed_dict(name, first_line(schema), members)


def arguments(operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield the name and the code of each type that an operation takes."""
    whole = [*filter(None, [operation.query, operation.body])]
    for schema in nested(whole, "load_fields"):
        if schema in whole:
            continue
        members = {key: taken_type(field) for key, field in schema.load_fields.items()}
        name = f"{type(schema).__name__}Values"
        yield name, typed_dict(name, first_line(schema), members, total=False)
    taken = {name: argument_type(operation, name) for name in keyword_arguments(operation)}
    if len(overloads(operation)) > 1:
        del taken[next(iter(overloads(operation))).partition(":")[0]]
    yield (
        camel(operation.name),
        typed_dict(camel(operation.name), f"What `{operation.name}` takes.", taken, total=False),
    )


def argument_type(operation: Operation, name: str) -> str:
    """Return the type of an argument of an operation."""
    for schema in filter(None, [operation.query, operation.body]):
        if field := schema.load_fields.get(name):
            kind = taken_type(field)
            return f"Required[{kind}]" if field.required and not schema.partial else kind
    return NOT_IN_SCHEMAS[name]


def camel(name: str) -> str:
    """Return a name as a class has it."""
    return "".join(part.capitalize() for part in name.split("_"))


def overloads(operation: Operation) -> dict[str, str]:
    """Return what a method returns, by the argument that it depends on as that is declared."""
    kinds = {key: returned(operation, schema) for key, schema in responses(operation).items()}
    query = operation.query.load_fields if operation.query else {}
    if set(kinds) == {"", "force"}:
        named = {"": "force: Literal[False] = False", "force": "force: Literal[True]"}
    elif len(kinds) > 1 and "context" in query:
        default = query["context"].load_default
        named = {
            key: f'context: Literal["{key}"]' + f' = "{key}"' * (key == default) for key in kinds
        }
    else:
        kind = "str" if isinstance(operation.response, str) else "Any"
        return {"": " | ".join(dict.fromkeys(kinds.values())) or kind}
    return {named[key]: kind for key, kind in kinds.items()}


def returned(operation: Operation, schema: Schema) -> str:
    """Return the type of a response."""
    name = type_name(type(schema))
    return f"Listed[{name}]" if operation.many else name


def method(route: Route, operation: Operation) -> str:
    """Return the code of a method, with its overloads."""
    ids, found = path_variables(route.path), overloads(operation)
    # A `TypedDict` cannot have any names.
    kinds = "Any" if takes_any_name(operation) else f"Unpack[{camel(operation.name)}]"
    takes = ["self", *(f"{one}: int | str" for one in ids), *["/"] * bool(ids)]
    code = ""
    for argument, kind in found.items():
        named = [
            *(["*", argument] if argument else []),
            f"**arguments: {kinds}",
        ]
        code += "    @overload\n" if len(found) > 1 else ""
        code += f"    def {operation.name}({', '.join([*takes, *named])}) -> {kind}:\n"
        code += f'        """{first_line(operation.view)}"""\n'
    return code


def stub() -> str:
    """Return the code of the stub."""
    declared = operations(tuple(all_parts().values()))
    meta = pages.PageMeta().fields
    kinds = {name: "list[Any]" if isinstance(f, AnyList) else "str" for name, f in meta.items()}
    types = {"PageMeta": typed_dict("PageMeta", "The custom fields of a page.", kinds)}
    for _, one in declared.values():
        types |= dict(results(one)) | dict(arguments(one))
    return (
        HEAD + "".join(method(*one) for one in declared.values()) + "\n" + "\n".join(types.values())
    )


if __name__ == "__main__":
    STUB.write_text(stub())
