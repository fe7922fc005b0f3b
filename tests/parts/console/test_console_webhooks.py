"""Webhooks and events in the console: the secret, tests, deliveries, replays, and the log."""

from datetime import date, timedelta
from typing import Any

from browsers import Console
from conftest import Server, needs_part
from receivers import Receiver
from test_console_pages import set_dates

pytestmark = needs_part("webhooks")


def subscribe(server: Server, hook: Receiver, *types: str) -> int:
    """Create a webhook, and return its number."""
    status, made = server.call("POST", "/webhooks", {"url": hook.url, "types": types})
    assert status == 201, made
    return int(made["id"])


def webhook_of(server: Server, number: int) -> dict[str, Any]:
    webhook: dict[str, Any] = server.call("GET", f"/webhooks/{number}")[1]
    return webhook


def test_a_webhook_is_added_and_its_secret_shown_once(console: Console, hook: Receiver) -> None:
    console.open("#/webhooks")
    console.click("New webhook")
    console.type("URL", hook.url)
    console.field("All events").click()
    console.field("All of page").click()
    console.field("page.published").click()
    console.field("page.trashed").click()
    console.click("Create webhook", sees="Copy its secret now: it is shown this once.")
    assert console.value("Secret").startswith("whsec_")
    console.click("Copy", sees="Secret: copied.")
    console.click("I have copied it: go on to the webhook")
    console.sees(hook.url, "Last deliveries")
    assert "It is shown only now." not in console.text
    number = int(console.driver.current_url.rsplit("/", 1)[1])
    assert webhook_of(console.server, number)["types"] == ["page.published", "page.trashed"]
    # What the service refuses stands at its field.
    console.type("URL", "ftp://example.com/")
    console.click("Save")
    console.until(lambda: console.field("URL").get_attribute("aria-invalid") == "true")


def test_a_webhook_without_types_is_never_saved(console: Console, hook: Receiver) -> None:
    number = subscribe(console.server, hook, "page.*")
    before = console.server.call("GET", "/webhooks")[1]
    console.open(f"#/webhooks/{number}")
    console.field("All of page").click()
    console.sees("Choose at least one type of event.")
    console.click("Save", sees="Nothing was saved.")
    assert webhook_of(console.server, number)["types"] == ["page.*"]
    console.field("page.trashed").click()
    console.click("Save")
    console.until(lambda: webhook_of(console.server, number)["types"] == ["page.trashed"])
    console.open("#/webhooks/new")
    console.type("URL", hook.url)
    console.field("All events").click()
    console.field("All of page").click()
    console.sees("Choose at least one type of event.")
    console.click("Create webhook", sees="Nothing was saved.")
    assert len(console.server.call("GET", "/webhooks")[1]) == len(before)


def test_typed_texts_and_secrets_outlive_a_failed_reload(console: Console, hook: Receiver) -> None:
    console.open(f"#/webhooks/{subscribe(console.server, hook, 'store.*')}")
    console.type("Description", "Not saved yet")
    console.click("Rotate the secret")
    console.find("//dialog//button[.='Rotate the secret']").click()
    console.sees("Copy it now: it is shown this once.")
    console.driver.execute_script(
        "const send = fetch; window.fetch = (url, options) => options.method === 'GET' "
        "? Promise.reject(new TypeError()) : send(url, options);"
    )
    console.click("Send a test")
    console.sees("The test: status", "The service cannot be reached.")
    assert console.value("Description") == "Not saved yet"
    assert console.value("Secret").startswith("whsec_")


def test_a_test_and_deliveries_are_shown_and_sent_again(console: Console, hook: Receiver) -> None:
    number = subscribe(console.server, hook, "page.created")
    console.server.call("POST", "/pages", {"title": "Told"})
    console.until(lambda: webhook_of(console.server, number)["delivered"] == 1)
    console.open(f"#/webhooks/{number}", "1 delivered, 0 failed attempts, 0 waiting.", "204")
    console.click("Payload of event", sees='"type": "page.created"')
    hook.respond = lambda event: (418 if event["type"] == "test" else 204, {})
    console.click("Send a test", sees="The test: status 418 after")
    console.type("All events after the id", "0")
    console.click("Send again", sees="These events are sent again.")
    console.until(lambda: len(hook.accepted) > 1 and hook.accepted.count(hook.accepted[0]) == 2)


def test_a_webhook_is_switched_off_and_deleted_if_sure(console: Console, hook: Receiver) -> None:
    number = subscribe(console.server, hook, "*")
    console.open("#/webhooks")
    console.field(f"On: {hook.url}").click()
    console.sees(f"{hook.url} is off.")
    assert webhook_of(console.server, number)["active"] is False
    console.click(hook.url)
    console.click("Delete")
    console.click("Cancel")
    console.focuses("Delete")
    console.click("Delete")
    console.find("//dialog//button[.='Delete']").click()
    console.sees(f"The webhook of {hook.url} was deleted.")
    assert console.server.call("GET", f"/webhooks/{number}")[0] == 404


def test_the_log_shows_the_newest_events_and_filters_them_by_address(console: Console) -> None:
    _, page = console.server.call("POST", "/pages", {"title": "Logged", "slug": "logged"})
    console.server.call("POST", "/feeds", {"form_id": 3, "addon_slug": "a", "meta": {"k": 1}})
    for number in range(60):
        console.server.call("PATCH", f"/pages/{page['id']}", {"title": f"Logged {number}"})
    console.open("#/events", "page.updated", f"page {page['id']}, logged")
    assert "feed.created" not in console.find("//tbody").text
    console.click("Older events")
    console.find("//tbody[contains(., 'feed.created')]")
    assert "before=" in console.driver.current_url
    console.find("//select[@name='type']/option[.='page.created']").click()
    console.find("//tbody[contains(., 'page.created') and not(contains(., 'feed.created'))]")
    console.type("Number of the page, feed or run", str(page["id"]))
    console.until(lambda: console.driver.current_url.endswith(f"resource_id={page['id']}"))
    console.driver.refresh()
    console.find(f"//tbody[contains(., 'page {page['id']}, logged')]")
    # The whole day is shown, and none after it.
    [event] = console.server.call("GET", f"/events?resource_id={page['id']}&per_page=1")[1]
    day = date.fromisoformat(event["timestamp"][:10])
    set_dates(console, until=str(day - timedelta(days=1)))
    console.sees("There are no such events.")
    set_dates(console, until=str(day))
    console.click(f"page {page['id']}, logged")
    console.field("Title")
    console.driver.back()
    console.until(lambda: console.driver.current_url.endswith(f"until={day}"))
    console.click("Newest events", sees=f"page {page['id']}, logged")
    assert console.driver.current_url.endswith(f"resource_id={page['id']}")


def test_who_follows_the_log_sees_what_happens(console: Console) -> None:
    console.open("#/events")
    console.field("Follow").click()
    _, page = console.server.call("POST", "/pages", {"title": "New", "slug": "followed"})
    console.sees(f"page {page['id']}, followed")
