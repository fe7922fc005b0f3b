"""What a row holds that cannot be read is repeated nowhere: it may be a secret."""

import traceback

import pytest
from applications import Client
from databases import run_sql

from landform.service import ApiError, Identity

SECRET = "hunter2"


@pytest.mark.sqlite("only SQLite stores a text that is not UTF-8")
def test_an_exception_for_a_damaged_row_does_not_contain_its_text(
    client: Client, database_url: str
) -> None:
    page = client.page(password=SECRET)
    damaged = f"{SECRET.encode().hex()}ff"
    run_sql(database_url, f"UPDATE page SET password = CAST(x'{damaged}' AS TEXT)")
    api = client.application.blueprints["landform"].api.as_caller(Identity("host"))
    with pytest.raises(ApiError) as raised:
        api.get_page(page["id"], context="edit")
    told = "".join(traceback.format_exception(raised.value))
    assert "Could not decode" in told
    assert SECRET not in told


@pytest.mark.postgresql
def test_a_row_that_postgresql_refuses_is_not_logged(
    client: Client, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    run_sql(database_url, "ALTER TABLE page ADD CONSTRAINT odd CHECK (author <> 7)")
    try:
        refused = client.post("/pages", json={"title": "A", "author": 7, "password": SECRET})
    finally:
        run_sql(database_url, "ALTER TABLE page DROP CONSTRAINT odd")
    assert refused.status_code == 500
    assert "odd" in caplog.text
    assert SECRET not in refused.text + caplog.text
