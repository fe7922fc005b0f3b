"""Lists and the header of the console: words stay whole, and a phone shows the first page."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from browsers import AXE, Console
from conftest import Start, needs_part

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
ActionChains = pytest.importorskip("selenium.webdriver.common.action_chains").ActionChains
BROKEN = Path(__file__).with_name("broken_words.js").read_text()
TOP = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"


def make(console: Console, **fields: Any) -> int:
    status, page = console.server.call("POST", "/pages", fields)
    assert status == 201, page
    return int(page["id"])


@needs_part("runs")
@needs_part("webhooks")
def test_words_stay_on_one_line_and_a_phone_shows_the_first_page_at_once(console: Console) -> None:
    # Of an author whose pages no other test makes.
    make(console, title="Summer sale " * 5, meta={"starts_at": "2026-01-01"}, author=77)
    make(console, title="x" * 90, slug="y" * 60, status="private", author=77)
    call = console.server.call
    call("POST", "/feeds", {"form_id": 3, "addon_slug": "mailchimp", "meta": {"feedName": "F"}})
    call("POST", "/feeds/1/runs", {"entry_id": "17"})
    failed = {"state": "failed", "attempt": 1, "code": "HTTP 503", "message": "Maintenance " * 9}
    call("PATCH", "/feeds/1/runs/1", failed)
    hook = {"url": "https://example.com/hook", "types": ["page.*"], "active": False}
    assert call("POST", "/webhooks", hook)[0] == 201
    for width in (1280, 1000, 800, 360):
        console.width(width)
        for address, text in {
            "#/pages": "Summer sale", "#/feeds?form_id=3": "mailchimp", "#/runs": "HTTP 503",
            "#/webhooks": "example.com", "#/events": "run.failed",
        }.items():  # fmt: skip
            console.open(address, text)
            found = console.overflows(), console.driver.execute_script(BROKEN)
            assert (width, address, *found) == (width, address, False, [])
    console.open("#/pages?author=77", "Summer sale", "Filters and order (1 used)", "2 pages")
    header, page = (console.driver.execute_script(TOP, one) for one in (".top", "tbody th"))
    assert header < 80
    assert page < 640
    assert not console.driver.find_element("name", "author").is_displayed()
    console.click("Filters and order (1 used)")
    console.type("Author (number)", "7")
    console.sees("No page matches these filters.")
    console.width(1280)
    console.open("#/pages?status=private", "1 page", "Author (number)")
    console.misses("1 pages")
    console.misses("Filters and order")
    # The docs have the same colors.
    colors = """
        const colors = ["body", "a", "input", "h1"].map((name) => {
          const style = getComputedStyle(document.querySelector(name));
          return [style.color, style.backgroundColor];
        });
        return JSON.stringify(colors.map(([text, back], at) => (at === 2 ? text : [text, back])));
    """
    for dark in (False, True):
        console.width(1280, dark=dark)
        console.open("#/pages", "Sum")
        shown = console.driver.execute_script(colors)
        console.driver.get(f"{console.server.url}/docs")
        console.sees("List pages")
        assert console.driver.execute_script(colors) == shown


def test_a_link_in_a_new_tab_is_signed_in_and_nothing_else_is_kept(console: Console) -> None:
    driver = console.driver
    driver.execute_script("sessionStorage.clear()")
    console.open("#/pages")
    console.type("Name", "admin")
    console.type("Secret or key", "secret")
    console.find("//dialog//button[.='Sign in']").click()
    console.sees("Sign out")
    first = driver.current_window_handle

    def click_with_ctrl(link: Any) -> None:
        ActionChains(driver).key_down(Keys.CONTROL).click(link).key_up(Keys.CONTROL).perform()

    def click_in_the_middle(link: Any) -> None:
        place = {"x": link.rect["x"] + 5, "y": link.rect["y"] + 5, "button": "middle"}
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "clickCount": 1, **place}
            driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    for click in (click_with_ctrl, click_in_the_middle):
        click(console.button("Feeds"))
        console.until(lambda: len(driver.window_handles) == 2, "A tab opens.")
        [new] = {*driver.window_handles} - {first}
        driver.switch_to.window(new)
        console.sees("Open", "Sign out")
        assert driver.current_url.endswith("/console#/feeds")
        kept = "return [{...sessionStorage}, {...localStorage}, document.cookie, window.opener]"
        assert driver.execute_script(kept) == [{}, {}, "", None]
        driver.refresh()
        console.sees("Secret or key")
        driver.close()
        driver.switch_to.window(first)
        assert driver.current_url.endswith("/console#/pages")
        assert driver.execute_script(kept) == [{}, {}, "", None]


@needs_part("runs")
def test_long_numbers_of_forms_stay_exact_and_problems_name_no_other_form(console: Console) -> None:
    logic = {"conditionalLogic": {"rules": [{"fieldId": "1", "operator": "like", "value": "x"}]}}
    meta = {"feedName": "Odd", "feed_condition_conditional_logic": "1"}
    meta["feed_condition_conditional_logic_object"] = logic  # type: ignore[assignment]
    body = {"form_id": 71, "addon_slug": "crm", "meta": meta}
    assert console.server.call("POST", "/feeds", body)[0] == 201
    console.open("#/plan?form_id=71")
    console.click("Show the plan", sees="cannot be understood")
    assert "undefined" not in console.text
    console.open("#/feeds?form_id=71")
    console.click("Duplicate Odd")
    console.type("Into the form", "9" * 30)
    console.find("//dialog//button[.='Duplicate']").click()
    console.until(lambda: console.field("Into the form").get_attribute("aria-invalid") == "true")
    console.type("Into the form", "99999999999999999")
    console.find("//dialog//button[.='Duplicate']").click()
    console.sees("is a copy in form 99999999999999999.", "Odd (copy)")
    [copy] = console.server.call("GET", "/forms/99999999999999999/feeds")[1]
    assert str(copy["form_id"]) == "99999999999999999"
    console.click("All feeds")
    console.click("Form 99999999999999999", sees="Odd (copy)")


def order(console: Console) -> str:
    rows = console.driver.find_elements("css selector", "tbody th")
    return "".join(row.text.removeprefix("Row ") for row in rows)


def stored(console: Console, number: int) -> Any:
    """Return status and slug of a page, or the status of the response."""
    status, page = console.server.call("GET", f"/pages/{number}?context=edit")
    return (page["status"], page["slug"]) if status == 200 else status


@pytest.fixture
def rows(console: Console) -> dict[str, int]:
    """Three pages and a draft, by the letter in their title, and the list of them."""
    for page in console.server.call("GET", "/pages?status=any&search=row&context=edit")[1]:
        console.server.call("DELETE", f"/pages/{page['id']}?force=true")
    made = {one: make(console, title=f"Row {one}", slug=f"row-{one}") for one in "bac"}
    made["d"] = make(console, title="Row d", status="draft")
    console.open("#/pages?search=row&orderby=title&order=asc")
    console.until(lambda: order(console) == "abcd")
    return made


def test_a_list_is_sorted_by_its_headings_and_a_row_is_trashed_and_brought_back_by_keyboard(
    console: Console, rows: dict[str, int]
) -> None:
    asked = console.driver.execute_script(
        "return performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"
    )
    assert sorted(one for one in asked if one.startswith("/pages")) == ["/pages", "/pages/counts"]
    console.button("Title").send_keys(Keys.ENTER)
    console.until(lambda: order(console) == "dcba")
    console.until(lambda: console.focused.startswith("Title"))
    assert console.find("//th[@aria-sort]").get_attribute("aria-sort") == "descending"
    assert "order=desc" in console.driver.current_url
    console.click("Slug")
    console.until(lambda: order(console) == "dabc")
    assert console.find("//th[@aria-sort]").text.startswith("Slug")
    console.button("Trash: Row a").send_keys(Keys.ENTER)
    console.sees("1 page was moved to the trash.", "Trash 1")
    console.focuses("View: Row b")
    assert stored(console, rows["a"]) == ("trash", "row-a__trashed")
    console.button("Undo").send_keys(Keys.ENTER)
    console.sees("1 page was brought back.", "Trash 0")
    console.focuses("Pages")
    assert stored(console, rows["a"]) == ("publish", "row-a")
    assert console.button("View: Row a").get_attribute("href").endswith("/row-a/")
    console.click("Duplicate: Row a")
    console.sees("1 page was copied as a draft.", "Row a (copy)")
    console.click("Edit: Row a (copy)")
    console.until(lambda: console.value("Title") == "Row a (copy)")


def test_what_is_done_with_selected_pages_stays_in_view_and_undo_overwrites_nothing(
    console: Console, rows: dict[str, int]
) -> None:
    console.width(360)
    for title in ("a", "b"):
        console.field(f"Select Row {title}").click()
    bar = console.find("//*[@aria-label='Selected pages']")
    if AXE.exists():
        assert console.axe() == []
    for edge in (0, 9999):
        console.driver.execute_script(f"scrollTo(0, {edge})")
        top = bar.rect["y"] - console.driver.execute_script("return scrollY")
        assert 0 < top < 900
    console.click("Move to the trash", sees="2 pages were moved to the trash.")
    console.focuses("Undo")
    # Somebody else writes one of them, which stays as it is.
    body = {"title": "Row other"}
    assert console.server.call("POST", f"/pages/{rows['b']}", body)[0] == 200
    console.click("Undo", sees="1 page was brought back. Row b: ")
    console.find("//*[@role='status' and contains(@class, 'error')]")
    console.focuses("Pages")
    assert not console.overflows()
    assert [stored(console, rows[one]) for one in "ab"] == [
        ("publish", "row-a"),
        ("trash", "row-b__trashed"),
    ]
    console.open("#/pages?status=trash&search=row")
    console.click("Restore: Row other", sees="1 page was restored as a draft.")
    console.open("#/pages?status=draft&search=row")
    console.click("Trash: Row other", sees="Undo")
    console.open("#/pages?status=trash&search=row")
    console.click("Delete: Row other")
    console.find("//dialog//button[.='Delete']").click()
    console.sees("1 page was deleted for good.")
    assert stored(console, rows["b"]) == 404
