"""Settings and the command: what is read, what is refused, and that no secret shows."""

from pathlib import Path
from runpy import run_path
from types import MappingProxyType
from typing import Any

import pytest
from conftest import ROOT, basic

from landform.app import create_app
from landform.parts.option import OptionError
from landform.service import create_blueprint
from landform.standalone.settings import SettingError, read_settings, warnings


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
# Origins that no browser sends.
ORIGINS = f"""
https://shop.example/ https://u@shop.example https://a?b https://a#b https://*.shop.example * null
shop.example https:// https://a:b https://a:99999 https://a%20b https://a\\b http://[::1 ftp://a
{HUSH}
""".split()
WRONG: dict[str, list[object]] = {
    "busy_timeout": [HUSH, True, -1, float("nan"), 3601], "cache_bytes": ["5 MB", 1e6],
    "credentials": [
        {HUSH: 5}, {"a": ""}, {f"a:{HUSH}": "b"}, {"a": f"{HUSH}\ud800"}, [HUSH],
    ],
    "public_url": [f"ftp://{HUSH}", f"http://u:{HUSH}@h", 5, "http://[::1"],
    "cors_origins": [*ORIGINS, [HUSH], 5, [5]],
    "group_access": ["yes"], "strict": [2], "site": ["yes"], "wp_json_paths": [None],
    "site_policy": ["a\nb"], "site_title": [5], "site_soon": ["yes"], "site_footer": [7],
    "site_language": ["German!", "en-x", "fa-u-x-a", "en--a", "x-en", "de_DE"],
    "site_accent": ["", "blue", "#12", "#12345", "#1234567", "#ggg"],
    "site_logo": [
        "http://a.example/l.png", "//a.example/l.png", "javascript:x()", "l.png", "/a b", "/\n",
        "https://", "https://u:p@a.example/",
    ],
    "timezone": ["Mars/Olympus", None], "templates": [f"/nowhere/{HUSH}"],
    "sqlite_synchronous": ["OFF"], "store_identity": [HUSH], "authorizer": [HUSH],
}  # fmt: skip


REASONS = {
    "cors_origins": "origins such as", "site_language": "a language tag",
}  # fmt: skip


def must_be(name: str, option: str) -> str:
    """Return the pattern of a message about an option."""
    return f"^{name} must be {REASONS.get(option, '')}"


@pytest.mark.parametrize("option", WRONG)
def test_a_host_is_told_which_option_cannot_be_what_it_gave(tmp_path: Path, option: str) -> None:
    for value in WRONG[option]:
        with pytest.raises(ValueError, match=must_be(option.replace("_", " "), option)) as caught:
            create_blueprint(f"sqlite:///{tmp_path}/x.db", **{option: value})
        assert type(caught.value) is OptionError
        assert HUSH not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


OF_HOSTS_ONLY = {"authorizer", "wp_json_paths"}


@pytest.mark.parametrize("option", [name for name in WRONG if name not in OF_HOSTS_ONLY])
def test_a_wrong_setting_stops_the_start_and_is_named(option: str) -> None:
    for value in WRONG[option]:
        with pytest.raises(SettingError, match=must_be(option.upper(), option)) as caught:
            read_settings({option.upper(): value})
        assert HUSH not in str(caught.value)


@pytest.mark.parametrize("url", [None, 5, b"sqlite:///x.db", "sqlite:///a\0b", "mysql://a/b"])
def test_a_database_is_named_by_a_url(url: Any) -> None:
    with pytest.raises(OptionError, match=r"^database url must be a URL such as"):
        create_blueprint(url)
    with pytest.raises(SettingError, match="DATABASE_URL must be a URL such as"):
        read_settings({"DATABASE_URL": url})


def test_options_take_every_documented_type(tmp_path: Path) -> None:
    with create_blueprint(
        "sqlite:///:memory:", busy_timeout=1, cache_bytes=0,
        credentials=MappingProxyType({"a": "b"}), public_url="https://example.com:8443/promo/",
        cors_origins={"https://example.com"}, group_access=False, templates=tmp_path, strict="0",
        store_identity=None, sqlite_synchronous="NORMAL", authorizer=lambda request: None,
    ).api as api:  # fmt: skip
        assert list(api.list_pages()) == []


@pytest.mark.all_parts
def test_every_setting_is_documented_as_it_is_declared() -> None:
    documented = (ROOT / "docs/settings.md").read_text()
    tables = run_path(str(ROOT / "docs/settings_tables.py"))["tables"]
    assert tables() in documented, "print them with `python docs/settings_tables.py`"
