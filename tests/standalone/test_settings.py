"""Settings and the command: what is read, what is refused, and that no secret shows."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT, basic

from landform.app import SettingError, create_app, read_settings
from landform.standalone import cli


def test_the_environment_is_read_at_the_call_and_not_at_the_import(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("LANDFORM_DATABASE_URL", database_url)
    monkeypatch.setenv("LANDFORM_CREDENTIALS", "a:b, editor:x:y")
    client = create_app().test_client()
    assert client.get("/feeds", headers=basic("editor:x:y")).status_code == 200
    assert client.get("/feeds", headers=basic("a:wrong")).status_code == 401


def test_given_settings_leave_the_environment_unread(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("LANDFORM_TIMEZONE", "Nowhere/Land")
    assert create_app({"DATABASE_URL": database_url})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CREDENTIALS", "hunter2"),
        ("CREDENTIALS", "name:"),
        ("CREDENTIALS", ":hunter2"),
        ("CREDENTIALS", "a:hunter2,a:hunter3"),
        ("CREDENTIALS", "a:hunter2,"),
        ("CREDENTIALS", ","),
        ("TIMEZONE", "Mars/Olympus"),
        ("TIMEZONE", "../../etc/passwd"),
        ("TIMEZONE", ""),
        ("PUBLIC_URL", "example.com"),
        ("PUBLIC_URL", "ftp://example.com"),
        ("MAX_BODY_BYTES", "0"),
        ("MAX_BODY_BYTES", "1 MB"),
        ("FAILED_ATTEMPTS_PER_MINUTE", "0"),
        ("REQUIRE_IF_MATCH", "yes"),
        ("TRUSTED_PROXIES", "-1"),
        ("TRUSTED_PROXIES", "10.0.0.1"),
        ("CORS_ORIGINS", "*"),
        ("SQLITE_SYNCHRONOUS", "OFF"),
        ("SQLITE_BUSY_TIMEOUT", "nan"),
        ("SQLITE_BUSY_TIMEOUT", "-1"),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_a_value_that_cannot_be_used_names_its_variable_and_not_itself(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"LANDFORM_{name}", value)
    with pytest.raises(SettingError, match=f"LANDFORM_{name} ") as caught:
        read_settings()
    assert "hunter2" not in str(caught.value)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(SettingError, match="DATABASE_URI"):
        read_settings({"DATABASE_URI": "sqlite:///x.db"})


def test_links_start_with_the_public_url(database_url: str) -> None:
    settings = {"DATABASE_URL": database_url, "PUBLIC_URL": "https://www.example.com/promo/"}
    client = create_app(settings).test_client()
    page = client.post("/pages", json={"title": "Hello"}).get_json()
    assert page["link"] == "https://www.example.com/promo/hello/"


@pytest.mark.parametrize("name", ["LANDFORM_WORKERS", "LANDFORM_THREADS"])
@pytest.mark.parametrize("value", ["many", "0", "-1", "1.5"])
def test_a_count_that_is_none_is_named_before_anything_is_served(
    tmp_path: Path, name: str, value: str
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py")],
        env={**os.environ, name: value}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.strip() == f"Error: {name} must be a whole number from 1."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["HEAD", "BODY", "SEND"])
@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf", "3601"])
def test_a_timeout_that_is_none_is_named_before_anything_is_served(
    tmp_path: Path, name: str, value: str
) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py")],
        env={**os.environ, f"LANDFORM_{name}_TIMEOUT": value},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    wanted = "must be a number of seconds above 0, up to 3600."
    assert ran.stderr.strip() == f"Error: LANDFORM_{name}_TIMEOUT {wanted}"
    assert list(tmp_path.iterdir()) == []


def run(*arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(cli.main, arguments, env=environment)


def test_the_command_says_its_version() -> None:
    assert run("--version").output.startswith("landform, version 0.")


def test_migrate_makes_the_database(new_database: str) -> None:
    first = run("migrate", LANDFORM_DATABASE_URL=new_database)
    assert "applied 0001_pages_and_feeds" in first.output
    assert "up to date" in run("migrate", LANDFORM_DATABASE_URL=new_database).output


@pytest.mark.parametrize(
    "environment", [{"LANDFORM_TIMEZONE": "Mars/Olympus"}, {"LANDFORM_DATABASE_URL": "nonsense"}]
)
@pytest.mark.parametrize("command", ["migrate", "serve", "routes"])
def test_a_command_that_cannot_work_says_why_in_a_sentence(
    command: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    arguments = [sys.executable, "-m", "landform.standalone.cli", command]
    env = {**os.environ, **environment}
    ran = subprocess.run(
        arguments, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: ")
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("database", ["{}/a b?.db", "sqlite:///{}/a b?.db"])
def test_serve_takes_the_database_as_a_path_or_a_url(tmp_path: Path, database: str) -> None:
    # Without a credential it makes the database, and refuses to face a network.
    made = run(
        "serve", "--bind", "0.0.0.0:1", "--database", database.format(tmp_path),
        LANDFORM_DATABASE_URL="nonsense",
    )  # fmt: skip
    assert "no credentials are configured" in made.output
    assert (tmp_path / "a b?.db").exists()
