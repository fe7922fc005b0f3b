"""Forms and entries in the console, from an empty database to a lead."""

import pytest
from browsers import Console, make_key
from part_tables import PARTS
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.skipif(
    "leads" not in {part.__module__.rpartition(".")[2] for part in PARTS}, reason="no leads"
)
SENT = {"input_1_3": "Ada", "input_2": "ada@example.com", "input_3_1": "1"}


def test_a_form_is_made_and_its_entries_are_read_and_sorted_out(console: Console) -> None:
    console.open("#/forms")
    console.sees("There are no forms.")
    console.click("New form")
    console.type("Title", "Win a boat")
    console.find("//select[@name='type']/option[@value='select']").click()
    console.click("Add")
    console.type("Choices, one a line", "Red\nBlue")
    console.click("Up: Choice from a list")
    console.find("//select[@name='type']/option[@value='phone']").click()
    console.click("Add")
    console.click("Save")
    console.sees("is saved.")
    number = int(console.driver.current_url.rpartition("/")[2])
    form = console.server.call("GET", f"/forms/{number}")[1]
    assert [field["type"] for field in form["fields"]] == [
        "name",
        "email",
        "select",
        "consent",
        "phone",
    ]
    # Numbers of any country.
    assert form["fields"][4]["phoneFormat"] == "international"
    assert [choice["text"] for choice in form["fields"][2]["choices"]] == ["Red", "Blue"]
    assert console.server.call("POST", f"/forms/{number}/submissions", SENT)[0] == 200
    console.open("#/entries")
    console.sees("ada@example.com", "Win a boat", "1 entry")
    console.type("Search", "nobody")
    console.sees("There are no such entries.")
    console.type("Search", "ADA@")
    console.sees("1 entry")
    console.click("Star entry")
    console.sees("has a star.")
    console.find("//tbody//th//a").click()
    console.sees("What was sent", "ada@example.com", "No feed was run for this entry.")
    console.click("Spam")
    console.sees("the status is spam.")
    console.open("#/entries?status=spam")
    console.click("Not spam: entry")
    console.sees("is active.")
    console.click("Erase a person")
    console.type("E-mail address", "ada@example.com")
    console.click("Erase")
    console.find("//dialog//button[.='Erase']").click()
    console.sees("1 entry was deleted for good.", "There are no such entries.")
    for address in (f"#/forms/{number}", "#/forms", "#/entries"):
        for width, dark in ((1280, False), (360, True)):
            console.width(width, dark=dark)
            console.open(address)
            console.find("//h1")
            console.misses("Loading")
            assert not console.overflows(), (address, width)
    console.width(1280)
    assert console.server.call("DELETE", f"/forms/{number}?force=1")[0] == 200


def test_who_may_not_read_entries_is_offered_none(console: Console) -> None:
    console.sign_in("", make_key(console.server, "forms:read", "pages:read"))
    console.open("#/forms")
    console.find("//header//a[.='Forms' and @aria-current]")
    links = [link.text for link in console.driver.find_elements("css selector", "header nav a")]
    assert "Forms" in links
    assert "Entries" not in links
    assert "New form" not in console.text


def test_a_feed_and_a_page_take_a_form_by_its_name_and_an_add_on_by_fields(
    console: Console,
) -> None:
    field = {"id": 2, "type": "email", "label": "E-mail"}
    form = console.server.call("POST", "/forms", {"title": "Win a car", "fields": [field]})[1]["id"]
    console.server.call("POST", f"/forms/{form}/submissions", {"input_2": "ada@example.com"})
    console.open("#/feeds/new")
    console.type("Name", "To us")
    console.find("//select[@name='form_id']/option[.='Win a car']").click()
    console.find("//select[@name='addon']/option[.='E-mail']").click()
    # Of the fields of this form.
    assert console.field("Or to the address in field").text.split("\n") == ["No field", "E-mail"]
    console.sees("May have merge tags: {E-mail:2}, {all_fields}. Empty: all fields.")
    console.type("To", "us@example.com")
    console.type("Subject", "A lead: {E-mail:2}")
    console.type("Message", "{all_fields}")
    console.click("Add the feed")
    console.sees("was added.")
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
    console.find("//select[@name='addon']/option[.='Another add-on']").click()
    console.type("Its name", "crm")
    console.misses("Subject")
    console.click("Save")
    console.until(lambda: console.server.call("GET", f"/feeds/{number}")[1]["addon_slug"] == "crm")
    console.open("#/feeds")
    console.find("//tbody//a[.='Win a car']")
    console.open("#/")
    console.sees("Leads of the last 14 days", "1 entry, at most 1 a day")
    bars = console.driver.find_elements("css selector", "svg rect")
    assert [float(bar.get_attribute("height")) for bar in bars] == [0] * 13 + [80]
    cells = console.driver.find_elements("css selector", "table.unseen td")
    assert [cell.get_attribute("textContent") for cell in cells] == ["0"] * 13 + ["1"]
    console.open("#/entries")
    console.find("//select[@name='form_id']/option[.='Win a car']").click()
    console.click("Download CSV")
    console.sees("The entries are in your downloads.")
    assert console.server.call("DELETE", f"/forms/{form}?force=1")[0] == 200


def test_a_tool_places_the_form_of_a_page_in_its_content(console: Console) -> None:
    console.open("#/pages/new")
    console.click("Form")
    console.sees("The form that you choose for this page is shown there.")
    marker = "<!-- wp:paragraph -->\n<p>[gravityform]</p>\n<!-- /wp:paragraph -->"
    assert console.value("Content") == marker
