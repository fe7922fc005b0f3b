"""Pages in the console: the list, the editor, its previews, two people, and the history."""

import re
from typing import Any

import pytest
from browsers import Console, is_gone, make_key
from conftest import Server
from selenium.webdriver.common.keys import Keys

# What a person would have to fear of a content: each would name itself in the title of the window.
HOSTILE = (
    "</script><script>top.document.title='script'</script><img src=x onerror=\"top.document.title="
    "'handler'\"></textarea><svg onload=\"top.document.title='svg'\"><iframe srcdoc=\"<script>"
    "top.document.title='inner'</script>\"></iframe>"
)


def make(server: Server, **fields: Any) -> int:
    status, page = server.call("POST", "/pages", {"title": "A page", **fields})
    assert status == 201
    return int(page["id"])


def stored(server: Server, page_id: int) -> dict[str, Any]:
    page = server.call("GET", f"/pages/{page_id}?context=edit")[1]
    assert isinstance(page, dict)
    return page


def shown_in_preview(console: Console, text: str) -> None:
    """Wait until the frame of the preview shows a text."""

    def is_shown() -> bool:
        frame = console.find("//iframe[@title='Preview of the page']")
        try:
            console.driver.switch_to.frame(frame)
            return text in console.driver.find_element("tag name", "body").text
        except Exception as error:
            if not is_gone(error):
                raise
            return False
        finally:
            console.driver.switch_to.default_content()

    console.until(is_shown, text)


def as_code(console: Console) -> None:
    """Open the content of a page as code."""
    console.click("Edit as code")
    console.field("Content")


