"""A process never writes to a database whose schema is that of another version of landform."""

from typing import Any

import pytest
from applications import FEED, Client
from databases import run_sql
from part_tables import tables

from landform.storage.part import all_tables

NEWER = "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')"
BACK = "DELETE FROM schema_migration WHERE name = '9999_later'"
LAST = "SELECT max(name), max(applied) FROM schema_migration"
# One write of each kind.
WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/pages", {"title": "T"}),
    ("PATCH", "/pages/1", {"title": "T"}),
    ("DELETE", "/pages/1?force=true", None),
    ("POST", "/feeds", FEED),
    ("PUT", "/feeds/1", FEED),
    ("PUT", "/feeds/1/properties", {"is_active": False}),
    ("DELETE", "/feeds/1", None),
    ("DELETE", "/pages/1/preview", None),
    *(write for writes in tables("WRITES") for write in writes),
]


@pytest.fixture
def filled(client: Client) -> Client:
    client.page(title="Page")
    client.feed()
    return client


def rows(url: str) -> list[list[tuple[Any, ...]]]:
    names = [model._meta.table_name for model in all_tables()]
    return [run_sql(url, f"SELECT * FROM {name} ORDER BY 1") for name in names]


def send(client: Client, method: str, path: str, body: Any, **headers: str) -> tuple[int, str]:
    answer = client.open(path, method=method, json=body, headers=headers)
    return answer.status_code, (answer.get_json() or {}).get("code", "")


@pytest.mark.parametrize("is_newer", [True, False], ids=["newer", "older"])
def test_writes_are_refused_reads_go_on(filled: Client, database_url: str, is_newer: bool) -> None:
    before = rows(database_url)
    ((name, applied),) = run_sql(database_url, LAST)
    older = f"DELETE FROM schema_migration WHERE name = '{name}'"
    run_sql(database_url, NEWER if is_newer else older)
    for method, path, body in WRITES:
        assert send(filled, method, path, body) == (503, "storage_unavailable"), path
        keyed = send(filled, method, path, body, **{"Idempotency-Key": "key"})
        assert keyed == (503, "storage_unavailable"), path
    assert rows(database_url) == before
    for path in ("/pages", "/pages/1", "/feeds", "/feeds/1", "/events"):
        assert filled.get(path).status_code == 200, path
    told = filled.post("/pages", json={"title": "T"}).get_json()["message"]
    assert "schema of another version of landform" in told
    again = f"INSERT INTO schema_migration (name, applied) VALUES ('{name}', '{applied}')"
    run_sql(database_url, BACK if is_newer else again)
    assert filled.post("/pages", json={"title": "After"}).status_code == 201


def test_a_read_that_another_schema_forbids_is_a_503(filled: Client, database_url: str) -> None:
    run_sql(database_url, NEWER)
    run_sql(database_url, "ALTER TABLE page RENAME COLUMN content_rendered TO something")
    answer = filled.get("/pages/1?context=edit")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "storage_unavailable")
    assert "schema of another version" in answer.get_json()["message"]
    # Databases on a server are lent again.
    run_sql(database_url, "ALTER TABLE page RENAME COLUMN something TO content_rendered")
    run_sql(database_url, BACK)
