"""The command: each of its own is a module, found by its name, that says what it does."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT

from landform.standalone import cli

OWN = sorted(cli.MODULES)


def test_each_module_is_a_command() -> None:
    modules = (ROOT / "standalone/commands").glob("[a-z]*.py")
    assert {file.stem.rstrip("_").replace("_", "-") for file in modules} == set(OWN)


@pytest.mark.parametrize("name", OWN)
def test_a_command_bears_the_name_of_its_module_and_says_what_it_does(name: str) -> None:
    assert cli.main.get_command(None, name).name == name
    told = CliRunner().invoke(cli.main, [name, "--help"])
    assert told.exit_code == 0
    assert len(cli.main.get_command(None, name).get_short_help_str(200)) > 20


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