def set_dates(console: Console, **dates: str) -> None:
    """Fill date fields by their names."""
    script = (
        "for (const [name, value] of Object.entries(arguments[0])) {"
        " const one = document.querySelector(`[name=${name}]`);"
        " one.value = value; one.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    console.driver.execute_script(script, dates)


def test_a_new_page_is_written_scheduled_and_protected(console: Console) -> None:
    console.open("#/pages")
    console.click("New page")
    console.type("Title", "Spring sale")
    as_code(console)
    console.type("Content", "<p>Win a <b>boat</b>.</p>")
    shown_in_preview(console, "Win a boat.")
    set_dates(console, date="2031-03-01", starts_at="2031-04-01", ends_at="2031-05-01")
    console.find("//select[@name='status']/option[@value='publish']").click()
    console.type("Password", "wind")
    console.type("Form", "7")
    console.type("Languages", "en, de")
    console.type("Gallery", "https://example.com/boat.jpg")
    console.click("Create page")
    console.sees("The page was created.", "Scheduled: visitors see this page from 2031-03-01")
    page_id = int(console.driver.current_url.rpartition("/")[2])
    page = stored(console.server, page_id)
    assert (page["status"], page["password"], page["slug"]) == ("future", "wind", "spring-sale")
    assert page["date"] == "2031-03-01T00:00:00"
    meta = {name: value for name, value in page["meta"].items() if value}
    assert meta == {
        "starts_at": "2031-04-01", "ends_at": "2031-05-01", "form_id": "7",
        "language": ["en", "de"], "gallery": ["https://example.com/boat.jpg"],
    }  # fmt: skip


def test_filters_counts_and_paging_are_the_address(console: Console) -> None:
    for number in range(30):
        make(console.server, title=f"Kite {number:02}", status="private", author=40 + number % 2)
    make(console.server, title="Kite in German", status="draft", meta={"language": ["de"]})
    console.open("#/pages?status=private&search=kite&orderby=title&order=asc")
    console.sees("30 pages, page 1 of 2", "Kite 00")
    console.click("Next", sees="Kite 29")
    assert "page=2" in console.driver.current_url
    console.driver.back()
    console.sees("Kite 00")
    console.type("Author (number)", "41")
    console.sees("15 pages")
    console.misses("Kite 00")
    console.driver.refresh()
    console.sees("15 pages")
    assert console.value("Author (number)") == "41"
    console.open("#/pages?language=de&search=kite", "1 page", "Kite in German")
    console.open("#/pages?search=nothing-like-it", "No page matches these filters.")
    console.open("#/pages?after=2031-01-01&search=kite", "No page matches these filters.")


def test_pages_are_published_trashed_restored_and_deleted_at_once(console: Console) -> None:
    ids = [make(console.server, title=f"Batch {number}", status="draft") for number in range(3)]

    def statuses() -> list[Any]:
        found = [console.server.call("GET", f"/pages/{one}?context=edit") for one in ids]
        return [page["status"] if status == 200 else status for status, page in found]

    steps = [
        ("", "Publish", "published", ["publish"] * 3),
        ("publish", "Move to the trash", "moved to the trash", ["trash"] * 3),
        ("trash", "Restore as a draft", "restored as drafts", ["draft"] * 3),
        ("draft", "Move to the trash", "moved to the trash", ["trash"] * 3),
    ]
    for status, action, done, expected in steps:
        console.open(f"#/pages?search=batch&status={status}", "3 pages")
        console.field("Select all").click()
        console.click(action, sees=f"3 pages were {done}.")
        assert statuses() == expected
    console.open("#/pages?search=batch&status=trash")
    console.field("Select Batch 1").click()
    console.click("Delete for good", sees="Delete Batch 1 for good?")
    console.find("//dialog//button[normalize-space()='Delete for good']").click()
    console.sees("1 page was deleted for good.")
    assert statuses() == ["trash", 404, "trash"]


def test_what_one_of_several_refuses_is_said_and_the_others_go_on(console: Console) -> None:
    ids = [make(console.server, title=f"Refused {number}", status="draft") for number in range(2)]
    console.open("#/pages?search=refused", "2 pages")
    console.field("Select all").click()
    assert console.server.call("DELETE", f"/pages/{ids[0]}?force=true")[0] == 200
    console.click("Publish", sees="1 page was published. Refused 0: There is no such page")
    assert stored(console.server, ids[1])["status"] == "publish"


def test_two_people_overwrite_nothing_of_each_other(console: Console) -> None:
    both = "<p>Both.</p>"
    page_id = make(console.server, title="Ours", content=both, meta={"form_id": "1"})
    console.open(f"#/pages/{page_id}")
    as_code(console)
    console.type("Content", f"{both}\n<p>Mine.</p>")
    console.type("Slug", "my-slug")
    theirs = {"content": f"{both}\n<p>Theirs.</p>", "meta": {"form_id": "2"}}
    assert console.server.call("PUT", f"/pages/{page_id}", theirs)[0] == 200
    console.click("Save")
    kept = "Changed by others only, and kept: Form."
    console.sees("Author 1 has saved this page meanwhile", kept)
    console.focuses("Author 1 has saved this page meanwhile")
    # Only what both have changed is asked for, and only the lines that differ are shown.
    asked = console.driver.find_elements("xpath", "//select[starts-with(@name, 'keep-')]")
    assert [one.get_attribute("name") for one in asked] == ["keep-content"]
    shown = console.driver.find_elements("css selector", ".versions pre")
    assert [one.text for one in shown] == ["…\n<p>Mine.</p>", "…\n<p>Theirs.</p>"]
    page = stored(console.server, page_id)
    assert page["content"]["raw"] == theirs["content"]
    assert page["slug"] == "ours"
    console.find("//select[@name='keep-content']/option[@value='stored']").click()
    console.click("Go on with these")
    console.until(lambda: console.value("Content") == theirs["content"])
    console.click("Save", sees="The page was saved.")
    page = stored(console.server, page_id)
    assert page["content"]["raw"] == theirs["content"]
    assert (page["slug"], page["meta"]["form_id"]) == ("my-slug", "2")
    # Changes of different fields are joined, and saved once the user has seen them.
    console.type("Form", "3")
    assert console.server.call("PUT", f"/pages/{page_id}", {"title": "Theirs"})[0] == 200
    console.click("Save", sees="Both versions are joined here.")
    assert console.value("Title") == "Theirs"
    console.click("Save", sees="The page was saved.")
    page = stored(console.server, page_id)
    assert (page["title"]["raw"], page["meta"]["form_id"]) == ("Theirs", "3")


def test_what_is_typed_survives_a_reload_and_is_never_a_password(console: Console) -> None:
    page_id = make(console.server, title="Kept")
    console.open(f"#/pages/{page_id}")
    as_code(console)
    console.type("Content", "Not saved yet.")
    console.type("Password", "never-kept")
    console.driver.refresh()
    console.sees("and did not save is here again")
    assert console.value("HTML") == "Not saved yet."
    kept = console.driver.execute_script("return JSON.stringify({...localStorage})")
    assert "Not saved yet." in kept
    assert "never-kept" not in kept
    assert "secret" not in kept
    console.click("Discard changes")
    console.misses("Unsaved changes")
    console.driver.refresh()
    console.sees("Published: visitors see this page.", "Add a block")
    as_code(console)
    assert console.value("Content") == ""
    # What is typed from now on is no old draft.
    console.type("Content", "Another text.")
    assert "is here again" not in console.text
    # Of two tabs with this page none replaces in silence what the other one keeps.
    first = console.driver.current_window_handle
    console.driver.switch_to.new_window("tab")
    console.sign_in()
    console.open(f"#/pages/{page_id}", "and did not save is here again")
    console.type("HTML", "In another tab.")
    drafts = "return JSON.stringify({...localStorage})"
    console.until(lambda: "In another tab." in console.driver.execute_script(drafts))
    console.driver.close()
    console.driver.switch_to.window(first)
    console.field("Content").send_keys(" Here.")
    console.sees("what was typed in another tab is kept")
    assert "In another tab." in console.driver.execute_script(drafts)
    console.click("Pages")
    console.driver.switch_to.alert.dismiss()
    # Signing out deletes it, once the user accepts that.
    console.click("Sign out")
    console.driver.switch_to.alert.dismiss()
    assert console.value("Content") == "Another text. Here."
    # Also what was typed last, while the browser waits for a slow network.
    slow = {"offline": False, "latency": 600, "downloadThroughput": -1, "uploadThroughput": -1}
    console.driver.execute_cdp_cmd("Network.enable", {})
    console.driver.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
    console.field("Content").send_keys(" More.")
    console.click("Sign out")
    console.driver.switch_to.alert.accept()
    console.sees("Secret or key")
    console.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**slow, "latency": 0})
    console.driver.execute_cdp_cmd("Network.disable", {})
    kept = console.driver.execute_script("return JSON.stringify({...localStorage})")
    assert kept == "{}"


