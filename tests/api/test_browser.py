"""The docs page in a real browser: it renders, lets a person in, and runs operations."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Server

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not BROWSER or not DRIVER, reason="chromium is not installed")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --window-size=1280,1000 "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in [*QUIET, f"--user-data-dir={tmp_path}/profile"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    driver.implicitly_wait(10)
    yield driver
    driver.quit()


def test_a_person_reads_gets_in_creates_and_lists(
    start_server: Callable[..., Server], browser: Any
) -> None:
    browser.get(start_server().url + "/docs")
    assert len(browser.find_elements("css selector", "details")) == 43
    browser.find_element("id", "name").send_keys("admin")
    browser.find_element("id", "secret").send_keys("secret")
    browser.find_element("css selector", "#access button").click()
    assert "pages:write" in wait_for(browser, "#who", "admin: ")

    assert send(browser, "create_page").startswith("201 ")
    listed = send(browser, "list_pages")
    assert listed.startswith("200 ")
    assert '"slug"' in listed
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert "secret" not in browser.current_url
    assert browser.execute_script("return localStorage.length + sessionStorage.length") == 0


def send(browser: Any, operation: str) -> str:
    """Open an operation, send it as it is filled in, and return what is shown."""
    details = browser.find_element("id", operation)
    details.find_element("tag name", "summary").click()
    button = details.find_element("css selector", ".inside > button")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    return wait_for(browser, f"#{operation} .answer", "\n")


def wait_for(browser: Any, selector: str, text: str) -> str:
    from selenium.webdriver.support.ui import WebDriverWait

    def shown(driver: Any) -> str | None:
        found = driver.find_element("css selector", selector).text
        return found if text in found else None

    return str(WebDriverWait(browser, 10).until(shown))
