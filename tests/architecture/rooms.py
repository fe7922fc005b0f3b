"""The rooms of landform, which of them may import which, and what the code does import.

A room is a package, or some modules of one. The table of docs/architecture.md goes from the highest
room to the lowest.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TOP = ("app.py", "wsgi.py", "gunicorn.conf.py")
FOLDERS = ("standalone", "service", "schemas", "storage")


class Room(NamedTuple):
    """The packages and modules of a room, and the rooms that it may import."""

    members: list[str]
    may_import: list[str]


def _read_table() -> dict[str, Room]:
    """Return the rooms as docs/architecture.md has them."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (`.*`) \| (.*) \|$", text, re.MULTILINE)
    return {
        name: Room(
            [one.strip("`") for one in members.split(", ")],
            [one for one in rooms.split(", ") if one != "nothing"],
        )
        for name, members, rooms in rows
    }


# A module belongs to the longest name that its own begins with: `service.http.input` to "http", a
# new `service.redirects` to "views".
ROOMS = _read_table()

# Packages of others that a part of the product may import only where it stands here.
OTHERS = {
    "flask": "app standalone service",
    "werkzeug": "app standalone service",
    "marshmallow": "schemas service standalone.commands standalone.wordpress",
    "jinja2": "service.site",
    "markupsafe": "service.site",
    "itsdangerous": "service.previews",
    "nh3": "service.rendering",
    "peewee": "storage",
    "playhouse": "storage",
    "psycopg": "storage.engines",
    "sqlite3": "storage.engines",
    "gunicorn": "standalone.worker standalone.commands.serve",
    "waitress": "standalone.worker standalone.connections",
    "prometheus_client": "standalone gunicorn.conf",
    "click": "standalone.__main__ standalone.cli standalone.commands",
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