def test_the_bar_says_what_visitors_have_and_what_is_saved(console: Console) -> None:
    page_id = make(console.server, title="Bar", status="draft")
    console.open(f"#/pages/{page_id}")
    bar = console.find("//*[@aria-label='State and actions']")
    assert bar.text.split("\n")[0] == "Draft"
    assert console.button("Save").get_attribute("aria-disabled") == "true"
    # A draft has no date until it is given one.
    assert console.find("//input[@name='date']").get_attribute("value") == ""
    # As it was saved just now.
    assert re.search(r"Saved \d\d:\d\d", bar.text)
    console.type("Title", "Bars")
    console.until(lambda: "Unsaved changes" in bar.text)
    focused = console.driver.switch_to.active_element
    console.press(Keys.CONTROL, "s")
    console.until(lambda: "Saved " in bar.text and "Unsaved" not in bar.text)
    assert console.driver.switch_to.active_element == focused
    # It stays in view, also below, and hides no field that gets the focus.
    console.width(360)
    console.driver.execute_script("scrollTo(0, document.body.scrollHeight)")
    place = "return arguments[0].getBoundingClientRect().toJSON()"
    shown = console.driver.execute_script(place, bar)
    assert 0 <= shown["top"] < 100
    slug = console.field("Slug")
    below = "scrollBy(0, arguments[0].getBoundingClientRect().top - 5); arguments[0].focus()"
    console.driver.execute_script(below, slug)
    edges = [console.driver.execute_script(place, one) for one in (bar, slug)]
    assert edges[0]["bottom"] <= edges[1]["top"]
    # On a phone a field is as wide as the screen.
    assert edges[1]["width"] > 300
    console.width(1280)
    # So does the preview beside the fields.
    console.driver.execute_script("scrollTo(0, document.body.scrollHeight)")
    frame = console.find("//iframe[@title='Preview of the page']")
    assert console.driver.execute_script(place, frame)["bottom"] > 300
    # With a date that is cleared by its button, the keys still save.
    set_dates(console, starts_at="2031-04-01")
    console.button("Clear: Starts at")
    lines = """return [...document.querySelectorAll('.date-time')].map((one) =>
        [...one.children].map((part) => part.getBoundingClientRect()))"""
    for parts in console.driver.execute_script(lines):
        # Each begins before the others end.
        assert max(part["top"] for part in parts) < min(part["bottom"] for part in parts)
    console.press(Keys.CONTROL, "s")
    console.until(lambda: stored(console.server, page_id)["meta"]["starts_at"] == "2031-04-01")
    console.click("Clear: Starts at")
    console.until(lambda: console.focused.startswith("Starts at"))
    console.press(Keys.CONTROL, "s")
    console.until(lambda: stored(console.server, page_id)["meta"]["starts_at"] == "")
    for change, state in (
        ({"status": "publish"}, "Live"),
        ({"meta": {"starts_at": "2031-04-01"}}, "Opens 2031-04-01"),
        ({"meta": {"starts_at": "", "ends_at": "2021-04-01"}}, "Ended 2021-04-01"),
        ({"date": "2031-01-02T03:04:05"}, "Scheduled for 2031-01-02 03:04"),
        ({"status": "trash"}, "In the trash"),
    ):
        method, path = ("DELETE", "") if change == {"status": "trash"} else ("PUT", "")
        console.server.call(method, f"/pages/{page_id}{path}", change)
        console.open(f"#/pages/{page_id}")
        console.until(lambda state=state: state in console.text, state)


