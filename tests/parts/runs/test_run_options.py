"""How long runs are kept is an option of the part, and a setting of the standalone service."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from applications import service
from databases import run_sql

from landform.parts.runs import Runs
from landform.service import create_blueprint
from landform.service.python_api import Api
from landform.storage.clock import utc_text


def kept_entries(url: str, api: Api) -> list[str]:
    """Run three entries, two of them some time ago, and return those whose runs are kept."""
    api.create_feed(form_id=1, addon_slug="a", meta={"k": 1})
    for number, hours in ((1, 120), (2, 12)):
        api.claim_run(1, entry_id=f"e{number}")
        api.end_run(1, number, state="success", attempt=1)
        written = utc_text(datetime.now(UTC) - timedelta(hours=hours))
        run_sql(url, f"UPDATE feed_run SET modified_utc = '{written}' WHERE id = {number}")
    api.claim_run(1, entry_id="e3")
    return [run["entry_id"] for run in api.list_runs(order="asc")]


def test_runs_are_kept_for_so_many_days(make_database: Callable[[], str]) -> None:
    for days, kept in ((30, ["e1", "e2", "e3"]), (1, ["e2", "e3"])):
        url = make_database()
        assert kept_entries(url, create_blueprint(url, parts=[Runs(days=days)]).api) == kept
        url = make_database()
        landing: Any = service(url, RUN_DAYS=str(days)).application.blueprints["landform"]
        assert kept_entries(url, landing.api) == kept


@pytest.mark.parametrize("days", [0, 36_501, "many", None, 1.5, True])
def test_a_number_of_days_that_runs_cannot_be_kept_is_refused_by_its_name(days: Any) -> None:
    with pytest.raises(ValueError, match=r"^run days must be a whole number from 1 to 36500$"):
        Runs(days=days)


def test_the_setting_is_named_in_the_message(database_url: str) -> None:
    with pytest.raises(Exception, match="RUN_DAYS must be a whole number from 1 to 36500"):
        service(database_url, RUN_DAYS=0)
