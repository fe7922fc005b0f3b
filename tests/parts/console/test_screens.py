"""Every screen of the console: accessible, narrow enough for a phone, and reached by keyboard."""

from pathlib import Path
from typing import Any

import pytest
from applications import when
from browsers import Console, has_tools, validate
from conftest import Server, needs, needs_part

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
pytestmark = [
    needs_part("leads"), needs_part("runs"), needs_part("webhooks"), pytest.mark.clients,
]  # fmt: skip
# Each screen, and what it shows once its data are there.
SCREENS = {
    "#/": "HTTP 503", "#/pages": "Summer sale", "#/pages/1": "Slug", "#/pages/1/revisions": "title",
    "#/pages/new": "Title", "#/forms": "Form 1", "#/forms/1": "The preview shows what is saved.",
    "#/entries": "Ada", "#/entries/1": "No feed was run for this entry.", "#/feeds": "Form 3",
    "#/feeds?form_id=3": "Newsletter", "#/feeds/1": "Settings as JSON",
    "#/feeds/new?form_id=3": "Add the feed", "#/plan?form_id=3": "Show the plan",
    "#/runs": "HTTP 503", "#/runs?state=due": "There are no such runs.",
    "#/webhooks": "https://example.com/hook", "#/webhooks/1": "Last deliveries",
    "#/webhooks/new": "Create webhook", "#/events": "run.failed",
    "#/nowhere": "There is no such screen.",
}  # fmt: skip


@pytest.fixture(scope="module")
def filled(console_server: Server) -> Server:
    """A server that has something of everything."""

    def write(method: str, path: str, body: Any = None) -> Any:
        status, made = console_server.call(method, path, body)
        assert status < 300, made
        return made

    write("POST", "/pages", {"title": "Summer sale", "content": "<p>Words.</p>"})
    write("PATCH", "/pages/1", {"title": "Summer sale again"})
    field = {"id": 1, "type": "text", "label": "Name"}
    write("POST", "/forms", {"title": "Contact", "fields": [field]})
    write("POST", "/entries", {"form_id": 1, "1": "Ada"})
    meta = {**when("2", "yes"), "feedName": "Newsletter"}
    write("POST", "/feeds", {"form_id": 3, "addon_slug": "crm", "meta": meta})
    run = write("POST", "/feeds/1/runs", {"entry_id": "17"})
    failed = {"state": "failed", "attempt": 1, "code": "HTTP 503", "message": "Maintenance."}
    write("PATCH", f"/feeds/1/runs/{run['id']}", failed)
    hook = {"url": "https://example.com/hook", "types": ["page.*", "run.failed"], "active": False}
    write("POST", "/webhooks", hook)
    return console_server


# Among the tests that have the checker installed.
@pytest.mark.clients
@pytest.mark.parametrize("address", SCREENS)
@has_tools
def test_a_screen_is_accessible_on_a_phone_and_at_200_percent(
    console: Console, filled: Server, address: str
) -> None:
    for width, zoom, dark in ((1280, 1, False), (1280, 2, True), (360, 1, True)):
        console.width(width, dark=dark, zoom=zoom)
        console.open(address, SCREENS[address])
        console.misses("Loading")
        seen = width, zoom, dark, console.overflows(), console.axe()
        assert seen == (width, zoom, dark, False, [])


@pytest.mark.clients
@has_tools
def test_what_prevents_a_save_is_accessible_on_a_phone(console: Console, filled: Server) -> None:
    for width, dark in ((1280, False), (360, True)):
        console.width(width, dark=dark)
        console.open("#/pages/1")
        console.type("Languages", "not one")
        console.click("Save", sees="Nothing was saved.")
        assert (width, console.overflows(), console.axe()) == (width, False, [])
        console.click("Discard changes")
        console.type("Title", f"Autumn sale {width}")
        console.server.call("PATCH", "/pages/1", {"title": f"Winter sale {width}"})
        console.click("Save", sees="has saved this page meanwhile")
        assert (width, console.overflows(), console.axe()) == (width, False, [])
        console.click("Discard changes")
        console.open("#/forms/1")
        console.type("Title", f"Contact {width}")
        form = console.server.call("GET", "/forms/1")[1]
        console.server.call("PUT", "/forms/1", {**form, "title": f"Write to us {width}"})
        console.click("Save", sees="has saved this form meanwhile")
        assert (width, console.overflows(), console.axe()) == (width, False, [])
        console.click("Discard changes")


@pytest.mark.parametrize("address", SCREENS)
def test_all_of_a_screen_is_reached_by_keyboard_and_the_focus_is_seen(
    console: Console, filled: Server, address: str
) -> None:
    console.open(address, SCREENS[address])
    console.misses("Loading")
    script = """
        const controls = "a[href], button, input, select, textarea, summary, [tabindex='0']";
        const isUsed = (one) => !one.matches(":disabled, [tabindex='-1']") && one.checkVisibility();
        return [...document.querySelectorAll(controls)].filter(isUsed).length;
    """
    wanted, reached = console.driver.execute_script(script), 0
    seen = """
        const one = document.activeElement, style = getComputedStyle(one);
        if (one === document.body || one.isMarked) return null;
        one.isMarked = true;
        return style.outlineStyle !== "none" || one.matches("iframe");
    """
    console.driver.execute_script("document.activeElement.blur()")
    for _ in range(wanted * 4 + 10):
        console.press(Keys.TAB)
        is_seen = console.driver.execute_script(seen)
        assert is_seen is not False, console.focused
        reached += bool(is_seen)
        if reached >= wanted:
            break
    assert reached >= wanted


@pytest.mark.clients
@has_tools
@needs("node")
def test_a_validator_finds_nothing_in_the_page(console_server: Server, tmp_path: Path) -> None:
    _, _, page = console_server.send("GET", "/console", {}, None)
    validate(tmp_path, console=page)