def test_view_opens_what_was_saved_last_and_no_page_of_a_cache(console: Console) -> None:
    page_id, driver = make(console.server, title="First", slug="viewed"), console.driver
    # Visitors may see it from a cache for some time.
    driver.get(f"{console.server.url}/viewed/")
    console.open(f"#/pages/{page_id}")
    editor = driver.current_window_handle
    for title in ("Second", "Third"):
        console.type("Title", title)
        console.click("Save", sees="The page was saved.")
        console.click("View")
        console.until(lambda: len(driver.window_handles) == 2, "A tab opens.")
        driver.switch_to.window(next(one for one in driver.window_handles if one != editor))
        console.sees(title)
        driver.close()
        driver.switch_to.window(editor)


def test_what_is_no_json_leads_to_its_field_and_a_date_stays_a_date(console: Console) -> None:
    page_id = make(console.server, title="Folded")
    console.open(f"#/pages/{page_id}")
    console.click("More meta, as JSON")
    console.type("viral_share", "[1")
    console.sees("This is not JSON")
    console.click("More meta, as JSON")
    console.click("Save", sees="Nothing was saved.")
    console.focuses("viral_share")
    # No draft has it, so that leaving asks; a discard ends it.
    console.click("Pages")
    console.driver.switch_to.alert.dismiss()
    console.click("Discard changes")
    console.misses("This is not JSON")
    console.until(lambda: "Unsaved changes" not in console.text)
    console.focuses("Folded")
    console.click("More meta, as JSON")
    assert console.value("viral_share") == "[]"
    console.type("viral_share", "[1]")
    set_dates(console, ends_at="12031-05-01")
    assert console.field("Ends at").get_attribute("type") == "date"
    set_dates(console, ends_at="2031-05-01")
    console.click("Save")
    console.until(lambda: stored(console.server, page_id)["meta"]["ends_at"] == "2031-05-01")
    assert stored(console.server, page_id)["meta"]["viral_share"] == [1]
    # A date that is not complete is not saved as if it were empty, or as before.
    console.type("Title", "Folded again")
    console.field("Ends at").send_keys(Keys.DELETE)
    console.field("Slug").send_keys(Keys.END)
    console.press(Keys.CONTROL, "s")
    console.focuses("Ends at")
    page = stored(console.server, page_id)
    assert (page["title"]["raw"], page["meta"]["ends_at"]) == ("Folded", "2031-05-01")
    console.field("Ends at").send_keys("05")
    console.press(Keys.CONTROL, "s")
    console.until(lambda: stored(console.server, page_id)["title"]["raw"] == "Folded again")


def test_values_that_no_page_can_use_are_refused_at_their_field(console: Console) -> None:
    page_id = make(console.server, title="Values", meta={"gallery": ["kept as it was"]})
    console.open(f"#/pages/{page_id}")
    for label, text, right in (
        ("Languages", "en, not one", "en, de-CH"),
        ("Form", "contact", "3"),
        ("Gallery", "boat.jpg", "https://example.com/boat.jpg"),
    ):
        console.type(label, text)
        console.field("Title").send_keys(Keys.END)
        console.click("Save")
        console.focuses(label)
        assert console.field(label).get_attribute("aria-invalid") == "true"
        # The message is where one has clicked.
        assert "Nothing was saved." in console.find("//*[@aria-label='State and actions']").text
        assert stored(console.server, page_id)["meta"]["language"] == []
        console.type(label, right)
    # A separator at the end is no value.
    console.field("Languages").send_keys(", ")
    console.press(Keys.CONTROL, "s")
    console.sees("The page was saved.")
    assert stored(console.server, page_id)["meta"]["language"] == ["en", "de-CH"]


