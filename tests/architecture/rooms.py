"""The rooms of landform, which of them may import which, and what the code does import.

A room is a package, or some modules of one. The table goes from the highest room to the lowest.
"""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TOP = ("app.py", "wsgi.py", "gunicorn.conf.py")
FOLDERS = ("standalone", "service", "schemas", "storage")


class Room(NamedTuple):
    """The packages and modules of a room, the rooms it may import, and what it is for."""

    members: tuple[str, ...]
    may_import: tuple[str, ...]
    purpose: str


def _room(members: str, may_import: str, purpose: str) -> Room:
    return Room(tuple(members.split()), tuple(may_import.split()), purpose)


# A module belongs to the longest name that its own begins with: `service.http.body` to "http", a
# new `service.redirects` to "views".
ROOMS = {
    "start": _room(
        "wsgi gunicorn.conf",
        "application standalone",
        "what gunicorn loads",
    ),
    "commands": _room(
        "standalone.__main__ standalone.cli standalone.commands",
        "application standalone planning wordpress errors options auth schemas maintenance "
        "resources "
        "primitives",
        "the command `landform`",
    ),
    "wordpress": _room(
        "standalone.wordpress",
        "rendering options auth schemas maintenance resources primitives",
        "reads a WordPress, to move in from there",
    ),
    "application": _room(
        "app",
        "standalone blueprint http",
        "`create_app`: the blueprint and all that only the service by itself has",
    ),
    "standalone": _room(
        "standalone",
        "http errors options auth resources",
        "settings, probes, logs, metrics",
    ),
    "blueprint": _room(
        "service.__init__ service.blueprint",
        "openapi python views planning http errors options auth",
        "`create_blueprint`: every route of every resource",
    ),
    "openapi": _room(
        "service.openapi",
        "http errors schemas",
        "the OpenAPI document, made from the operations, and its page",
    ),
    "python": _room(
        "service.python",
        "views http errors auth schemas resources",
        "the operations as methods, for a host's own code",
    ),
    "views": _room(
        "service",
        "rendering planning http errors auth schemas resources primitives",
        "one function for each operation",
    ),
    "planning": _room(
        "service.planning",
        "schemas resources primitives",
        "which feeds run for an entry, and why the others do not",
    ),
    "rendering": _room(
        "service.rendering",
        "errors options auth primitives",
        "content as it was sent to HTML as it is shown",
    ),
    "http": _room(
        "service.http",
        "errors options auth schemas resources sql primitives",
        "what every resource needs: request, entity tags, cache, headers",
    ),
    "options": _room(
        "service.options service.option_kinds service.stores",
        "auth errors resources",
        "every option of a blueprint, declared once",
    ),
    "auth": _room(
        "service.auth",
        "errors resources primitives",
        "who is calling, and what they may do",
    ),
    "errors": _room(
        "service.errors service.error_codes service.json_codec",
        "schemas resources",
        "the one error format, and JSON",
    ),
    "schemas": _room(
        "schemas",
        "primitives",
        "what is accepted and what is returned; knows neither request nor database",
    ),
    "maintenance": _room(
        "storage.maintenance",
        "resources sql store engines models primitives",
        "verify, rebuild, copy, import",
    ),
    "resources": _room(
        "storage",
        "sql store engines models primitives",
        "pages, feeds, keys, failed attempts: their queries",
    ),
    "sql": _room(
        "storage.sql",
        "store engines models primitives",
        "prepared statements, versions",
    ),
    "store": _room(
        "storage.store storage.transactions storage.reactions storage.migrating",
        "engines models primitives",
        "connections, transactions, reactions to writes",
    ),
    "engines": _room(
        "storage.engines",
        "models primitives",
        "SQLite and PostgreSQL: all in which they differ",
    ),
    "models": _room(
        "storage.models",
        "",
        "the tables, and what the others have to know of each",
    ),
    "primitives": _room(
        "storage.errors storage.clock storage.search_text storage.query_budget "
        "storage.atomic_file storage.rows",
        "",
        "errors, time, folded text, rows; knows no table",
    ),
}  # fmt: skip

# Packages of others that a part of the product may import only where it stands here.
OTHERS = {
    "flask": "app standalone service",
    "werkzeug": "app standalone service",
    "marshmallow": "schemas service standalone.commands standalone.wordpress",
    "jinja2": "service.site",
    "markupsafe": "service.site",
    "itsdangerous": "service.signing",
    "nh3": "service.rendering",
    "peewee": "storage",
    "playhouse": "storage",
    "psycopg": "storage.engines",
    "sqlite3": "storage.engines",
    "gunicorn": "standalone.worker standalone.commands.serve",
    "waitress": "standalone.worker standalone.connections",
    "prometheus_client": "standalone gunicorn.conf",
    "click": "standalone.__main__ standalone.cli standalone.commands",
    "urllib3": "standalone.wordpress",
    "defusedxml": "standalone.wordpress",
}


def is_below(module: str, name: str) -> bool:
    """Return whether a module is the one of this name, or lies in the package of this name."""
    return module == name or module.startswith(f"{name}.")


def room_of(module: str) -> str:
    """Return the name of the room of a module."""
    if modules()[module].name == "__init__.py":
        module += ".__init__"
    members = [(len(name), room) for room in ROOMS for name in ROOMS[room].members
               if is_below(module, name)]  # fmt: skip
    assert members, f"{module} is in no room: add it to the table."
    return max(members)[1]


@cache
def modules() -> dict[str, Path]:
    """Return the files of the product by the names of their modules, without `landform.`."""
    files = [Path(name) for name in TOP]
    for folder in FOLDERS:
        files += sorted(file.relative_to(ROOT) for file in (ROOT / folder).rglob("*.py"))
    return {_name(file): ROOT / file for file in files if file.parent.name != "migrations"}


@cache
def imported(module: str) -> list[str]:
    """Return what a module imports, anywhere in it: in functions, and for types only, too."""
    names = []
    for node in ast.walk(ast.parse(modules()[module].read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import."
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@cache
def imports() -> dict[str, set[str]]:
    """Return which modules of the product each of them imports."""
    return {
        module: {
            _module(name.removeprefix("landform."))
            for name in imported(module)
            if name.startswith("landform.")
        }
        for module in modules()
    }


def _name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _module(name: str) -> str:
    """Return the module that an imported name is, or is taken from."""
    while name not in modules():
        name, _, last = name.rpartition(".")
        assert last, "No module of landform has this name."
    return name
