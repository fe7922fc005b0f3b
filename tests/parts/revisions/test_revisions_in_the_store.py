"""Revisions in exports, imports and databases of an earlier version."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import Client, host_of, service
from conftest import basic
from databases import run_sql
from files import command, written

from landform.parts.revisions import Revisions
from landform.storage import Store

META = {"form_id": "3"}


def new_service(url: str) -> Client:
    client = service(url)
    client.url = url  # type: ignore[attr-defined]
    return client


@pytest.fixture
def one(make_database: Callable[[], str]) -> Client:
    """A service with two pages, of which a key of author 9 changed the second."""
    client = new_service(make_database())
    for title in ("First", "Second"):
        client.page(title=title, meta=META, author=2)
    key = client.key("nine", "pages:write", author=9)
    assert client.anonymous.patch("/pages/2", json={"title": "Later"}, headers=key).is_json
    client.delete("/pages/1")
    return client


@pytest.fixture
def other(make_database: Callable[[], str]) -> Client:
    return new_service(make_database())


def exported(client: Client, *options: str) -> list[dict[str, Any]]:
    result = command(client.url, "export", *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def kept(client: Client) -> dict[int, Any]:
    return {row["id"]: row["revisions"] for row in exported(client, "--pages", "--revisions")}


def test_an_export_may_take_revisions_along(one: Client, other: Client, tmp_path: Path) -> None:
    assert [[row["changed"] for row in rows] for rows in kept(one).values()] == [
        [["slug", "status"]], [["title"]],
    ]  # fmt: skip
    assert all("revisions" not in row for row in exported(one))
    lines = exported(one, "--revisions")
    file = written(tmp_path / "all", lines)
    # Also the second time, when no page changes.
    for options in ([], ["--by", "slug"]):
        assert command(other.url, "import", *options, file).exit_code == 0
        assert kept(other) == kept(one)
        run_sql(other.url, "DELETE FROM page_revision")
    assert command(other.url, "import", "--map-form", "3=8", file).exit_code == 0
    assert kept(other)[2][0]["meta"]["form_id"] == "8"
    lines[1]["revisions"][0]["changed"] = ["nothing"]
    refused = command(other.url, "import", written(tmp_path / "wrong", lines))
    assert (refused.exit_code, "revisions" in refused.output) == (1, True)


def test_an_import_keeps_as_many_as_the_setting_says(
    one: Client, other: Client, tmp_path: Path
) -> None:
    for number in range(4):
        one.patch("/pages/2", json={"title": str(number)})
    file = written(tmp_path / "all", exported(one, "--revisions"))
    assert command(other.url, "import", file, LANDFORM_REVISIONS="2").exit_code == 0
    assert [row["title_raw"] for row in kept(other)[2]] == ["1", "2"]


def test_a_changing_import_makes_a_revision(one: Client, other: Client, tmp_path: Path) -> None:
    file = written(tmp_path / "all", exported(one))
    command(other.url, "import", file)
    headers = other.key("nine", "pages:write", author=9)
    other.anonymous.patch("/pages/2", json={"title": "Here"}, headers=headers)
    assert command(other.url, "import", file).exit_code == 0
    found = [(row["title_raw"], row["author"], row["replaced_by"]) for row in kept(other)[2]]
    assert found == [("Later", 2, 9), ("Here", 9, 2)]


def test_a_damaged_revision_stops_an_export_with_its_number(one: Client) -> None:
    run_sql(one.url, "UPDATE page_revision SET meta = '{' WHERE page = 2")
    result = command(one.url, "export", "--revisions")
    assert result.exit_code == 1
    assert "The meta of row 1 of page_revision is no JSON" in result.output


def test_a_page_that_is_deleted_for_good_has_none(one: Client) -> None:
    assert run_sql(one.url, "SELECT count(*) FROM page_revision WHERE page = 2") == [(1,)]
    one.delete("/pages/2?force=true")
    assert run_sql(one.url, "SELECT count(*) FROM page_revision WHERE page = 2") == [(0,)]


def test_a_blueprint_without_them_writes_none(make_database: Callable[[], str]) -> None:
    for parts, statuses in (((), (404, 0)), ((Revisions(most=1),), (200, 1))):
        url = make_database()
        host = host_of(url, parts=parts, credentials={"admin": "secret"}).test_client()
        host.post("/pages", json={"title": "0"}, headers=basic("admin:secret"))
        for title in "12":
            host.patch("/pages/1", json={"title": title}, headers=basic("admin:secret"))
        listed = host.get("/pages/1/revisions", headers=basic("admin:secret"))
        ((count,),) = run_sql(url, "SELECT count(*) FROM page_revision")
        assert (listed.status_code, count) == statuses


# What 1.0.0 left: its core has made the table.
EARLIER = "DELETE FROM schema_migration WHERE name = 'revisions.0001_revisions'"


def test_the_table_of_an_earlier_version_is_kept(one: Client) -> None:
    before, rows = kept(one), run_sql(one.url, "SELECT * FROM page_revision ORDER BY id")
    one.store.dispose()
    run_sql(one.url, EARLIER)
    assert Store(one.url).migrate() == ["revisions.0001_revisions"]
    assert run_sql(one.url, "SELECT * FROM page_revision ORDER BY id") == rows
    assert kept(one) == before
    assert command(one.url, "verify").output == "Nothing is wrong.\n"