def test_who_may_only_read_sees_the_page_and_no_form(console: Console) -> None:
    page_id = make(console.server, title="Only read", content="<p>As visitors see it.</p>")
    console.sign_in("", make_key(console.server, "pages:read"))
    console.open(f"#/pages/{page_id}", "Live", "Content")
    console.driver.switch_to.frame(console.find("//iframe[@title='Preview of the page']"))
    assert "As visitors see it." in console.text
    console.driver.switch_to.default_content()
    shown = "//*[self::input or self::textarea or self::select]"
    assert not any(one.is_displayed() for one in console.driver.find_elements("xpath", shown))


def test_notices_come_again_and_end_and_no_password_is_lost_silently(console: Console) -> None:
    page_id = make(console.server, title="Notices")
    console.open(f"#/pages/{page_id}")
    seen = []
    for text in ("One", "Two"):
        console.type("Title", text)
        console.click("Save")
        console.until(lambda text=text: stored(console.server, page_id)["title"]["raw"] == text)
        said = "//*[@role='status']/span[.='The page was saved.']"
        # The same text is a new element, which screen readers read.
        console.until(lambda said=said: console.find(said) not in seen)
        seen.append(console.find(said))
    console.misses("The page was saved.")
    console.type("Password", "wind")
    console.click("Pages")
    alert = console.driver.switch_to.alert
    assert "not saved" in alert.text
    alert.dismiss()
    assert console.value("Password") == "wind"
    console.click("Discard changes")
    console.click("Pages", sees="New page")
    console.misses("The page was saved.")


def test_an_open_editor_outlives_a_stop_of_the_service(console: Console) -> None:
    page_id = make(console.server, title="Stopped")
    console.open(f"#/pages/{page_id}")
    console.type("Title", "Went on")
    console.server.stop()
    console.click("Save", sees="The service cannot be reached.")
    assert console.value("Title") == "Went on"
    console.server.start()
    console.click("Save", sees="The page was saved.")
    assert stored(console.server, page_id)["title"]["raw"] == "Went on"


def test_nothing_of_a_content_runs(console: Console) -> None:
    page_id = make(console.server, title=HOSTILE, content=HOSTILE, slug="hostile")
    console.open("#/pages?search=script", "1 page")
    console.open(f"#/pages/{page_id}")
    console.until(lambda: "onerror" in console.value("HTML"))
    frame = console.find("//iframe[@title='Preview of the page']")
    assert frame.get_attribute("sandbox") == "allow-same-origin"
    console.type("Slug", "hostile-2")
    console.click("Save", sees="The page was saved.")
    console.click("History", sees="History of")
    console.driver.find_element("css selector", "tbody a").click()
    console.sees("Put back")
    assert console.driver.title.endswith("landform")
    assert console.driver.title.startswith("History of </script>")
    # The browser tells what the sandbox and the policy have refused.
    refused = ("Blocked script", "Content Security Policy", "Refused", "x:0", "Executing inline")
    assert all(any(word in one for word in refused) for one in console.errors())


def test_a_save_tells_of_a_slug_that_is_taken_and_alone_of_a_failure(console: Console) -> None:
    make(console.server, title="Summer sale", status="publish")
    console.open("#/pages?status=publish&search=Summer", "1 page")
    console.find("//tbody//th//a").click()
    console.find("//main//a[.='All pages']").click()
    console.sees("1 page")
    assert console.driver.current_url.endswith("status=publish&search=Summer")
    console.open("#/pages/new")
    console.type("Title", "Summer sale")
    console.find("//select[@name='status']/option[@value='publish']").click()
    console.click("Create page", sees="The page was created. The slug is “summer-sale-2”")
    page_id = int(console.driver.current_url.split("/")[-1].split("?")[0])
    console.type("Slug", "Summer sale")
    console.click("Save", sees="The slug is “summer-sale-2”, since “Summer sale” is taken")
    console.type("Slug", "Autumn sale")
    console.click("Save", sees="The page was saved.")
    console.misses("is taken")
    console.type("Languages", "not one")
    console.click("Save", sees="Nothing was saved.")
    assert "The page was saved." not in console.text
    assert stored(console.server, page_id)["slug"] == "autumn-sale"


def test_a_picture_keeps_its_place_free(console: Console) -> None:
    console.open("#/pages/new")
    console.click("Add a block")
    console.click("Picture")
    console.type("Address of the picture", f"{console.server.url}/console/console.svg")
    console.field("What it shows, for those who do not see it").click()
    console.sees("Undo")
    as_code(console)
    console.until(lambda: 'alt="" src="' in console.value("Content"))
    console.until(lambda: '" width="' in console.value("Content"))


