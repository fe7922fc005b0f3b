"""What a row holds that cannot be read is repeated nowhere: it may be a secret."""

import pytest
from applications import Client
from databases import run_sql

SECRET = "hunter2"


@pytest.mark.sqlite("only SQLite stores a text that is not UTF-8")
def test_a_damaged_password_is_in_no_log_and_in_no_response(
    client: Client, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    page = client.page(password=SECRET)
    damaged = f"{SECRET.encode().hex()}ff"
    run_sql(database_url, f"UPDATE page SET password = CAST(x'{damaged}' AS TEXT)")
    for path in (f"/pages/{page['id']}", "/pages?context=edit", f"/{page['slug']}/"):
        response = client.get(path)
        assert response.status_code == 503
        assert SECRET not in response.text
    assert "Could not decode" in caplog.text
    assert SECRET not in caplog.text
