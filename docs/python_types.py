"""Writes the types and methods of the Python API, as the contracts and schemas declare them.

`python docs/python_types.py` writes `service/python/shapes.py` and `service/python/operations.py`;
a test holds both against the declarations.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from marshmallow import Schema, fields

from landform.schemas import fields as own
from landform.schemas import pages
from landform.schemas.field_types import field_type
from landform.service.blueprint import RESOURCES
from landform.service.http.contract import Contract, Operation, Route, all_routes, path_variables
from landform.service.python.caller import header_arguments

FOLDER = Path(__file__).parents[1] / "service/python"
WRITTEN = "Written by `python docs/python_types.py`: change the declarations instead."
LENGTH = 100
SHAPES = f'''"""The types of the Python API: what its methods return, and what they take.

{WRITTEN}
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Required, TypedDict

'''
OPERATIONS = f'''"""The operations of the HTTP API as methods.

{WRITTEN}
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, Unpack, overload

from landform.service.python import shapes
from landform.service.python.values import Listed


class Call(Protocol):
    """What calls an operation by its name, with the ids in its path, and its arguments."""

    def __call__(
        self, name: str, path: tuple[int | str, ...], arguments: Mapping[str, object]
    ) -> Any:
        """Return what it responds."""


class Operations:
    """Every operation of the HTTP API as a method."""

    _call: Call
'''
HEADERS = {"if_match": "str | Mapping[str, Any]", "idempotency_key": "str"}


class Overload(NamedTuple):
    """What a method returns, and for which value of an argument; `argument` as it is declared."""

    returns: str
    name: str = ""
    argument: str = ""


def taken(field: fields.Field[Any]) -> str:
    """Return the type of an argument: of lists and objects any that can be read."""
    if isinstance(field, fields.Nested):
        return f"{type(field.schema).__name__}Values"
    return field_type(field).python.replace("list[", "Sequence[")


def or_none(field: fields.Field[Any]) -> str:
    """Return the type of an argument, which may be None where null may be sent."""
    kind = taken(field)
    return f"{kind} | None" if field.allow_none and kind != "Any" else kind


# The classes.


def typed_dict(name: str, doc: str, members: Mapping[str, str], total: bool = True) -> str:
    """Return the code of a TypedDict."""
    head = f"class {name}(TypedDict{'' if total else ', total=False'}):"
    lines = [f"    {member}: {kind}" for member, kind in members.items()]
    return "\n".join([head, f'    """{doc}"""', "", *lines, ""])


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (thing.__doc__ or "").strip().partition("\n")[0]


def response_schemas(contract: Contract) -> list[Schema]:
    """Return the schemas of what an operation responds."""
    if isinstance(contract.response, Mapping):
        return list(contract.response.values())
    return [contract.response] if isinstance(contract.response, Schema) else []


def nested(schemas: Iterable[Schema], part: str) -> Iterator[Schema]:
    """Yield schemas and those inside them, the inner ones first; `part`: load or dump fields."""
    for schema in schemas:
        found = [getattr(f, "inner", f) for f in getattr(schema, part).values()]
        inner = [f.schema for f in found if isinstance(f, fields.Nested)]
        yield from nested(inner, part)
        yield schema


def results(operations: Iterable[Operation]) -> dict[str, str]:
    """Return the code of the types of everything that operations return, by name."""
    meta = pages.PageMeta().fields
    kinds = {name: "list[Any]" if isinstance(f, fields.List) else "str" for name, f in meta.items()}
    found = {"PageMeta": typed_dict("PageMeta", "The custom fields of a page.", kinds)}
    for operation in operations:
        for schema in nested(response_schemas(operation.contract), "dump_fields"):
            name = type(schema).__name__
            members = {key: field_type(field).python for key, field in schema.dump_fields.items()}
            found[name] = typed_dict(name, first_line(schema), members)
    return found


def arguments(operations: Iterable[Operation]) -> dict[str, str]:
    """Return the code of the types of everything that operations take, by name."""
    found: dict[str, str] = {}
    for operation in operations:
        contract = operation.contract
        inner = list(nested(filter(None, [contract.body]), "load_fields"))
        for schema in inner[:-1]:
            name = f"{type(schema).__name__}Values"
            members = {key: or_none(field) for key, field in schema.load_fields.items()}
            found[name] = typed_dict(name, first_line(schema), members, total=False)
        name = camel(operation.name)
        found[name] = typed_dict(
            name, f"What `{operation.name}` takes.", taken_by(operation), total=False
        )
    return found


def taken_by(operation: Operation) -> dict[str, str]:
    """Return the arguments of an operation with their types, but the one that overloads have."""
    contract = operation.contract
    members: dict[str, str] = {}
    for schema in filter(None, [contract.query, contract.body]):
        for name, field in schema.load_fields.items():
            if not isinstance(field, own.Ignored):
                needed = field.required and not schema.partial
                members[name] = f"Required[{or_none(field)}]" if needed else or_none(field)
    members |= {name: HEADERS[name] for name in header_arguments(contract)}
    if not isinstance(contract.response, str):
        members["_fields"] = "str | Sequence[str]"
    for one in overloads(operation):
        members.pop(one.name, None)
    return members


# The methods.


def camel(name: str) -> str:
    """Return a name as a class has it."""
    return "".join(part.capitalize() for part in name.split("_"))


def overloads(operation: Operation) -> list[Overload]:
    """Return what the method of an operation returns, depending on its arguments."""
    contract = operation.contract
    response, names = contract.response, contract.query.load_fields if contract.query else {}
    if not isinstance(response, Mapping):
        return [Overload(returned(contract, response))]
    kinds = {key: returned(contract, schema) for key, schema in response.items()}
    if set(kinds) == {"", "force"}:
        return [
            Overload(kinds[""], "force", "force: Literal[False] = False"),
            Overload(kinds["force"], "force", "force: Literal[True]"),
        ]
    if "context" not in names:
        return [Overload(" | ".join(dict.fromkeys(kinds.values())))]
    default = names["context"].load_default
    return [
        Overload(kind, "context", f'context: Literal["{key}"]' + f' = "{key}"' * (key == default))
        for key, kind in kinds.items()
    ]


def returned(contract: Contract, response: object) -> str:
    """Return the type of a response."""
    if not isinstance(response, Schema):
        return "str" if isinstance(response, str) else "Any"
    name = f"shapes.{type(response).__name__}"
    if contract.many:
        return f"Listed[{name}]"
    return f"dict[str, {name}]" if contract.keyed else name


def method(route: Route, operation: Operation) -> str:
    """Return the code of a method, with its overloads."""
    ids, name = path_variables(route.path), operation.name
    found = overloads(operation)
    takes = [*(f"{one}: int | str" for one in ids), *["/"] * bool(ids)]
    values = f"**arguments: Unpack[shapes.{camel(name)}]"
    code = ""
    if len(found) > 1:
        for one in found:
            parameters = ["self", *takes, "*", one.argument, values]
            code += f"\n    @overload\n{signature(name, parameters, one.returns)} ...\n"
        parameters, returns = ["self", *takes, "**arguments: Any"], "Any"
    else:
        parameters, returns = ["self", *takes, values], found[0].returns
    path = f"({', '.join(ids)}{',' * (len(ids) == 1)})"
    doc = f"{first_line(operation.view)}\n\n        {described(route, operation)}\n        "
    call = f'self._call("{name}", {path}, arguments)'
    # A checker wants to be told what Any is.
    body = (
        f"return {call}" if returns == "Any" else f"found: {returns} = {call}\n        return found"
    )
    head = f"{code}\n{signature(name, parameters, returns)}\n"
    return f'{head}        """{doc}"""\n        {body}\n'


def described(route: Route, operation: Operation) -> str:
    """Return a sentence on which operation of the HTTP API a method is."""
    contract = operation.contract
    verb = contract.methods.split()[0]
    scope = f" It needs the scope {contract.scope}." if contract.scope else ""
    return f"This is `{verb} {route.path}`.{scope}"


def signature(name: str, parameters: list[str], returns: str) -> str:
    """Return the head of a method."""
    inside = ", ".join(parameters)
    line = f"    def {name}({inside}) -> {returns}:"
    if len(line) <= LENGTH:
        return line
    if len(inside) + 8 > LENGTH:
        inside = ",\n        ".join(parameters) + ","
    return f"    def {name}(\n        {inside}\n    ) -> {returns}:"


def write() -> dict[Path, str]:
    """Return the code of each file."""
    routes = all_routes(RESOURCES)
    # By name: a view may have several methods.
    found = {one.name: (route, one) for route in routes for one in route.operations.values()}
    operations = [operation for _, operation in found.values()]
    classes = {**results(operations), **arguments(operations)}
    methods = "".join(method(route, operation) for route, operation in found.values())
    return {
        FOLDER / "shapes.py": SHAPES + "\n" + "\n\n".join(classes.values()),
        FOLDER / "operations.py": OPERATIONS + methods,
    }


if __name__ == "__main__":
    for file, code in write().items():
        file.write_text(code)
