"""Imports go down: no room needs one above it, and no two modules need each other.

A room is a package, or some modules of one. The table of docs/architecture.md goes from the highest
room to the lowest.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from landform.service.pipeline.call import Call

ROOT = Path(__file__).parents[2]
TOP = ("app.py", "wsgi.py", "gunicorn.conf.py")
FOLDERS = ("parts", "standalone", "service", "schemas", "storage")
PARTS = {file.parent.name for file in ROOT.glob("parts/*/__init__.py")}
# The folder of a part; the modules of `parts` itself are the core's.
PART = re.compile(rf"^parts\.({'|'.join(PARTS) or 'none'})\b")
TABLE = re.findall(
    r"^\| (\w+) \| (`.*`) \| (.*) \|$", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE
)
# What belongs to each room, and which others it may import. A module belongs to the longest name
# that its own begins with: `service.http.input` to "http", a new `service.redirects` to "views".
# `*` is any part: `parts.*.models` are the models of each.
MEMBERS = {room: members.replace("`", "").split(", ") for room, members, _ in TABLE}
MAY_IMPORT = {room: [] if rooms == "nothing" else rooms.split(", ") for room, _, rooms in TABLE}

# Packages of others that a part of the product may import only where it stands here.
OTHERS = {
    "flask": "app standalone service parts",
    "werkzeug": "app standalone service parts",
    "marshmallow": "schemas service standalone.commands parts",
    "jinja2": "service.site",
    "markupsafe": "service.site",
    "itsdangerous": "service.pages.previews",
    "nh3": "service.rendering",
    "peewee": "storage parts",
    "playhouse": "storage",
    "psycopg": "storage.engines",
    "sqlite3": "storage.engines",
    "gunicorn": "standalone.worker standalone.parser standalone.commands.service",
    "gunicorn_h1c": "standalone.parser",
    "uvloop": "standalone.worker",
    "prometheus_client": "standalone gunicorn.conf",
    "click": "standalone.cli standalone.commands service.cli parts",
    "defusedxml": "parts",
    "urllib3": "parts",
    "PIL": "parts",
}
# The methods that change a list, a dict or a set.
CHANGING = "add append clear extend insert pop popitem remove setdefault update".split()


def is_below(module: str, name: str) -> bool:
    """Return whether a module is the one of this name, or lies in the package of this name."""
    return module == name or module.startswith(f"{name}.")


@cache
def modules() -> dict[str, Path]:
    """Return the files of the product by the names of their modules, without `landform.`."""
    files = [ROOT / name for name in TOP]
    for folder in FOLDERS:
        files += sorted((ROOT / folder).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    return {
        name.removesuffix(".__init__"): file
        for name, file in zip(names, files, strict=True)
        if file.parent.name != "migrations"
    }


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text())


@cache
def imported(module: str) -> list[str]:
    """Return what a module imports, anywhere in it: in functions, and for types only, too."""
    names = []
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import."
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@cache
def imports() -> dict[str, set[str]]:
    """Return which modules of the product each of them imports."""

    def module(name: str) -> str:
        return name if name in modules() else module(name.rpartition(".")[0])

    return {
        one: {
            module(name.removeprefix("landform."))
            for name in imported(one)
            if name.startswith("landform.")
        }
        for one in modules()
    }


def part_of(module: str) -> str:
    """Return the part that a module belongs to; empty for the core."""
    return "".join(PART.findall(module))


def room_of(module: str) -> str:
    name = PART.sub("parts.*", module)
    if modules()[module].name == "__init__.py":
        name += ".__init__"
    module = name
    fit = [(len(n), room) for room, names in MEMBERS.items() for n in names if is_below(module, n)]
    assert fit, f"{module} is in no room: add it to the table."
    return max(fit)[1]


def test_a_room_imports_what_the_table_allows_which_is_below_it() -> None:
    is_optional = {room for room, names in MEMBERS.items() if names[0].startswith("parts.*")}
    assert {room_of(module) for module in modules()} | is_optional == set(MEMBERS)
    rooms = list(MEMBERS)
    for number, room in enumerate(rooms):
        assert set(MAY_IMPORT[room]) <= set(rooms[number + 1 :]), room
    assert [
        f"{module} imports {target}, of {room_of(target)}"
        for module, targets in imports().items()
        for target in targets
        if room_of(target) not in {room_of(module), *MAY_IMPORT[room_of(module)]}
    ] == []


def test_no_module_of_the_core_names_a_part() -> None:
    named = re.compile(rf"\bparts[./]({'|'.join(PARTS) or 'none'})\b")
    core = {name: file for name, file in modules().items() if not part_of(name)}
    assert [name for name, file in core.items() if named.search(file.read_text())] == []


def calls_at_import(tree: ast.AST) -> Iterator[str]:
    """Yield the names of functions that are called while a module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2]
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield from calls_at_import(node)


