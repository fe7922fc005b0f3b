"""A damaged value may be a secret: whatever its column, no error, log or command repeats it."""

import traceback
from pathlib import Path

import pytest
from applications import fill, service
from databases import run_sql
from files import command
from part_tables import filled_tables, tables
from peewee import TextField

from landform.storage import StorageError

SECRET = "hunter2"
# A text that is not UTF-8, which only SQLite stores; and one that is no date, number or JSON.
NO_UTF8, NO_VALUE = f"CAST(x'{SECRET.encode().hex()}ff' AS TEXT)", f"'{SECRET}{{'"
TEXTS = {
    model._meta.table_name: [
        field.name for field in model._meta.sorted_fields if isinstance(field, TextField)
    ]
    for model in filled_tables()
}
# Each column with no value of its kind, and all texts of a table at once.
DAMAGES = [
    (model._meta.table_name, field.name, NO_VALUE)
    for model in filled_tables()
    for field in model._meta.sorted_fields
    if field.name != "id"
] + [(table, "texts", NO_UTF8) for table, names in TEXTS.items() if names]
READS = (
    "/pages /pages?status=any&context=edit /pages?search=words&language=en /pages?slug=other"
    " /pages/1?context=edit /page-0-a/ /sitemap.xml /feeds /feeds/1"
    " /events /wp-json/wp/v2/users /wp-json/gf/v2/forms"
).split()
READS += [path for paths in tables("LISTS") for path in paths]
WRITES = (
    ("POST", "/pages", {"title": "Page 0 Ä"}),
    ("PATCH", "/pages/1", {"title": "New", "meta": {"form_id": "4"}}),
    ("POST", "/pages/1/duplicate", {}), ("POST", "/pages/1/preview", {}),
    ("PATCH", "/feeds/1", {"meta": {"a": 1}}),
    ("POST", "/feeds/1/duplicate", {}), ("POST", "/forms/1/feeds/plan", {"entry": {"1": "a"}}),
    *(write for writes in tables("CHANGES_OF_STORED") for write in writes),
    ("DELETE", "/pages/1", {}),
)  # fmt: skip


def errors_of_requests(url: str) -> list[str]:
    """Send requests to a service, and return the errors that came; one if it does not start."""
    try:
        client = service(url)
    except StorageError as error:
        return ["".join(traceback.format_exception(error))]
    client.environ_base["HTTP_IDEMPOTENCY_KEY"] = "1"
    responses = [client.anonymous.get("/whoami", headers={"X-API-Key": "wrong"})]
    responses += [client.get(path) for path in READS]
    responses += [client.open(path, method=method, json=body) for method, path, body in WRITES]
    client.store.dispose()
    return [response.text for response in responses if response.status_code >= 400]


@pytest.mark.parametrize("damage", DAMAGES, ids=" ".join)
def test_a_damaged_value_is_repeated_nowhere(
    database_url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: tuple[str, str, str],
) -> None:
    table, column, value = damage
    if not database_url.startswith("sqlite:") and column not in TEXTS[table]:
        pytest.skip("PostgreSQL stores no such value")
    caplog.set_level("DEBUG", "landform")
    fill(database_url)
    model = next(model for model in filled_tables() if model._meta.table_name == table)
    key = model._meta.get_primary_keys()[-1]
    first = f"{key.column_name} = (SELECT min({key.column_name}) FROM {table})"
    columns = TEXTS[table] if column == "texts" else [column]
    damaged = ", ".join(f"{name} = {value}" for name in columns)
    run_sql(database_url, f"UPDATE {table} SET {damaged} WHERE {first}")
    results = [
        command(database_url, "verify"),
        command(database_url, "copy", database_url, f"sqlite:///{tmp_path}/copy.db"),
    ]
    if (exported := command(database_url, "export")).exit_code:
        results.append(exported)
    for result in results:
        assert isinstance(result.exception, (SystemExit, type(None)))
    texts = [*(result.output for result in results), *errors_of_requests(database_url)]
    assert SECRET not in "\n".join([*texts, caplog.text])
