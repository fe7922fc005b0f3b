"""The settings file, and `landform settings`: where values come from, and what is wrong."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT

from landform.standalone import cli
from landform.standalone.settings import SettingError, all_settings, read_settings, warnings

SECRETS = {"DATABASE_URL": "postgresql://me:hunter1@db/x", "CREDENTIALS": "editor:hunter2"}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a settings file, which the environment names then."""

    def write(text: str, mode: int = 0o600) -> Path:
        file = tmp_path / "landform.toml"
        file.write_text(text)
        file.chmod(mode)
        monkeypatch.setenv("LANDFORM_CONFIG", str(file))
        return file

    return write


def run(*arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(cli.main, arguments, env=environment)


def rows(*arguments: str, **environment: str) -> dict[str, dict[str, Any]]:
    told = run("settings", "--json", *arguments, **environment)
    return {row["name"]: row for row in json.loads(told.stdout)}


def test_a_file_gives_settings_in_the_types_of_toml_and_the_environment_has_priority(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        'timezone = "Europe/Paris"\nworkers = 3\nthreads = "4"\nsearch_timeout = 2\n'
        "busy_timeout = 1.5\nrequire_if_match = true\nmax_body_bytes = 99\n"
        'cors_origins = ["https://a.example", "https://b.example"]\n'
        '[credentials]\neditor = "s3cret: x, y"\nadmin = "other"\n'
    )
    found = read_settings()
    assert (found.timezone, found.workers, found.threads) == ("Europe/Paris", 3, 4)
    assert (found.search_timeout, found.busy_timeout, found.max_body_bytes) == (2.0, 1.5, 99)
    assert found.require_if_match is True
    assert found.cors_origins == ("https://a.example", "https://b.example")
    assert found.credentials == {"editor": "s3cret: x, y", "admin": "other"}
    monkeypatch.setenv("LANDFORM_WORKERS", "5")
    assert (read_settings().workers, read_settings().threads) == (5, 4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("wokers = 3", "wokers is not a setting of landform; did you mean workers?"),
        ("workers = true", "workers must be a whole number from 1."),
        ("metrics = 2", "metrics must be 0 or 1."),
        ("cors_origins = [1]", "cors_origins must be origins"),
        ('[credentials]\n"a:b" = "hunter2"', "credentials must be name:secret"),
        ("[credentials]\na = 1", "credentials must be name:secret"),
        ('credentials = "hunter2"', "credentials must be name:secret"),
        ("workers = 1\nworkers = 2", "is not valid TOML"),
    ],
)
def test_an_error_in_a_settings_file_is_named_without_values(
    write: Any, text: str, complaint: str
) -> None:
    file = write(text)
    with pytest.raises(SettingError) as caught:
        read_settings()
    assert complaint in str(caught.value)
    assert str(file) in str(caught.value)
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe", "folder"])
def test_a_file_that_cannot_be_read_is_an_error_in_a_sentence(
    tmp_path: Path, content: bytes | str | None
) -> None:
    file = tmp_path / "landform.toml"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content:
        file.mkdir()
    told = run("migrate", LANDFORM_CONFIG=str(file))
    assert (told.exit_code, told.output.count("\n")) == (1, 1)
    assert told.output.startswith("Error: The settings file")
    assert not list(tmp_path.glob("*.db"))


def test_the_command_settings_shows_value_source_default_and_meaning(write: Any) -> None:
    file = write("threads = 7\n")
    found = rows("--database", "sqlite:////x.db", LANDFORM_WORKERS="3")
    assert list(found) == [f"LANDFORM_{name}" for name in all_settings()]
    told = {name: (row["value"], row["source"]) for name, row in found.items()}
    assert told["LANDFORM_THREADS"] == (7, str(file))
    assert told["LANDFORM_WORKERS"] == (3, "environment")
    assert told["LANDFORM_DATABASE_URL"] == ("sqlite:////x.db", "flag")
    assert told["LANDFORM_TIMEZONE"] == ("UTC", "default")
    assert all(row["meaning"] and row["accepts"] for row in found.values())
    listed = run("settings", LANDFORM_DATABSE_URL="x")
    assert "DATABSE_URL is not a setting of landform; did you mean LANDFORM_DATA" in listed.stderr
    text = listed.stdout
    assert f"LANDFORM_THREADS = 7 ({file}; default: 2)" in text
    assert "LANDFORM_TIMEZONE = UTC (default)" in text