def test_the_core_asks_for_its_parts_in_functions_only() -> None:
    asking = {
        *("all_parts", "modules_of", "all_tables", "numbered_tables", "all_migrations"),
        *("all_scopes", "all_error_codes", "all_settings", "all_resources", "api_routes"),
        *("all_types", "type_patterns", "part_fields", "are_stored"),
    }
    assert [
        module for module in modules() if asking.intersection(calls_at_import(tree(module)))
    ] == []


def test_only_auth_reads_the_scopes_of_callers() -> None:
    # Others ask `Identity.may`; stored keys have scopes too.
    may_read = ("service.auth", "storage.api_keys", "standalone.commands.key")
    readers = {
        module
        for module in modules()
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Attribute) and node.attr == "scopes"
    }
    assert [one for one in readers if not any(is_below(one, name) for name in may_read)] == []


def written_places(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that a statement writes to, or whose methods change them."""
    if isinstance(node, (ast.Assign, ast.Delete)):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return [node.target]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node.func.value] if node.func.attr in CHANGING else []
    return []


def test_nothing_in_a_call_is_changed_after_it_was_made() -> None:
    # None of its attributes can be set, and there is no place for another one.
    call = Call(**dict.fromkeys(Call._fields, None))  # type: ignore[arg-type]
    for name in (*Call._fields, "another"):
        with pytest.raises(AttributeError):
            setattr(call, name, "changed")
    seen, changed = set(), []
    for module in modules():
        functions = [node for node in ast.walk(tree(module)) if isinstance(node, ast.FunctionDef)]
        classes = [node for node in ast.walk(tree(module)) if isinstance(node, ast.ClassDef)]
        later = {
            function
            for found in classes
            if found.name in ("Call", "Incoming", "HttpIncoming", "Access")
            for function in ast.walk(found)
            if isinstance(function, ast.FunctionDef)
            and function.name not in ("__init__", "__post_init__")
        }
        seen |= {module for one in functions if "call" in [name.arg for name in one.args.args]}
        changed += [
            f"{module}: {ast.unparse(place)}"
            for function in functions
            for node in ast.walk(function)
            for place in written_places(node)
            if re.match(r"(call|incoming)[.[]", ast.unparse(place))
            or (function in later and re.match(r"self[.[]", ast.unparse(place)))
        ]
    assert len(seen) > 15
    assert changed == []


def test_no_part_imports_another() -> None:
    assert [
        f"{module} imports {target}"
        for module, targets in imports().items()
        for target in targets
        if part_of(module) and part_of(target) not in ("", part_of(module))
    ] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(imports()).prepare()


@pytest.mark.parametrize("package", OTHERS)
def test_a_package_of_others_is_imported_where_the_table_says(package: str) -> None:
    users = {one for one in modules() for name in imported(one) if is_below(name, package)}
    places = OTHERS[package].split()
    assert [one for one in users if not any(is_below(one, place) for place in places)] == []


def test_nobody_hides_an_import_from_these_tests() -> None:
    hiding = {
        module for module, file in modules().items()
        if re.search(r"\bimport_module\(|\b__import__\(", file.read_text())
    }  # fmt: skip
    # They import the folder of an engine, the parts, and the commands when one is run.
    assert hiding <= {"parts", "storage.engines", "service.cli"}


@pytest.mark.parametrize("engine", ["postgres", "sqlite"])
def test_nobody_reaches_into_an_engine(engine: str) -> None:
    inside = f"storage.engines.{engine}"
    users = {one for one, names in imports().items() if any(is_below(n, inside) for n in names)}
    assert [one for one in users if not is_below(one, inside)] == []


def test_every_folder_with_code_is_a_package_that_pyproject_lists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = {file.parent for top in FOLDERS for file in (ROOT / top).rglob("*.py")}
    names = [f"landform.{'.'.join(one.relative_to(ROOT).parts)}" for one in folders]
    listed = project["tool"]["setuptools"]["packages"]
    packages = {name for name in names if not name.endswith(".migrations")}
    assert packages <= set(listed)
    # The list has the packages of a part that was deleted until a wheel is to be built.
    others = set(listed) - packages - {"landform"}
    assert [
        name
        for name in others
        if not name.startswith("landform.parts.") or part_of(name.removeprefix("landform."))
    ] == []
