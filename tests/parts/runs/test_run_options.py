"""How long runs are kept is an option of the part, and a setting of the standalone service."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from applications import Client, service
from databases import run_sql

from landform.parts.runs import Runs
from landform.service import create_blueprint
from landform.service.python.api import Api
from landform.storage.clock import utc_text

SUCCESS = {"state": "success", "attempt": 1}


def age_runs(url: str) -> None:
    """Let the first run be five days old, and the second one a day and a half."""
    for number, hours in ((1, 120), (2, 36)):
        written = utc_text(datetime.now(UTC) - timedelta(hours=hours))
        run_sql(url, f"UPDATE feed_run SET modified_utc = '{written}' WHERE id = {number}")


def entries_of_host(url: str, **given: Any) -> list[str]:
    """Return the entries whose runs are kept by a host with these arguments."""
    api: Api = create_blueprint(url, **given).api
    api.create_feed(form_id=1, addon_slug="a", meta={"k": 1})
    for number in (1, 2):
        api.claim_run(1, entry_id=f"e{number}")
        api.end_run(1, number, **SUCCESS)
    age_runs(url)
    api.claim_run(1, entry_id="e3")
    return [run["entry_id"] for run in api.list_runs(order="asc")]


def entries_of_service(url: str, **settings: Any) -> list[str]:
    """Return the entries whose runs are kept by a service with these settings."""
    client: Client = service(url, **settings)
    client.feed()
    for number in (1, 2):
        assert client.post("/feeds/1/runs", json={"entry_id": f"e{number}"}).status_code == 201
        assert client.patch(f"/feeds/1/runs/{number}", json=SUCCESS).status_code == 200
    age_runs(url)
    assert client.post("/feeds/1/runs", json={"entry_id": "e3"}).status_code == 201
    return [run["entry_id"] for run in client.get("/runs?order=asc").get_json()]


@pytest.mark.parametrize(
    ("entries", "given"),
    [(entries_of_host, {"parts": [Runs(days=1)]}), (entries_of_service, {"RUN_DAYS": "1"})],
    ids=["host", "service"],
)
def test_runs_are_kept_for_so_many_days(
    make_database: Callable[[], str], entries: Callable[..., list[str]], given: Any
) -> None:
    assert entries(make_database()) == ["e1", "e2", "e3"]
    assert entries(make_database(), **given) == ["e2", "e3"]


@pytest.mark.parametrize("days", [0, 36_501, "many", None, 1.5, True])
def test_a_number_of_days_that_runs_cannot_be_kept_is_refused_by_its_name(days: Any) -> None:
    with pytest.raises(ValueError, match=r"^run days must be a whole number from 1 to 36500$"):
        Runs(days=days)


def test_the_setting_is_named_in_the_message(database_url: str) -> None:
    with pytest.raises(Exception, match="RUN_DAYS must be a whole number from 1 to 36500"):
        service(database_url, RUN_DAYS=0)
