"""The start of the console: what there is, what comes next, and what needs a look."""

import json
from datetime import UTC, datetime, timedelta

from browsers import Console
from conftest import Start, needs_part

FEED = {"form_id": 3, "addon_slug": "crm", "meta": {"k": 1}}


def test_in_local_mode_an_empty_database_says_what_to_do_first_and_asks_for_nothing(
    console: Console, start_server: Start
) -> None:
    console.server = start_server(LANDFORM_CREDENTIALS="", LANDFORM_WORKERS="1")
    console.open("#/", "What to do first", "landform key create")
    assert "Sign out" not in console.text
    assert console.driver.find_elements("css selector", "dialog") == []
    console.click("Add a feed")
    console.field("Add-on")
    console.driver.back()
    # The list stays until there is a page too.
    post = """fetch("/feeds", {method: "POST", headers: {"Content-Type": "application/json"},
        body: arguments[0]}).then((answer) => arguments[1](answer.status))"""
    assert console.driver.execute_async_script(post, json.dumps(FEED)) == 201
    console.driver.refresh()
    console.click("Write a page")
    console.field("Title")


@needs_part("leads")
def test_a_page_leads_to_the_first_form_and_what_was_typed_stays(
    console: Console, start_server: Start
) -> None:
    console.server = start_server(LANDFORM_CREDENTIALS="", LANDFORM_WORKERS="1")
    console.open("#/pages/new")
    console.type("Title", "Summer sale")
    console.click("Make a form", sees="New form")
    console.type("Title", "Take part")
    console.click("Create form", sees="The form was created.")
    console.open("#/pages/new", "and did not save is here again")
    console.find("//select[@name='form_id']/option[.='Take part']").click()
    assert console.value("Title") == "Summer sale"
    assert "Make a form" not in console.text


@needs_part("runs")
@needs_part("webhooks")
def test_the_start_leads_to_what_is_there_comes_next_or_has_failed(console: Console) -> None:
    soon, later = (
        (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S") for days in (2, 4)
    )
    begun = f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M:%S}"
    call = console.server.call
    for title, more in (
        ("Goes live", {"status": "future", "date": soon}),
        ("Ends", {"meta": {"starts_at": begun, "ends_at": f"{later}+00"}}),
        ("Not yet", {"status": "draft"}),
    ):
        assert call("POST", "/pages", {"title": title, **more})[0] == 201
    call("POST", "/feeds", FEED)
    call("POST", "/feeds/1/runs", {"entry_id": "17"})
    failed = {"state": "failed", "attempt": 1, "code": "HTTP 503", "message": "Maintenance."}
    call("PATCH", "/feeds/1/runs/1", failed)
    off = {"url": "https://example.com/hook", "types": ["*"], "active": False}
    assert call("POST", "/webhooks", off)[0] == 201
    console.open("#/", "Published: 1", "Scheduled: 1", "Draft: 1")
    console.sees(f"is published {soon.replace('T', ' ')}", f"ends {later.replace('T', ' ')}")
    console.misses("starts ")
    console.sees("Entry 17, Feed 1", "HTTP 503 Maintenance.", "https://example.com/hook")
    assert "What to do first" not in console.text
    console.click("Draft", sees="Not yet")
    console.misses("Goes live")
    console.driver.back()
    console.click("The failed run", sees="Maintenance.")
