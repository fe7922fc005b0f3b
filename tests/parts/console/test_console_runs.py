"""Runs in the console: failures first, filters that are addresses, and replays."""

from itertools import count
from typing import Any

from browsers import Console
from conftest import Server, needs_part

pytestmark = needs_part("runs")
FORMS = count(3)


def make_runs(server: Server, *states: str) -> tuple[int, int]:
    """Run a new feed of a new form for the entries 1, 2, 3, ...; return both their numbers."""
    form = next(FORMS)
    body = {"addon_slug": "crm", "meta": {"feedName": "F"}}
    _, feed = server.call("POST", f"/forms/{form}/feeds", body)
    for entry, state in enumerate(states, 1):
        path = f"/feeds/{feed['id']}/runs"
        _, run = server.call("POST", path, {"entry_id": str(entry)})
        end: dict[str, Any] = {"state": state, "attempt": 1}
        if state == "failed":
            end |= {"code": "HTTP 503", "message": f"Maintenance {entry}."}
        if state != "claimed":
            assert server.call("PATCH", f"{path}/{run['id']}", end)[0] == 200
    return form, feed["id"]


def test_failures_come_first_with_counts_and_filters_are_in_the_address(console: Console) -> None:
    form, feed = make_runs(console.server, "success", "failed", "claimed", "failed", "success")
    console.open(f"#/runs?form_id={form}")
    console.sees("Failed 2", "Claimed 1", "Success 2", "Skipped 0", "All 5", "2 runs")
    assert console.text.index("Maintenance 4.") < console.text.index("Maintenance 2.")
    console.sees("HTTP 503", "attempt 1", f"F, Form {form}")
    console.click("Success 2")
    console.misses("Maintenance")
    assert "state=success" in console.driver.current_url
    console.driver.back()
    console.sees("Maintenance 4.")
    console.type("Entry", "2")
    console.misses("Maintenance 4.")
    assert console.driver.current_url.endswith(f"form_id={form}&entry_id=2")
    console.driver.refresh()
    console.sees("Maintenance 2.")
    assert (console.value("Form"), console.value("Entry")) == (str(form), "2")
    console.find(f"//a[.='F' and @href='#/feeds/{feed}']").click()
    console.field("Add-on")
    assert console.driver.current_url.endswith(f"#/feeds/{feed}")


def test_a_run_is_replayed_and_due_then(console: Console) -> None:
    form, feed = make_runs(console.server, "failed", "failed", "failed")
    console.open(f"#/runs?form_id={form}")
    console.click(f"Replay feed {feed} for entry 2")
    console.sees(f"The run of feed {feed} for entry 2 is pending: a worker runs it once more.")
    console.sees("Failed 2", "Due 1", "Pending 1")
    console.until(lambda: console.focused == f"Replay feed {feed} for entry 1")
    console.click("Due 1", sees="pending")
    console.misses("Maintenance 1.")


def test_a_run_that_has_gone_on_since_it_was_shown_is_not_replayed(console: Console) -> None:
    form, feed = make_runs(console.server, "failed")
    console.open(f"#/runs?form_id={form}")
    replay = console.button(f"Replay feed {feed} for entry 1")
    path = f"/feeds/{feed}/runs"
    _, [run] = console.server.call("GET", f"/runs?feed_id={feed}")
    console.server.call("POST", f"{path}/{run['id']}/replay")
    console.server.call("POST", path, {"entry_id": "1"})
    ended = {"state": "success", "attempt": 2}
    assert console.server.call("PATCH", f"{path}/{run['id']}", ended)[0] == 200
    replay.click()
    console.sees("This run has changed meanwhile. Nothing was replayed")
    _, [run] = console.server.call("GET", f"/runs?feed_id={feed}")
    assert run["state"] == "success"


def states(server: Server, feed: int) -> list[str]:
    return [
        run["state"]
        for run in server.call("GET", f"/runs?feed_id={feed}&order=asc&per_page=100")[1]
    ]


def test_a_success_is_repeated_only_after_a_question(console: Console) -> None:
    form, feed = make_runs(console.server, "success")
    console.open(f"#/runs?form_id={form}&state=success")
    console.click(f"Replay feed {feed} for entry 1", sees="This run was a success.")
    console.click("Cancel")
    console.misses("This run was a success.")
    assert states(console.server, feed) == ["success"]
    console.click(f"Replay feed {feed} for entry 1", sees="This run was a success.")
    console.find("//dialog//button[.='Replay']").click()
    console.sees(f"The run of feed {feed} for entry 1 is pending")
    assert states(console.server, feed) == ["pending"]


def test_all_that_failed_is_repeated_at_once(console: Console) -> None:
    form, feed = make_runs(console.server, "failed", "success", *["failed"] * 26)
    _, other = make_runs(console.server, "failed")
    console.open(f"#/runs?form_id={form}")
    console.click("Repeat all that failed", sees="Repeat 27 failed runs?")
    console.find("//dialog//button[.='Repeat all that failed']").click()
    console.sees("27 runs of 27 are pending.", "No run has failed.")
    console.misses("Repeat all that failed")
    assert states(console.server, feed) == ["pending", "success", *["pending"] * 26]
    assert states(console.server, other) == ["failed"]
