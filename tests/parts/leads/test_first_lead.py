"""From an empty database to a lead in an inbox, as somebody does it who only clicks and types."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Console, Page
from conftest import Server, needs_part
from mailboxes import Mailbox, mailbox

pytestmark = [
    needs_part("console"),
    needs_part("runs"),
    pytest.mark.servers,
    pytest.mark.sqlite("browsers see nothing of the engine"),
]


class Counted(Console):
    """The console, with the number of clicks."""

    clicks = 0

    def click(self, name: str, number: int = 0) -> None:
        self.clicks += 1
        super().click(name, number)

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list by their names."""
        self.clicks += 2
        options = self.field(label).find_elements("tag name", "option")
        next(one for one in options if one.text == option).click()


@pytest.fixture
def inbox() -> Iterator[Mailbox]:
    with mailbox() as box:
        yield box


@pytest.fixture
def desk(console_driver: Any, inbox: Mailbox, tmp_path: Path) -> Iterator[Counted]:
    """The console of a service with an empty database and a mail server."""
    settings = {"LANDFORM_SMTP_URL": inbox.url, "LANDFORM_WORKERS": "1"}
    server = Server(tmp_path, (), **settings).start()
    desk = Counted(console_driver, server)
    desk.width(1280)
    desk.errors()
    yield desk
    console_driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    console_driver.get("about:blank")
    server.stop(signal.SIGKILL)


def test_somebody_who_only_clicks_and_types_gets_a_lead_by_mail(
    desk: Counted, inbox: Mailbox
) -> None:
    desk.open("")
    desk.type("Name", "admin")
    desk.type("Secret or key", "secret")
    desk.click("Sign in")
    desk.sees("Make a form")
    desk.driver.execute_script("location.hash = '#/forms'")
    desk.sees("There are no forms.")
    desk.driver.back()
    desk.click("Make a form")
    desk.type("Title", "Win a weekend")
    thanks = desk.value("Message")
    desk.click("Create form")
    desk.find("//h1[.='Win a weekend']")
    desk.until(lambda: desk.value("Message") == thanks)
    # Of the form, not of the whole service.
    desk.click("Feeds", 1)
    desk.sees("Feeds of Win a weekend")
    desk.click("New feed")
    desk.type("Name", "To the team")
    desk.choose("Add-on", "E-mail")
    desk.type("To", "team@example.com")
    desk.sees("{Name:1}, {E-mail address:2}, {Consent:3}, {all_fields}")
    desk.type("Subject", "A lead: {E-mail address:2}")
    desk.click("Add the feed")
    desk.sees("Feed 1 was added.")
    desk.click("Pages")
    desk.click("New page")
    desk.click("Giveaway")
    desk.choose("Form", "Win a weekend")
    desk.choose("Status", "Published, from its date on")
    desk.click("Create page")
    desk.sees("The page was created.", "Live")
    assert desk.clicks == 16
    errors = desk.errors()
    visit(Page(desk.driver, desk.server), f"/{desk.value('Slug')}/")
    desk.until(lambda: inbox.accepted)
    desk.width(1280)
    desk.open("#/entries")
    desk.type("Name", "admin")
    desk.type("Secret or key", "secret")
    desk.click("Sign in")
    desk.find("//tbody//th//a[contains(., 'ann@example.com')]").click()
    desk.sees("Ann", "from http", "/win-a-weekend-in-the-mountains/.", "To the team", "success")
    ((recipients, mail),) = inbox.accepted
    assert (recipients, mail["Subject"]) == (["team@example.com"], "A lead: ann@example.com")
    assert "E-mail address: ann@example.com" in mail.get_content()
    assert [*errors, *desk.errors()] == []


def visit(visitor: Page, path: str) -> None:
    """Fill in the form of a page on a phone without scripts, first with a mistake."""
    driver = visitor.driver
    visitor.width(390)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(f"{visitor.server.url}{path}")
    # The form is where the button leads.
    field = driver.find_element("css selector", "#enter [name=input_2]")
    driver.find_element("name", "input_1_3").send_keys("Ann")
    # Browsers take it for an address.
    field.send_keys("ann@example")
    driver.find_element("name", "input_3_1").click()
    driver.find_element("css selector", "#enter button").click()
    visitor.until(lambda: "Nothing was sent yet." in driver.page_source)
    field = driver.find_element("name", "input_2")
    error = driver.find_element("id", str(field.get_attribute("aria-describedby")))
    assert error.text == "Please enter an e-mail address, such as name@example.com."
    assert error.rect["y"] - field.rect["y"] < 100
    field.clear()
    field.send_keys("ann@example.com")
    driver.find_element("css selector", "#enter button").click()
    visitor.until(lambda: "Thanks for contacting us!" in driver.page_source)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
