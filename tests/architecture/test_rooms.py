"""Imports go down: no room needs one above it, and no two modules need each other."""

import re
import tomllib

import pytest
from rooms import FOLDERS, OTHERS, ROOMS, ROOT, imported, imports, is_below, modules, room_of


def test_the_table_goes_from_the_highest_room_to_the_lowest() -> None:
    names = list(ROOMS)
    for number, (name, room) in enumerate(ROOMS.items()):
        assert set(room.may_import) <= set(names[number + 1 :]), name


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_the_table_allows(room: str) -> None:
    allowed = {room, *ROOMS[room].may_import}
    wrong = [
        f"{module} imports {target}, of {room_of(target)}"
        for module, targets in imports().items()
        if room_of(module) == room
        for target in sorted(targets)
        if room_of(target) not in allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_every_room_of_the_table_is_there() -> None:
    assert {room_of(module) for module in modules()} == set(ROOMS)


def test_no_modules_import_each_other_in_a_circle() -> None:
    needed: dict[str, set[str]] = {}
    for module in modules():
        waiting = [module]
        needed[module] = set()
        while waiting:
            further = imports()[waiting.pop()] - needed[module]
            needed[module] |= further
            waiting += further
    circles = {
        module: sorted(target for target in imports()[module] if module in needed[target])
        for module in modules()
        if module in needed[module]
    }
    assert circles == {}


@pytest.mark.parametrize("package", OTHERS)
def test_a_package_of_others_is_imported_where_the_table_says(package: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module in modules()
        for name in imported(module)
        if is_below(name, package)
        and not any(is_below(module, place) for place in OTHERS[package].split())
    ]
    assert not wrong, "\n".join(wrong)


def test_nobody_hides_an_import_from_these_tests() -> None:
    hiding = {
        module for module, file in modules().items()
        if re.search(r"\bimport_module\(|\b__import__\(", file.read_text())
    }  # fmt: skip
    # They import what is asked for: names for a host, a command, the folder of an engine.
    assert hiding <= {"service", "standalone.cli", "storage.engines"}


def test_storage_has_an_engine_in_each_folder_and_nobody_reaches_into_it() -> None:
    engines = [file.parent.name for file in (ROOT / "storage/engines").glob("*/__init__.py")]
    assert sorted(engines) == ["postgres", "sqlite"]
    for engine in engines:
        inside = f"storage.engines.{engine}"
        wrong = [
            f"{module} imports {target}"
            for module, targets in imports().items()
            for target in targets
            if is_below(target, inside)
            and not is_below(module, inside)
            and module != "storage.engines"
        ]
        assert not wrong, "\n".join(wrong)


def test_pyproject_lists_every_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = [file.parent for top in FOLDERS for file in (ROOT / top).rglob("__init__.py")]
    names = [f"landform.{'.'.join(folder.relative_to(ROOT).parts)}" for folder in folders]
    assert project["tool"]["setuptools"]["packages"] == sorted(["landform", *names])


def test_every_folder_with_code_is_a_package() -> None:
    for module, file in modules().items():
        if file.parent != ROOT:
            assert (file.parent / "__init__.py").exists(), module
