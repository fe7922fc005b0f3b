"""Settings and the command: what is read, what is refused, and that no secret shows."""

from dataclasses import MISSING, fields
from inspect import signature
from pathlib import Path
from runpy import run_path
from types import MappingProxyType
from typing import Any

import pytest
from conftest import ROOT, basic

from landform.app import create_app
from landform.service import create_blueprint, open_api
from landform.service.options import Options
from landform.standalone.settings import SettingError, read_settings, warnings
from landform.storage.option import OptionError


def test_the_environment_is_read_at_the_call_and_not_at_the_import(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("LANDFORM_DATABASE_URL", database_url)
    monkeypatch.setenv("LANDFORM_CREDENTIALS", "a:b, editor:x:y")
    client = create_app().test_client()
    assert client.get("/feeds", headers=basic("editor:x:y")).status_code == 200
    assert client.get("/feeds", headers=basic("a:wrong")).status_code == 401


def test_a_secret_that_is_short_is_warned_of_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDFORM_CREDENTIALS", "editor:hunter2,admin:twelve-chars,b:x")
    [told] = warnings()
    assert told.startswith("The secret of editor, b in LANDFORM_CREDENTIALS can be guessed")
    assert "hunter2" not in told


def test_no_setting_is_shown_by_accident() -> None:
    settings = read_settings(
        {"CREDENTIALS": "a:hunter2", "DATABASE_URL": "postgresql://a:hunter3@b"}
    )
    assert "hunter" not in repr(settings)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(SettingError, match="DATABASE_URI"):
        read_settings({"DATABASE_URI": "sqlite:///x.db"})


HUSH = "hunter2"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("busy_timeout", HUSH), ("busy_timeout", True), ("busy_timeout", -1),
        ("busy_timeout", float("nan")), ("busy_timeout", 3601), ("cache_bytes", "5 MB"),
        ("cache_bytes", 1e6),
        ("credentials", {HUSH: 5}), ("credentials", {"a": ""}), ("credentials", {f"a:{HUSH}": "b"}),
        ("credentials", {"a": f"{HUSH}\ud800"}), ("credentials", [HUSH]),
        ("public_url", f"ftp://{HUSH}"), ("public_url", f"http://u:{HUSH}@h"),
        ("public_url", 5), ("public_url", "http://[::1"), ("cors_origins", HUSH),
        ("cors_origins", [HUSH]), ("cors_origins", 5), ("cors_origins", [5]),
        ("group_access", "yes"), ("strict", 2), ("site", "yes"), ("wp_json_paths", None),
        ("site_policy", "a\nb"), ("site_language", "German!"), ("site_title", 5),
        ("timezone", "Mars/Olympus"), ("timezone", None), ("templates", f"/nowhere/{HUSH}"),
        ("sqlite_synchronous", "OFF"), ("store_identity", HUSH), ("authorizer", HUSH),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [create_blueprint, open_api])
def test_a_host_is_told_which_option_cannot_be_what_it_gave(
    tmp_path: Path, make: Any, option: str, value: object
) -> None:
    with pytest.raises(ValueError, match=f"^{option.replace('_', ' ')} must be ") as caught:
        make(f"sqlite:///{tmp_path}/x.db", **{option: value})
    assert type(caught.value) is OptionError
    assert HUSH not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", [None, 5, b"sqlite:///x.db", "sqlite:///a\0b", "mysql://a/b"])
def test_a_database_is_named_by_a_url(url: Any) -> None:
    with pytest.raises(OptionError, match=r"^database url must be a URL such as"):
        open_api(url)
    with pytest.raises(SettingError, match="DATABASE_URL must be a URL such as"):
        read_settings({"DATABASE_URL": url})


def test_options_take_every_documented_type(tmp_path: Path) -> None:
    with open_api(
        "sqlite:///:memory:", busy_timeout=1, cache_bytes=0,
        credentials=MappingProxyType({"a": "b"}), public_url="https://example.com:8443/promo/",
        cors_origins={"https://example.com"}, group_access=False, templates=tmp_path, strict="0",
        store_identity=None, sqlite_synchronous="NORMAL", authorizer=lambda request: None,
    ) as api:  # fmt: skip
        assert list(api.list_pages()) == []


@pytest.mark.parametrize("make", [create_blueprint, open_api])
def test_every_option_is_an_argument_with_its_default(make: Any) -> None:
    arguments = signature(make).parameters.items()
    defaults = {name: one.default for name, one in arguments if one.default is not one.empty}
    declared = {one.name: one.default for one in fields(Options)}
    assert {"database_url": MISSING, **defaults} == declared


@pytest.mark.all_parts
def test_every_setting_is_documented_as_it_is_declared() -> None:
    documented = (ROOT / "docs/settings.md").read_text()
    tables = run_path(str(ROOT / "docs/settings_tables.py"))["tables"]
    assert tables() in documented, "print them with `python docs/settings_tables.py`"