def test_settings_shows_no_secret() -> None:
    environment = {f"LANDFORM_{name}": value for name, value in SECRETS.items()}
    for arguments in ([], ["--json"]):
        told = run("settings", *arguments, **environment).output
        assert "hunter" not in told
        assert "editor:***" in told
        assert "postgresql://me:***@db/x" in told
    shown = rows(LANDFORM_DATABASE_URL="postgresql://db/x?password=hunter1&sslmode=require")
    assert shown["LANDFORM_DATABASE_URL"]["value"].endswith("/x?password=***&sslmode=require")


MEMORY = "sqlite:///:memory:"


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        (["serve"], "/landform.toml: database_url"),
        (["serve", "--database", ":memory:"], "LANDFORM_DATABASE_URL"),
        (["restore", "b.db", "--database", ":memory:"], "LANDFORM_DATABASE_URL"),
        (["migrate", "--database", MEMORY], "LANDFORM_DATABASE_URL"),
        (["copy", "sqlite:///x.db", MEMORY], "The database of a command"),
    ],
)
def test_a_command_has_no_database_in_memory_wherever_it_is_named(
    write: Any, tmp_path: Path, arguments: list[str], called: str
) -> None:
    file = write("" if arguments[0] == "copy" else f'database_url = "{MEMORY}"')
    told = run(*arguments)
    assert told.exit_code == 1
    assert f"{called} cannot be a database in memory: each process" in told.stderr
    assert list(tmp_path.iterdir()) == [file]


def test_only_unknown_settings_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANDFORM_CONFIG", "LANDFORM_KEY", "LANDFORMAT"):
        monkeypatch.setenv(name, "")
    assert list(warnings()) == []
    monkeypatch.setenv("LANDFORM_QQQQQQ", "1")
    (told,) = warnings()
    assert told == "LANDFORM_QQQQQQ is not a setting of landform."


@pytest.mark.parametrize(
    ("text", "mode", "warned"),
    [
        ('[credentials]\na = "long-enough-1"', 0o644, True),
        ('[credentials]\na = "long-enough-1"', 0o640, False),
        ("workers = 3", 0o644, False),
    ],
)
def test_a_file_that_shows_secrets_to_everybody_is_warned_of(
    write: Any, text: str, mode: int, warned: bool
) -> None:
    file = write(text, mode)
    told = list(warnings())
    assert told == [
        f"Every user of this machine can read credentials in {file}: `chmod o= {file}`."
    ] * (warned)


def test_every_command_takes_a_database_and_a_settings_file(tmp_path: Path) -> None:
    for name in set(cli.main.commands) - {"copy"}:
        inner = getattr(cli.main.commands[name], "commands", None)
        for command in [[name, one] for one in inner] if inner else [[name]]:
            options = run(*command, "--help").output
            assert "--database" in options, command
            assert "--config" in options, command
    (tmp_path / "x.toml").write_text(f'database_url = "sqlite:///{tmp_path}/x.db"')
    assert run("migrate", "--config", str(tmp_path / "x.toml")).exit_code == 0
    assert (tmp_path / "x.db").exists()
    for database in (f"{tmp_path}/a b?.db", f"sqlite:///{tmp_path}/c d?.db"):
        assert run("migrate", "--database", database).exit_code == 0
        assert Path(database.removeprefix("sqlite:///")).exists()
    assert "LANDFORM_DATABASE_URL" not in os.environ


def test_the_file_in_the_docs_is_one(write: Any) -> None:
    text = (ROOT / "docs/settings.md").read_text()
    write(text.partition("```toml\n")[2].partition("```")[0])
    assert (read_settings().workers, read_settings().credentials) == (
        4,
        {"editor": "a-long-secret"},
    )
