"""The docs page in a real browser: it renders, lets a person in, and runs operations."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Server, free_port

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(not BROWSER or not DRIVER, reason="chromium is not installed"),
]
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --window-size=1280,1000 "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    yield from start_browser(tmp_path / "profile")


def start_browser(profile: Path, *arguments: str) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in [*QUIET, *arguments, f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    driver.implicitly_wait(10)
    driver.set_script_timeout(120)
    yield driver
    driver.quit()


def test_a_person_reads_gets_in_creates_and_lists(
    start_server: Callable[..., Server], browser: Any
) -> None:
    server = start_server()
    described = server.call("GET", "/openapi.json")[1]["paths"].values()
    browser.get(server.url + "/docs")
    assert len(browser.find_elements("css selector", "details")) == sum(map(len, described))
    browser.find_element("css selector", "#create_page summary").click()
    shown = wait_for(browser, "#create_page .fields", "meta.form_id")
    assert "The id of the form on the page" in shown
    browser.find_element("css selector", "#create_page summary").click()
    browser.find_element("id", "name").send_keys("admin")
    browser.find_element("id", "secret").send_keys("secret")
    browser.find_element("css selector", "#access button").click()
    assert "pages:write" in wait_for(browser, "#who", "Signed in as admin: ")

    assert send(browser, "create_page").startswith("201 ")
    listed = send(browser, "list_pages")
    assert listed.startswith("200 ")
    assert '"slug"' in listed
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert "secret" not in browser.current_url
    assert browser.execute_script("return localStorage.length + sessionStorage.length") == 0


def test_a_wrong_secret_is_shown_to_be_wrong_and_is_not_used(
    start_server: Callable[..., Server], browser: Any
) -> None:
    browser.get(start_server().url + "/docs")
    wait_for(browser, "#who", "only published pages can be read")
    for secret, said in (("secret", "Signed in as admin"), ("wrong", "Not accepted")):
        for name, text in (("name", "admin"), ("secret", secret)):
            field = browser.find_element("id", name)
            field.clear()
            field.send_keys(text)
        browser.find_element("css selector", "#access button").click()
        shown = wait_for(browser, "#who", said)
    assert "The credentials are not valid." in shown
    secret_field = browser.find_element("id", "secret")
    assert secret_field.get_attribute("aria-invalid") == "true"
    # What was right before is not used either.
    assert send(browser, "create_page").startswith("401 ")


def test_local_mode_says_so_and_asks_for_nothing(
    start_server: Callable[..., Server], browser: Any
) -> None:
    browser.get(start_server(LANDFORM_CREDENTIALS="").url + "/docs")
    wait_for(browser, "#who", "Local mode: ")
    assert not browser.find_element("id", "access").is_displayed()


def send(browser: Any, operation: str) -> str:
    """Open an operation, send it as it is filled in, and return what is shown."""
    details = browser.find_element("id", operation)
    details.find_element("tag name", "summary").click()
    button = details.find_element("css selector", ".inside > button")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    return wait_for(browser, f"#{operation} .answer", "\n")


def wait_for(browser: Any, selector: str, text: str) -> str:
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    def shown(driver: Any) -> str | None:
        found = driver.find_element("css selector", selector).text
        return found if text in found else None

    # A page that is just being replaced by the next one can be asked nothing: the driver looks in
    # vain for ten seconds, and then there are more tries.
    waiting = WebDriverWait(browser, 40, ignored_exceptions=[WebDriverException])
    return str(waiting.until(shown))


@pytest.mark.parametrize("is_listed", [True, False])
def test_clients_of_wordpress_work_in_pages_of_a_listed_origin_only(
    start_server: Callable[..., Server],
    run: Callable[..., None],
    browser: Any,
    tmp_path: Path,
    is_listed: bool,
) -> None:
    clients, port = ROOT / "tests" / "clients", free_port()
    bundler = clients / "node_modules" / ".bin" / "esbuild"
    if not bundler.exists():
        pytest.skip("the clients are not installed: run `make clients`")
    options = [
        *("--bundle", "--format=esm", f"--outfile={tmp_path}/session.js"),
        "--alias:node:assert/strict=./assert_in_browser.mjs", "--define:process.argv=ARGUMENTS",
    ]  # fmt: skip
    subprocess.run([bundler, "in_browser.mjs", *options], cwd=clients, check=True)
    origin = f"http://localhost:{port}"
    server = start_server(LANDFORM_CORS_ORIGINS=origin if is_listed else "https://x.example")
    (tmp_path / "index.html").write_text(
        f'<p id="said"></p><script>ARGUMENTS = ["", "", "{server.url}", "admin", "secret"];'
        'for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, (event) => '
        "{ said.textContent = String(event.reason || event.message); });"
        '</script><script type="module" src="session.js"></script>'
    )
    run(port, sys.executable, "-m", "http.server", str(port), "--directory", str(tmp_path))
    browser.get(origin)
    wait_for(browser, "#said", "The session is over." if is_listed else "Error")
    assert bool(server.call("GET", "/pages")[1]) is is_listed
