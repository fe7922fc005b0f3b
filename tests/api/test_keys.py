"""Keys: made on the command line, effective everywhere at once, and good for their scopes only."""

import re
import shlex
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import Result
from conftest import Start, basic
from databases import run_sql
from files import command
from flask.testing import FlaskClient

from landform.app import create_app
from landform.service.auth.credentials import SCOPES
from landform.storage import Store


class Keys:
    """What `landform key ...` does on the database of a test."""

    def __init__(self, database_url: str) -> None:
        self.database_url = database_url

    def run(self, *arguments: str) -> Result:
        return command(self.database_url, "key", *arguments)

    def make(self, name: str = "news", *scopes: str, options: tuple[str, ...] = ()) -> str:
        """Create a key and return its secret."""
        wanted = [part for scope in scopes or ("pages:read",) for part in ("--scope", scope)]
        made = self.run("create", name, *wanted, *options)
        assert made.exit_code == 0, made.output
        return made.stdout.strip()


@pytest.fixture
def keys(database_url: str) -> Keys:
    return Keys(database_url)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def whoami(client: FlaskClient, headers: dict[str, str]) -> Any:
    answer = client.get("/whoami", headers=headers)
    return answer.get_json() if answer.status_code == 200 else answer.status_code


@pytest.mark.parametrize("scope", sorted(SCOPES))
def test_a_secret_is_shown_once_with_a_request_any_scope_may_make(keys: Keys, scope: str) -> None:
    made = keys.run("create", "news", "--scope", scope)
    # 256 random bits.
    assert re.fullmatch(r"[\w-]{43}\n", made.stdout)
    assert "shown this once" in made.stderr
    assert made.stdout.strip() not in keys.run("list").output
    (shown,) = [line for line in made.stderr.splitlines() if "curl" in line]
    _, _, header, url = shlex.split(shown.replace("SECRET", made.stdout.strip()))
    client = create_app({"DATABASE_URL": keys.database_url}).test_client()
    name, _, value = header.partition(": ")
    answer = client.get(urlsplit(url).path, headers={name: value})
    assert (answer.status_code, answer.get_json()["scopes"]) == (200, [scope])


def test_the_first_key_is_said_to_end_local_mode_where_there_was_one(
    make_database: Callable[[], str],
) -> None:
    create = "key", "create", "news", "--scope", "pages:read"
    for proxies in ("1", "0"):
        new = command(make_database(), *create, LANDFORM_TRUSTED_PROXIES=proxies)
        assert ("Local mode has ended" in new.stderr) == (proxies == "0")


def test_a_list_of_keys_shows_no_secret(keys: Keys) -> None:
    keys.make("news", "pages:write", "pages:read", options=("--author", "7"))
    keys.make("late", options=("--expires", "2099-01-01"))
    keys.make("gone")
    keys.run("revoke", "gone")
    first, second, third = keys.run("list").output.splitlines()
    assert first == "1  news  pages:read pages:write  author 7  active"
    assert second.endswith("author 1  until 2099-01-01T00:00:00Z")
    assert re.search(r"ended [\d-]{10}T[\d:]{8}Z$", third)


def test_wrong_arguments_of_key_commands_are_refused_with_a_reason(keys: Keys) -> None:
    for arguments, complaint in (
        (["create", "news"], "--scope"),
        (["create", "news", "--scope", "pages:delete"], "pages:delete"),
        (["create", "7", "--scope", "pages:read"], "not digits only"),
        (["create", "a:b", "--scope", "pages:read"], "letters, digits"),
        (["create", "n" * 65, "--scope", "pages:read"], "letters, digits"),
        (["create", "n", "--scope", "pages:read", "--author", "0"], "--author"),
        (["create", "n", "--scope", "pages:read", "--expires", "2020-01-01"], "past"),
        (["create", "n", "--scope", "pages:read", "--expires", "soon"], "--expires"),
        (["revoke", "no"], "no active key"),
        (["rotate", "no"], "no active key"),
        (["rotate", "nobody", "--grace", "-1"], "--grace"),
    ):  # fmt: skip
        Store(keys.database_url).migrate()
        refused = keys.run(*arguments)
        assert refused.exit_code != 0
        assert complaint in refused.output
        assert "Traceback" not in refused.output
        assert keys.run("list").output == ""


def test_an_expired_key_opens_nothing(keys: Keys, anonymous: FlaskClient) -> None:
    secret = keys.make()
    assert whoami(anonymous, bearer(secret))["name"] == "news"
    run_sql(keys.database_url, "UPDATE api_key SET expires = '2020-01-01T00:00:00'")
    assert whoami(anonymous, bearer(secret)) == 401


@pytest.mark.parametrize("by", ["news", "1"])
def test_a_rotated_key_keeps_rights_for_a_time(keys: Keys, anonymous: FlaskClient, by: str) -> None:
    first = keys.make("news", "feeds:read", options=("--author", "7"))
    second = keys.run("rotate", by).stdout.strip()
    same = {"name": "news", "author": 7, "scopes": ["feeds:read"]}
    assert [whoami(anonymous, bearer(secret)) for secret in (first, second)] == [same, same]
    third = keys.run("rotate", "news", "--grace", "0").stdout.strip()
    assert [whoami(anonymous, bearer(secret)) for secret in (first, second)] == [401, 401]
    assert whoami(anonymous, bearer(third)) == same
    assert "revoked" in keys.run("revoke", "news").output
    assert whoami(anonymous, bearer(third)) == 401


def test_a_key_is_accepted_in_three_headers(keys: Keys, anonymous: FlaskClient) -> None:
    secret = keys.make()
    right = [basic(f"news:{secret}"), basic(f"1:{secret}"), bearer(secret), {"X-API-Key": secret}]
    right.append({"X-API-Key": secret, **bearer("wrong")})
    assert {whoami(anonymous, headers)["name"] for headers in right} == {"news"}
    wrong: list[dict[str, str]] = [
        basic(f"other:{secret}"), basic(f"2:{secret}"), basic(f":{secret}"), basic("news:"),
        basic(f"news:{secret} "), bearer(secret[:-1]), {"X-API-Key": ""},
        {"Authorization": secret}, {"X-API-Key": "wrong", **bearer(secret)},
    ]  # fmt: skip
    assert {whoami(anonymous, headers) for headers in wrong} == {401}


def test_once_there_was_a_key_there_is_no_local_mode(keys: Keys) -> None:
    client = create_app({"DATABASE_URL": keys.database_url}).test_client()
    assert client.get("/feeds").status_code == 200
    secret = keys.make("news", "feeds:read")
    assert client.get("/feeds").status_code == 401
    assert client.get("/feeds", headers=bearer(secret)).status_code == 200
    keys.run("revoke", "news")
    assert client.get("/feeds").status_code == 401


def test_every_worker_knows_a_key_and_its_end_at_once(keys: Keys, start_server: Start) -> None:
    most = {"LANDFORM_FAILED_ATTEMPTS_PER_MINUTE": "100"}
    servers = [start_server(LANDFORM_DATABASE_URL=keys.database_url, **most) for _ in range(2)]

    def everywhere(secret: str) -> set[int]:
        asked = [server.send("GET", "/whoami", bearer(secret), None) for server in servers * 6]
        return {status for status, *_ in asked}

    for name in ("one", "two", "three"):
        secret = keys.make(name)
        assert everywhere(secret) == {200}
        keys.run("revoke", name)
        assert everywhere(secret) == {401}
