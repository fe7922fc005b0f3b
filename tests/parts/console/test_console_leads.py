"""Forms and entries in the console, from an empty database to a lead."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from applications import when
from browsers import Console, make_key
from conftest import Server
from part_tables import PARTS
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.skipif(
    "leads" not in {part.__module__.rpartition(".")[2] for part in PARTS}, reason="no leads"
)
# There a day begins fourteen hours before that of UTC.
TIMEZONE = "Pacific/Kiritimati"
SENT = {
    "input_1_3": "Ada",
    "input_2": "ada@example.com",
    "input_3_1": "1",
    "input_3_2": "I agree to be contacted.",
}


def test_a_form_is_made_and_its_entries_are_read_and_sorted_out(console: Console) -> None:
    console.open("#/forms")
    console.click("New form", sees="Nothing to save yet")
    console.type("Title", "Win a boat")
    console.find("//select[@name='type']/option[@value='select']").click()
    console.click("Add")
    console.type("Choices, one a line", "Red\nBlue")
    console.click("Up: Choice from a list")
    console.find("//select[@name='type']/option[@value='phone']").click()
    console.click("Add")
    console.click("Create form", sees="The form was created.")
    number = int(console.driver.current_url.rpartition("/")[2])
    form = console.server.call("GET", f"/forms/{number}")[1]
    assert [field["type"] for field in form["fields"]] == [
        "name", "email", "select", "consent", "phone",
    ]  # fmt: skip
    # Numbers of any country.
    assert form["fields"][4]["phoneFormat"] == "international"
    assert [choice["text"] for choice in form["fields"][2]["choices"]] == ["Red", "Blue"]
    assert console.server.call("POST", f"/forms/{number}/submissions", SENT)[0] == 200
    console.open("#/entries", "ada@example.com", "Win a boat", "1 entry")
    console.sees("Choose a form to download its entries as CSV.")
    console.type("Search", "nobody")
    console.sees("There are no such entries.")
    console.type("Search", "ADA@")
    console.sees("1 entry")
    console.click("Star entry", sees="has a star.")
    # The button was disabled meanwhile.
    console.until(lambda: console.focused.startswith("Star entry"))
    console.find("//tbody//th//a").click()
    console.sees("What was sent", "ada@example.com", "No feed was run for this entry.")
    assert console.text.count("I agree") == 1
    console.click("Spam", sees="the status is spam.")
    console.focuses("Not spam")
    console.open("#/entries?status=spam")
    console.click("Not spam: entry", sees="is active.")
    console.click("Erase a person")
    console.type("E-mail address", "ada@example.com")
    console.click("Erase")
    console.find("//dialog//button[.='Erase']").click()
    console.sees("1 entry was deleted for good.", "There are no such entries.")
    console.focuses("Entries")
    for address in (f"#/forms/{number}", "#/forms", "#/entries"):
        for width, dark in ((1280, False), (360, True)):
            console.width(width, dark=dark)
            console.open(address)
            console.find("//h1")
            console.misses("Loading")
            assert not console.overflows(), (address, width)
    console.width(1280)
    assert console.server.call("DELETE", f"/forms/{number}?force=1")[0] == 200


def make_form(server: Server, *labels: str, **more: Any) -> int:
    """Create a form with a text field for each label, and return its number."""
    fields = [{"type": "text", "label": label} for label in labels]
    status, form = server.call("POST", "/forms", {"title": "Shared", "fields": fields, **more})
    assert status == 201, form
    return int(form["id"])


def form_of(server: Server, number: int) -> dict[str, Any]:
    form: dict[str, Any] = server.call("GET", f"/forms/{number}")[1]
    return form


def label_field(console: Console, label: str, text: str) -> None:
    """Give the field of the form that has a label another one."""
    fields = "return [...document.querySelectorAll('.form-field [name$=\".label\"]')]"
    one = f"{fields}.find((one) => one.value === arguments[0])"
    console.until(lambda: console.driver.execute_script(one, label), label)
    field = console.driver.execute_script(one, label)
    field.clear()
    field.send_keys(text)


def test_of_two_who_edit_a_form_nobody_loses_a_field_unseen(console: Console) -> None:
    server = console.server
    number = make_form(server, "One", "Two", "Three")
    console.open(f"#/forms/{number}")
    label_field(console, "One", "Mine")
    console.click("Add")
    label_field(console, "Text, one line", "New of mine")
    # A field that both have added has the same number at first.
    form = form_of(server, number)
    added = {"id": 4, "type": "email", "label": "New of theirs"}
    form["fields"] = [form["fields"][0], {**form["fields"][1], "label": "Theirs"}, added]
    assert server.call("PUT", f"/forms/{number}", form)[0] == 200
    wait = "new Promise((go) => setTimeout(go, options.method === 'PUT' ? 1500 : 0))"
    send = f"(url, options) => {wait}.then(() => send(url, options))"
    slow = f"const send = fetch; window.fetch = {send}"
    console.driver.execute_script(slow)
    console.click("Save")
    # What is typed while it is saved is not lost either.
    console.type("Description", "Typed meanwhile")
    console.sees("Both versions are joined here. Save to store the result.")
    assert form_of(server, number)["fields"][0]["label"] == "One"
    console.click("Save", sees="The form was saved.")
    assert form_of(server, number)["description"] == "Typed meanwhile"
    stored = [(one["id"], one["label"]) for one in form_of(server, number)["fields"]]
    assert stored == [(1, "Mine"), (2, "Theirs"), (4, "New of theirs"), (5, "New of mine")]
    # Where both have changed the same field one of them chooses, also after a reload.
    label_field(console, "Theirs", "Two of mine")
    console.driver.find_elements("xpath", "//label[.='Required']")[1].click()
    console.click("Down: Mine")
    console.focuses("Down: Mine")
    console.click("Up: Mine")
    console.focuses("Up: Mine")
    console.click("Up: New of mine")
    form = form_of(server, number)
    form["fields"][1]["label"] = "Two of theirs"
    form["title"] = "Shared by two"
    server.call("PUT", f"/forms/{number}", form)
    console.click("Save")
    console.sees("Somebody else has saved this form meanwhile", "Field “Two of mine”")
    assert not console.button("Save").is_enabled()
    console.driver.refresh()
    console.sees("Somebody else has saved this form meanwhile")
    # In words, and only what differs.
    versions = console.driver.find_elements("css selector", ".versions pre")
    assert [[line for line in one.text.split("\n") if line != "…"] for one in versions] == [
        ["Label: Two of mine", "Required: yes"], ["Label: Two of theirs", "Required: no"],
    ]  # fmt: skip
    console.find("//select[@name='keep-fields.2']/option[@value='stored']").click()
    console.click("Go on with these")
    console.click("Save", sees="The form was saved.")
    form = form_of(server, number)
    labels = [one["label"] for one in form["fields"]]
    assert labels == ["Mine", "Two of theirs", "New of mine", "New of theirs"]
    assert form["title"] == "Shared by two"


def test_a_form_is_saved_as_pages_are_and_what_is_typed_is_not_lost(console: Console) -> None:
    server = console.server
    number = make_form(server, "One", "Two", retention_days=30)
    console.open(f"#/forms/{number}")
    bar = console.find("//*[@aria-label='State and actions']")
    assert bar.text.startswith("Active")
    assert console.button("Save").get_attribute("aria-disabled") == "true"
    console.type("Description", "Kept")
    console.click("Remove Two", sees="No entry has an answer in this field.")
    console.find("//dialog//button[.='Remove']").click()
    console.until(lambda: "Unsaved changes" in bar.text)
    # Another screen does not lose it, nor does a reload.
    console.click("Entries")
    console.open(f"#/forms/{number}", "and did not save is here again")
    assert console.value("Description") == "Kept"
    console.driver.refresh()
    console.sees("and did not save is here again")
    console.field("Description").send_keys(" here")
    console.press(Keys.CONTROL, "s")
    console.sees("The form was saved.", "Saved ")
    console.focuses("Description")
    form = form_of(server, number)
    assert (form["description"], form["retention_days"]) == ("Kept here", 30)
    # The number of a removed field stays unused: entries may have a value of it.
    console.click("Add")
    console.press(Keys.CONTROL, "s")
    console.until(lambda: [one["id"] for one in form_of(server, number)["fields"]] == [1, 3])
    # While it is saved, the button does nothing.
    console.sees("Saved ")
    # What nobody could use leads to its field.
    for label, text, right in (
        ("Title", " ", "Shared"),
        ("Delete entries after so many days", "soon", "7"),
    ):
        console.type(label, text)
        console.click("Save")
        console.focuses(label)
        console.type(label, right)
    console.find("//select[@name='confirmation']/option[@value='redirect']").click()
    console.click("Save")
    console.focuses("Address of the page")
    console.type("Address of the page", "danke")
    console.click("Save", sees="An address begins with https:// or http://")
    # Beside that no earlier success is told.
    assert "The form was saved" not in console.text
    console.type("Address of the page", "https://example.com/thanks")
    console.click("Save")
    console.until(lambda: form_of(server, number)["retention_days"] == 7)
    [thanks] = form_of(server, number)["confirmations"].values()
    assert (thanks["type"], thanks["url"]) == ("redirect", "https://example.com/thanks")
    # What no draft can keep is not left without a question.
    full = "Storage.prototype.setItem = () => { throw new Error('full'); }"
    console.driver.execute_script(full)
    console.type("Description", "Not kept")
    console.sees("The browser cannot keep what you type until it is saved")
    console.click("Entries")
    alert = console.driver.switch_to.alert
    assert "not saved" in alert.text
    alert.dismiss()
    console.click("Discard changes")
    console.until(lambda: console.value("Description") == "Kept here")


def test_who_may_only_read_sees_forms_and_feeds_as_text(console: Console) -> None:
    server = console.server
    number = make_form(server, "Color", description="About colors")
    condition = when("1", "red", "contains", "any")
    meta = {**condition, "feedName": "To us", "toEmail": "us@example.com", "more": [1]}
    body = {"form_id": number, "addon_slug": "email", "is_active": False, "meta": meta}
    feed = server.call("POST", "/feeds", body)[1]["id"]
    console.sign_in("", make_key(server, "forms:read", "feeds:read", "pages:read"))
    controls = "//main//*[self::input or self::textarea or self::select]"
    for address, texts in {
        f"#/forms/{number}": ("Active", "About colors", "Color Text, one line", "Thanks"),
        f"#/feeds/{feed}": (
            "To us", f"Form {number}", "us@example.com", '"more"', "Off",
            "Entries that match any of: Color contains red",
        ),
        f"#/feeds?form_id={number}": ("To us", "Off"),
    }.items():  # fmt: skip
        console.open(address, *texts)
        assert console.driver.find_elements("xpath", controls) == []
        offered = ("Save", "to save", "Add a", "Delete", "trash")
        assert not [word for word in offered if word in console.text]
        assert "needs the scope" not in console.text


def test_who_may_not_read_entries_is_offered_none(console: Console) -> None:
    console.sign_in("", make_key(console.server, "forms:read", "pages:read"))
    console.open("#/forms")
    console.find("//header//a[.='Forms' and @aria-current]")
    links = [link.text for link in console.driver.find_elements("css selector", "header nav a")]
    assert "Forms" in links
    assert "Entries" not in links
    assert "New form" not in console.text


def addresses(console: Console) -> list[str]:
    """Return the fields to which a feed can send, as it lets choose one."""
    script = "return [...document.querySelectorAll('[name=toField] option')].map((one) => one.text)"
    return list(console.driver.execute_script(script))


def test_a_feed_and_a_page_take_a_form_by_name_and_an_add_on_by_fields(console: Console) -> None:
    field = {"id": 2, "type": "email", "label": "E-mail"}
    form = console.server.call("POST", "/forms", {"title": "Win a car", "fields": [field]})[1]["id"]
    console.open("#/feeds/new")
    console.type("Name", "To us")
    console.find("//select[@name='form_id']/option[.='Win a car']").click()
    console.find("//select[@name='addon']/option[.='E-mail']").click()
    # Of the fields of this form.
    console.until(lambda: addresses(console) == ["No field", "E-mail"])
    console.sees("May have merge tags: {E-mail:2}, {all_fields}. Empty: all fields.")
    console.type("To", "us@example.com")
    console.type("Subject", "A lead: {E-mail:2}")
    console.type("Message", "{all_fields}")
    console.click("Add the feed", sees="was added.")
    console.sees("No mail server is set up")
    console.click("Send a test mail")
    tested = console.find("//section[h2='Test']//p[@role='status' and normalize-space()]")
    assert tested.text.startswith("No mail server is set up")
    number = int(console.driver.current_url.rpartition("/")[2])
    feed = console.server.call("GET", f"/feeds/{number}")[1]
    meta = {"feedName": "To us", "toEmail": "us@example.com", "subject": "A lead: {E-mail:2}"}
    assert feed["meta"] == {**meta, "message": "{all_fields}"}
    assert (feed["form_id"], feed["addon_slug"]) == (str(form), "email")
    # What no field shows stays; an emptied field is removed.
    console.server.call("PATCH", f"/feeds/{number}", {"meta": {"more": [1]}})
    console.driver.refresh()
    assert '"more"' in console.value("Settings as JSON")
    assert "toEmail" not in console.value("Settings as JSON")
    console.type("Subject", "x")
    console.press(Keys.BACKSPACE)
    console.click("Save")
    del meta["subject"]
    saved = {**meta, "message": "{all_fields}", "more": [1]}
    console.until(lambda: console.server.call("GET", f"/feeds/{number}")[1]["meta"] == saved)
    console.type("To", "us")
    fast = "const wait = setTimeout; window.setTimeout = (act, time) => wait(act, time / 100)"
    console.driver.execute_script(fast)
    console.click("Save")
    # It is no success, and stays until it is closed.
    warning = "//*[@role='status' and contains(@class, 'warning') and contains(., 'address')]"
    recipients = "The feed has no valid address in “To” or “Or to the address in field”."
    assert recipients in console.find(warning).text
    console.driver.execute_async_script("setTimeout(arguments[0], 20000)")
    console.find(warning).find_element("xpath", ".//button").click()
    console.misses("The feed has no valid address")
    console.find("//select[@name='addon']/option[.='Another add-on']").click()
    console.type("Its name", "crm")
    console.misses("Subject")
    console.click("Save")
    console.until(lambda: console.server.call("GET", f"/feeds/{number}")[1]["addon_slug"] == "crm")
    console.open("#/feeds")
    console.find("//tbody//a[.='Win a car']")
    assert console.server.call("DELETE", f"/forms/{form}?force=1")[0] == 200


BOAT = {
    "title": "Win a boat",
    "fields": [
        {"id": 2, "type": "select", "label": "Color",
         "choices": [{"text": "Red", "value": "r"}, {"text": "Blue", "value": "b"}]},
        {"id": 1, "type": "name", "label": "Name",
         "inputs": [{"id": "1.3", "label": "First"}, {"id": "1.6", "label": "Last"}]},
        {"id": 3, "type": "textarea", "label": "Why"},
    ],
}  # fmt: skip


def test_rules_name_fields_and_an_entry_says_why_a_feed_did_not_run(console: Console) -> None:
    server = console.server
    form = server.call("POST", "/forms", BOAT)[1]["id"]
    feeds = [
        server.call("POST", "/feeds", {"form_id": form, "addon_slug": "crm", "meta": meta})[1]["id"]
        for meta in ({**when("9", "x"), "feedName": "To none"}, {"feedName": "To all"})
    ]
    console.open(f"#/feeds/{feeds[0]}")
    console.sees("The form has no field 9: the rule compares with a blank.")
    console.find("//select[@name='fieldId']/option[.='Name: First']")
    console.find("//select[@name='fieldId']/option[.='Color']").click()
    console.misses("The form has no field")
    # What it had before stays until a choice is made.
    assert console.value("Value") == "x"
    console.find("//select[@name='value']/option[.='Blue']").click()
    console.click("Add a rule")
    console.focuses("Field")
    console.find("//*[@data-rule=1]//select[@name='fieldId']/option[.='A property']").click()
    console.type("Name of the property", "colour")
    console.find("//*[@data-rule=1]//input[@name='value']").send_keys("x")
    console.click("Save", sees=f"Saved. Rules compare with a blank, as form {form} has no field")
    rules = server.call("GET", f"/feeds/{feeds[0]}")[1]["meta"][
        "feed_condition_conditional_logic_object"
    ]["conditionalLogic"]["rules"]
    assert [(rule["fieldId"], rule["value"]) for rule in rules] == [("2", "b"), ("colour", "x")]
    entry = server.call("POST", f"/forms/{form}/submissions", {"input_2": "r"})[1]["entry_id"]
    server.call("PATCH", f"/feeds/{feeds[1]}", {"is_active": False})
    later = {"form_id": form, "addon_slug": "crm", "meta": {"feedName": "Added later"}}
    server.call("POST", "/feeds", later)
    console.open(f"#/entries/{entry}", "Color is b; the entry has r", "It was not asked to")
    rows = [row.text for row in console.driver.find_elements("css selector", "tbody tr")]
    assert [row.split("\n")[0].partition(" It")[0] for row in rows][1:] == [
        "To none",
        "Added later",
    ]
    assert rows[0].startswith("To all pending")
    console.click("Spam", sees="the status is spam.")
    console.sees("Nothing runs for an entry that is spam or in the trash.")
    assert server.call("DELETE", f"/forms/{form}?force=1")[0] == 200


def test_an_entry_is_edited_noted_and_sorted_out_and_its_form_copied(console: Console) -> None:
    server = console.server
    fields = [*BOAT["fields"], {"id": 4, "type": "checkbox", "label": "More", "choices": [
        {"text": "Sail", "value": "s"}, {"text": "Oar", "value": "o"}]}]  # fmt: skip
    form = server.call("POST", "/forms", {**BOAT, "fields": fields})[1]["id"]
    sent = {"input_1_3": "Ada", "input_2": "r", "input_3": "I like boats.", "input_4_1": "s"}
    for name in ("Ada", "Bea", "Cleo"):
        server.call("POST", f"/forms/{form}/submissions", {**sent, "input_1_3": name})
    # In the order of the form; the way back leads to the same search.
    console.open(f"#/entries?form_id={form}&q=Ada", "1 entry")
    console.click("r, Ada, I like boats.", sees="What was sent")
    terms = [term.text for term in console.driver.find_elements("css selector", "dt")]
    assert terms == ["Color", "Name: First", "Why", "More: Sail"]
    number = console.driver.current_url.split("/")[-1].split("?")[0]
    console.click("Edit")
    console.type("Name: First", "Ada M.")
    console.find("//select[@name='2']/option[.='Blue']").click()
    for box in ("More: Sail", "More: Oar"):
        console.find(f"//label[.='{box}']").click()
    console.click("Save", sees="was saved. No feed runs for a change.")
    values = server.call("GET", f"/entries/{number}")[1]
    edited = [values[key] for key in ("1.3", "2", "3", "4.1", "4.2")]
    assert edited == ["Ada M.", "b", "I like boats.", "", "o"]
    console.type("A new note", "Called her.")
    console.click("Add the note", sees="The note was added.")
    console.sees("Called her.", f"admin, {datetime.now(ZoneInfo(TIMEZONE)):%F}")
    console.click("Delete the note of")
    console.find("//dialog//button[.='Delete']").click()
    console.sees("There are no notes.")
    console.find("//main//a[.='Entries']").click()
    console.sees("b, Ada M., I like boats.", "1 entry")
    # Several at once; the one that was opened is read.
    console.open(f"#/entries?form_id={form}", "3 entries")
    console.find("//select[@name='only']/option[.='Unread']").click()
    console.sees("2 entries")
    console.field("Select all").click()
    console.sees("2 selected")
    console.click("Mark as read", sees="2 entries: marked as read.")
    console.sees("There are no such entries.")
    console.find("//select[@name='only']/option[.='All']").click()
    console.click("Star entry", sees="has a star.")
    console.find("//select[@name='only']/option[.='With a star']").click()
    console.sees("1 entry")
    console.find("//tbody//input[@type='checkbox']").click()
    console.click("Move to the trash", sees="1 entry: moved to the trash.")
    console.open(f"#/entries?form_id={form}&status=trash", "1 entry")
    # The trash counts too.
    console.open(f"#/forms/{form}")
    console.click("Remove Why", sees="3 entries have an answer in this field")
    console.click("Cancel")
    console.open("#/forms")
    console.click("Duplicate Win a boat", sees="This is a copy, without the entries and the feeds")
    copy = int(console.driver.current_url.split("/")[-1])
    one, other = (form_of(server, number) for number in (form, copy))
    assert (other["title"], other["fields"]) == ("Win a boat (copy)", one["fields"])
    for number in (form, copy):
        assert server.call("DELETE", f"/forms/{number}?force=1")[0] == 200


def test_leads_are_counted_and_listed_by_days_of_the_site(console: Console) -> None:
    field = {"id": 2, "type": "email", "label": "E-mail"}
    form = console.server.call("POST", "/forms", {"title": "Win a car", "fields": [field]})[1]["id"]
    console.server.call("POST", f"/forms/{form}/submissions", {"input_2": "ada@example.com"})
    now = datetime.now(ZoneInfo(TIMEZONE))
    midnight = now.replace(hour=0, minute=0, second=0)
    # The first and the last minute of yesterday on the site, which are two days of UTC.
    times = [(midnight - timedelta(minutes=minutes)).astimezone(UTC) for minutes in (1440, 1)]
    for time in times:
        entry = {"form_id": form, "2": "ada@example.com", "date_created": f"{time:%F %T}"}
        assert console.server.call("POST", "/entries", entry)[0] == 201
    console.open("#/", "Leads of the last 14 days", "3 entries, at most 2 a day")
    bars = console.driver.find_elements("css selector", "svg rect")
    assert [float(bar.get_attribute("height")) for bar in bars] == [0] * 12 + [80, 40]
    cells = console.driver.find_elements("css selector", "table.unseen td")
    assert [cell.get_attribute("textContent") for cell in cells] == ["0"] * 12 + ["2", "1"]
    day = f"{now - timedelta(days=1):%F}"
    console.open(f"#/entries?from={day}&to={day}", "2 entries", f"{day} 00:00:", f"{day} 23:59:")
    # What could not be loaded is there once it can, also the names.
    blocked = ["*/entries?*", "*/forms?*"]
    console.driver.execute_cdp_cmd("Network.enable", {})
    console.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": blocked})
    console.open("#/entries", "The service cannot be reached.")
    console.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    console.driver.execute_cdp_cmd("Network.disable", {})
    console.click("Try again")
    console.find("//td[.='Win a car']")
    console.find("//select[@name='form_id']/option[.='Win a car']").click()
    console.click("Download CSV", sees="The entries are in your downloads.")
    console.focuses("Download CSV")
    # Each digit of a year makes another date, and no step of the history.
    steps = "return history.length"
    before = console.driver.execute_script(steps)
    console.field("From").send_keys("01012030")
    console.sees("There are no such entries.")
    assert console.driver.execute_script(steps) == before
    assert console.driver.current_url.endswith("from=2030-01-01")
    # No year has six digits.
    assert console.field("From").get_attribute("max") == "9999-12-31"
    # Times of UTC are shown as those of the site.
    [event] = console.server.call("GET", "/events?type=entry.created&per_page=1&order=desc")[1]
    moment = datetime.fromisoformat(event["timestamp"]).astimezone(ZoneInfo(TIMEZONE))
    console.open("#/events", f"{moment:%F %T}", "ada@example.com, Win a car")
    assert "the store" not in console.text
    assert console.server.call("DELETE", f"/forms/{form}?force=1")[0] == 200


def test_a_page_gets_a_form_and_a_date_by_keyboard_and_shows_its_address(console: Console) -> None:
    number = make_form(console.server, "One")
    console.open("#/pages/new", "Shared")
    console.click("Add a block")
    console.click("Form", sees="The form that you choose for this page is shown here.")
    # Without a form the page would have a gap.
    missing = "The content shows a form at [gravityform], and none is chosen."
    console.sees(missing)
    console.find(f"//select[@name='form_id']/option[@value='{number}']").click()
    console.misses(missing)
    # While it is typed, its year is one of long ago.
    console.field("Date (Pacific/Kiritimati)").send_keys("01022031")
    console.sees("For you: 1 Jan 2031, 10:00 (UTC)")
    console.type("Title", "By keyboard")
    console.click("Clear: Date (Pacific/Kiritimati)")
    console.find("//select[@name='status']/option[@value='publish']").click()
    console.click("Create page")
    # The site's time, not that of the browser.
    now = datetime.now(ZoneInfo(TIMEZONE))
    saved = [f"Saved {now + timedelta(minutes=minutes):%H:%M}" for minutes in (-1, 0, 1)]
    console.until(lambda: any(text in console.text for text in saved))
    link = console.find("//p/a[@target]")
    assert link.text == link.get_attribute("href") == f"{console.server.url}/by-keyboard/"
    # The list is filtered by its name.
    console.open("#/pages")
    console.find(f"//select[@name='form'][option='Shared']/option[@value='{number}']").click()
    console.sees("1 page")
    assert console.driver.current_url.endswith(f"form={number}")
    assert console.server.call("DELETE", f"/forms/{number}?force=1")[0] == 200