def test_a_preview_is_as_wide_and_as_strict_as_the_site(console: Console) -> None:
    link = f"{console.server.url}/console/console.svg"
    unsafe = f'<p><img src="{link}" alt=""></p><p><img class="x" src="http://a.invalid/b.png"></p>'
    page_id = make(console.server, title="Wide", content=unsafe)
    warning = "A picture has an address with http:"
    console.open(f"#/pages/{page_id}", warning)
    shown_in_preview(console, "Wide")
    console.until(lambda: any("a.invalid" in error for error in console.errors()))
    frame = console.find("//iframe[@title='Preview of the page']")
    width = "return [arguments[0].contentWindow.innerWidth, arguments[0].clientWidth]"
    fits = (
        "const [one, box] = [arguments[0], arguments[0].parentElement];"
        "return Math.abs(one.getBoundingClientRect().width - box.clientWidth) < 1"
    )
    for pixels in (1280, 360):
        console.width(pixels)
        assert console.driver.execute_script(width, frame) == [1280, 1280]
        console.until(lambda: console.driver.execute_script(fits, frame))
        assert not console.overflows()
    safe = f'<p><img src="{link}" alt="see http://a.invalid/b.png"></p>'
    as_code(console)
    # No preview is loaded any more, nor what the policy would refuse.
    console.driver.execute_script("window.fetch = () => new Promise(() => {})")
    for picture in (
        '<img alt="a>b" src = "http://a.invalid/b.png">',
        f'<img src="{link}" srcset="{link} 1x, http://a.invalid/b.png 2x">',
        '<video poster="http://a.invalid/b.png"></video>',
    ):
        console.type("Content", safe)
        console.misses(warning)
        console.type("Content", picture)
        console.sees(warning)
    console.type("Content", safe)
    console.misses(warning)
    console.field("Gallery").send_keys("http://a.invalid/c.png")
    console.sees(warning)


def test_a_preview_link_is_made_and_revoked(console: Console) -> None:
    page_id = make(console.server, title="Draft", content="To be shown.", status="draft")
    console.open(f"#/pages/{page_id}")
    console.click("Preview links")
    console.click("Make a preview link")
    links = "//details[summary='Preview links']//input[@readonly]"
    shown_link = console.find(links).get_attribute("value")
    link = str(shown_link).partition(console.server.url)[2]
    status, _, shown = console.server.send("GET", link, {"Accept": "text/html"}, None)
    assert (status, b"To be shown." in shown) == (200, True)
    # It is still listed later.
    console.driver.refresh()
    console.click("Preview links")
    assert console.find(links).get_attribute("value") == shown_link
    console.click("Revoke all preview links")
    console.find("//dialog//button[normalize-space()='Revoke all preview links']").click()
    console.sees("No preview link of this page works any more.")
    console.until(lambda: not console.driver.find_elements("xpath", links))
    assert console.server.send("GET", link, {"Accept": "text/html"}, None)[0] == 403


def test_the_history_shows_what_changed_and_puts_it_back(console: Console) -> None:
    page_id = make(console.server, title="First", content="<p>One.</p>\n<p>Two.</p>")
    change = {"title": "Second", "content": "<p>One.</p>\n<p>Three.</p>"}
    assert console.server.call("PUT", f"/pages/{page_id}", change)[0] == 200
    console.open(f"#/pages/{page_id}")
    console.click("History", sees="title, content")
    console.driver.find_element("css selector", "tbody a").click()
    console.sees("-<p>Two.</p>", "+<p>Three.</p>", "First")
    console.field("title").click()
    console.click("Restore", sees="Restored: content.")
    console.focuses("Second")
    page = stored(console.server, page_id)
    assert page["title"]["raw"] == "Second"
    assert page["content"]["raw"] == "<p>One.</p>\n<p>Two.</p>"


@pytest.mark.parametrize("address", ["#/nowhere", "#/pages/999999", "#/pages?page=99", "#/%zz"])
def test_an_address_that_leads_nowhere_says_so(console: Console, address: str) -> None:
    console.server.call("POST", "/pages", {"title": "Any page"})
    console.open(address)
    console.find("//h1")
    console.sees({"#/pages/999999": "There is no such page", "#/pages?page=99": "Last change"}.get(
        address, "There is no such screen."
    ))  # fmt: skip
