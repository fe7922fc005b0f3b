"""The command: each of its own is a module, found by its name, that says what it does."""

import re
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT

from landform.standalone import cli

OWN = sorted(cli.MODULES)


def test_each_command_of_a_module_is_one_of_landform() -> None:
    modules = (ROOT / "standalone/commands").glob("[a-z]*.py")
    found = [
        re.findall(r'^@click\.(?:command|group)\("([\w-]+)"\)', file.read_text(), re.M)
        for file in modules
    ]
    assert sorted(chain(*found)) == OWN


def test_each_command_says_what_it_does_in_one_line_of_the_help() -> None:
    told = CliRunner().invoke(cli.main, ["--help"])
    listed = told.output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == OWN
    assert all(len(line.split()) > 4 and line.endswith(".") for line in listed)


@pytest.mark.parametrize("name", OWN)
def test_a_command_has_help(name: str) -> None:
    told = CliRunner().invoke(cli.main, [name, "--help"])
    assert (told.exit_code, told.output.startswith(f"Usage: landform {name} ")) == (0, True)


def test_the_routes_are_listed_where_there_is_a_database(tmp_path: Path) -> None:
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{tmp_path}/new.db"}
    refused = CliRunner().invoke(cli.main, ["routes"], env=environment)
    assert (refused.exit_code, "There is no database" in refused.output) == (1, True)
    assert CliRunner().invoke(cli.main, ["migrate"], env=environment).exit_code == 0
    listed = CliRunner().invoke(cli.main, ["routes"], env=environment).output.splitlines()
    assert "/forms/<form_id>/feeds" in listed


@pytest.mark.parametrize("given", [["run"], ["shell"], ["-A", "app", "routes"]])
def test_nothing_of_flasks_own_is_offered(given: list[str]) -> None:
    assert CliRunner().invoke(cli.main, given).exit_code == 2


def test_an_unknown_command_is_named() -> None:
    told = CliRunner().invoke(cli.main, ["_tools"])
    assert (told.exit_code, "No such command '_tools'" in told.output) == (2, True)
