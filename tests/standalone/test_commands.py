"""The command: each of its own is a module, found by its name, that says what it does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from landform.standalone import cli

OWN = sorted(cli.main.commands)


def test_each_command_says_what_it_does_in_one_line_of_the_help() -> None:
    told = CliRunner().invoke(cli.main, ["--help"])
    listed = told.output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == OWN
    assert all(re.search(r"( \S+){4}[^.]\.$", line) for line in listed)


def test_the_routes_are_listed_where_there_is_a_database(tmp_path: Path) -> None:
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{tmp_path}/new.db"}
    assert CliRunner().invoke(cli.main, ["migrate"], env=environment).exit_code == 0
    listed = CliRunner().invoke(cli.main, ["routes"], env=environment).output.splitlines()
    assert "/forms/<form_id>/feeds" in listed


@pytest.mark.parametrize("given", ["run", "shell", "_tools", "-A"])
def test_an_unknown_command_is_named(given: str) -> None:
    told = CliRunner().invoke(cli.main, [given])
    assert (told.exit_code, "No such" in told.output, given in told.output) == (2, True, True)


WRONG = {
    "key create a --scope feeds:read --author 9223372036854775808": "is not in the range",
    "key rotate a --grace nan": "that is not a number",
    "migrate --database \udcff.db": "not valid UTF-8",
}


@pytest.mark.parametrize("line", WRONG, ids=ascii)
def test_a_wrong_value_is_refused_in_a_sentence(tmp_path: Path, line: str) -> None:
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{tmp_path}/new.db"}
    assert CliRunner().invoke(cli.main, ["migrate"], env=environment).exit_code == 0
    refused = CliRunner().invoke(cli.main, line.split(), env=environment)
    assert isinstance(refused.exception, SystemExit)
    assert WRONG[line] in refused.stderr


@pytest.mark.servers
def test_a_full_disk_at_the_output_is_an_error_in_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "landform.standalone", "settings"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"Error: [Errno 28] No space left on device\n")
