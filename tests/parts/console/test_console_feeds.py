"""Feeds in the console: their list, order, switch, copies, editor, and the plan for an entry."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from applications import when
from browsers import AXE, Console
from conftest import Server, needs_part

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
ActionChains = pytest.importorskip("selenium.webdriver.common.action_chains").ActionChains
Feeds = Callable[..., list[int]]
FORMS = count(3)
# Longer than what a script of a browser holds exactly.
LONG = 1234567890123456789


@pytest.fixture
def form() -> int:
    """A form that no other test has."""
    return next(FORMS)


@pytest.fixture
def make_feeds(console_server: Server, form: int) -> Feeds:
    """Create a feed of the form for each name, in this order, and return their ids."""

    def make(*names: str, **meta: Any) -> list[int]:
        made = []
        for order, name in enumerate(names, 1):
            body = {"addon_slug": "crm", "feed_order": order, "meta": {**meta, "feedName": name}}
            status, feed = console_server.call("POST", f"/forms/{form}/feeds", body)
            assert status == 201, feed
            made.append(feed["id"])
        return made

    return make


def stored(server: Server, form: int, name: str = "id") -> list[Any]:
    return [feed[name] for feed in server.call("GET", f"/forms/{form}/feeds")[1]]


def ids(server: Server, form: int) -> list[int]:
    return [int(one) for one in stored(server, form)]


def feed_of(server: Server, feed_id: int) -> dict[str, Any]:
    feed: dict[str, Any] = server.call("GET", f"/feeds/{feed_id}")[1]
    return feed


def test_feeds_are_ordered_by_buttons_and_keys_that_keep_the_focus_and_by_drag(
    console: Console, make_feeds: Feeds, form: int
) -> None:
    a, b, c = make_feeds("Alpha", "Beta", "Gamma")
    console.open(f"#/feeds?form_id={form}")
    console.button("Down: Alpha").send_keys(Keys.ENTER)
    console.sees("Alpha is number 2 of 3.")
    console.focuses("Down: Alpha")
    console.press(Keys.ENTER)
    console.sees("Alpha is number 3 of 3.")
    assert ids(console.server, form) == [b, c, a]
    console.button("Move Gamma").click()
    console.press(Keys.ALT, Keys.ARROW_UP)
    console.sees("Gamma is number 1 of 3.")
    console.until(lambda: console.focused.startswith("Move Gamma"))
    assert ids(console.server, form) == [c, b, a]
    row = console.find("//tbody/tr[contains(., 'Gamma')]")
    ActionChains(console.driver).drag_and_drop(console.button("Move Alpha"), row).perform()
    console.sees("Alpha is number 1 of 3.")
    assert ids(console.server, form) == [a, c, b]


def test_an_order_overwrites_no_other_one(console: Console, make_feeds: Feeds, form: int) -> None:
    a, b, c = make_feeds("Alpha", "Beta", "Gamma")
    console.open(f"#/feeds?form_id={form}")
    console.button("Down: Alpha")
    # A feed of another form is no matter of this order.
    other = {"addon_slug": "crm", "meta": {"feedName": "Other"}}
    assert console.server.call("POST", f"/forms/{next(FORMS)}/feeds", other)[0] == 201
    console.click("Down: Alpha", sees="Alpha is number 2 of 3.")
    console.server.call("PUT", f"/forms/{form}/feeds/order", [c, b, a])
    console.click("Down: Alpha")
    console.sees("The order was not saved: somebody else has changed feeds meanwhile.")
    assert ids(console.server, form) == [c, b, a]
    console.click("Load the feeds anew")
    console.until(lambda: console.text.index("Gamma") < console.text.index("Beta"))
    console.click("Down: Gamma", sees="Gamma is number 2 of 3.")
    assert ids(console.server, form) == [b, c, a]


def test_a_feed_is_switched_off_copied_into_another_form_and_deleted_once_one_is_sure(
    console: Console, make_feeds: Feeds, form: int
) -> None:
    make_feeds("Alpha", "Beta")
    console.open(f"#/feeds?form_id={form}")
    console.field("Active: Alpha").click()
    console.sees("Alpha is off.")
    assert stored(console.server, form, "is_active") == ["0", "1"]
    console.click("Delete Alpha", sees="It cannot be brought back.")
    console.click("Cancel")
    console.focuses("Delete Alpha")
    console.click("Delete Alpha")
    console.find("//dialog//button[.='Delete' and not(@disabled)]").click()
    console.sees("was deleted.")
    console.misses("Alpha")
    console.focuses("Duplicate Beta")
    assert stored(console.server, form, "is_active") == ["1"]
    other = next(FORMS)
    console.click("Duplicate Beta")
    console.type("Into the form", str(other))
    console.find("//dialog//button[.='Duplicate']").click()
    console.sees(f"is a copy in form {other}. It is off.", "Beta (copy)")
    assert stored(console.server, other, "is_active") == ["0"]


def test_a_new_feed_of_a_form_is_written_in_fields(console: Console, form: int) -> None:
    console.open(f"#/feeds?form_id={form}")
    console.click("New feed")
    console.type("Name", "Newsletter")
    console.find("//select[@name='addon']/option[.='Another add-on']").click()
    console.type("Its name", "mailchimp")
    console.type("Settings as JSON", '{"list": ["a", null]')
    console.sees("This is not JSON")
    console.click("Add the feed")
    console.focuses("Settings as JSON")
    assert console.server.call("GET", f"/forms/{form}/feeds")[1] == []
    console.field("Settings as JSON").send_keys("}")
    console.field("Run only for entries that the rules match").click()
    console.click("Add a rule")
    console.focuses("Field")
    console.click("Add the feed", sees="Nothing was saved: a rule has no field.")
    assert console.field("Field").get_attribute("aria-invalid") == "true"
    for label, text in (("Field", "2.1"), ("Value", "yes")):
        console.type(label, text)
    console.find("//select[@name='operator']/option[.='contains']").click()
    console.click("Add the feed", sees="was added.")
    [made] = console.server.call("GET", f"/forms/{form}/feeds")[1]
    condition = when("2.1", "yes", "contains")
    assert made["meta"] == {**condition, "feedName": "Newsletter", "list": ["a", None]}
    assert (made["addon_slug"], made["is_active"]) == ("mailchimp", "1")
    console.find("//h1[.='Newsletter']")


def test_only_changes_are_saved_and_long_numbers_stay(console: Console, make_feeds: Feeds) -> None:
    [number] = make_feeds("Alpha", long=LONG, deep={"long": LONG, "old": 1, "kept": None})
    console.open(f"#/feeds/{number}")
    console.type("Name", "Beta")
    settings = console.value("Settings as JSON").replace('"old": 1', '"new": 2')
    console.type("Settings as JSON", settings)
    console.type("Event type", "refund")
    console.click("Save", sees="Saved.")
    feed = feed_of(console.server, number)
    deep = {"long": LONG, "new": 2, "kept": None}
    assert feed["meta"] == {"feedName": "Beta", "long": LONG, "deep": deep}
    assert feed["event_type"] == "refund"
    console.type("Form", "minus")
    console.click("Save", sees="form_id must be an integer.")
    assert console.field("Form").get_attribute("aria-invalid") == "true"


@pytest.mark.parametrize(("choice", "kept"), [
    ("yours", "mine"), ("stored", "theirs"),
])  # fmt: skip
def test_of_two_who_edit_a_feed_the_second_chooses_and_nothing_is_overwritten_before(
    console: Console, make_feeds: Feeds, choice: str, kept: str
) -> None:
    [number] = make_feeds("Alpha", list="old")
    console.open(f"#/feeds/{number}")
    console.type("Name", "mine")
    theirs = {"meta": {"feedName": "theirs", "list": "new"}}
    console.server.call("PATCH", f"/feeds/{number}", theirs)
    console.click("Save")
    heading = "Somebody else has saved this feed meanwhile"
    console.focuses(heading)
    section = console.find("//section[@aria-labelledby='conflict']")
    assert [one.text for one in section.find_elements("css selector", "h3, h4, pre")] == [
        "Name", "Yours", "mine", "Stored now", "theirs"
    ]  # fmt: skip
    assert "Changed by others only, and kept: meta.list." in section.text
    console.width(360, dark=True)
    assert not console.overflows()
    if AXE.exists():
        assert console.axe() == []
    console.width(1280)
    assert not console.button("Save").is_enabled()
    # Also after a reload.
    console.driver.refresh()
    console.sees("Somebody else has saved this feed meanwhile")
    assert feed_of(console.server, number)["meta"]["feedName"] == "theirs"
    console.find(f"//select[@name='keep-meta.feedName']/option[@value='{choice}']").click()
    console.click("Go on with these")
    console.misses("Somebody else")
    if kept == "mine":
        console.click("Save", sees="Saved.")
    # What only the other one has changed stays in both cases.
    assert feed_of(console.server, number)["meta"] == {"feedName": kept, "list": "new"}


@needs_part("runs")
def test_an_entry_that_is_tried_shows_which_feeds_run_and_why_the_others_do_not(
    console: Console, make_feeds: Feeds, form: int
) -> None:
    [runs, off] = make_feeds("Runs", "Is off")
    [asks] = make_feeds("Asks", **when("2", "Yes"))
    console.server.call("PATCH", f"/feeds/{off}", {"is_active": False})
    console.server.call("PATCH", f"/feeds/{asks}", {"feed_order": 3})
    console.open(f"#/plan?form_id={form}")
    console.type("Field", "2")
    console.type("Value", "No")
    console.click("Show the plan")
    console.sees("1 feed runs", "2 do not", "It is switched off.")
    console.sees("Its conditional logic is not met.", "2 is yes; the entry has no")
    console.focuses("1 feed runs")
    console.click("Write it as JSON")
    console.type("Entry as JSON", '{"2": ["No", "Yes"]}')
    console.click("Show the plan", sees="2 feeds run")
    console.click("Write it as fields")
    assert [console.value("Value", number) for number in (0, 1)] == ["No", "Yes"]
    # What no field can show stays as JSON, and is tried so.
    console.click("Write it as JSON")
    console.type("Entry as JSON", '{"2": {"first": "Yes"}}')
    console.click("Write it as fields")
    console.sees("Fields can show texts, numbers and lists of these only.")
    assert "first" in console.value("Entry as JSON")
    console.click("Show the plan", sees="Each value in entry must be a text, a number,")
    console.misses("2 feeds run")
    console.type("Entry as JSON", '{"2": "No"}')
    console.click("Write it as fields")
    _, run = console.server.call("POST", f"/feeds/{runs}/runs", {"entry_id": "17"})
    console.type("Id of the entry", "17")
    console.click("Show the plan")
    console.sees("It was run for this entry, is claimed now, or waits after a failure.")
    console.click("Its run", sees="1 run")
    assert run["entry_id"] in console.text
