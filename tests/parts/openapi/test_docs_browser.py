"""The docs page in a real browser: it renders, lets a person in, and runs operations."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from browsers import Page
from conftest import ROOT, Start, free_port

pytestmark = pytest.mark.clients


@pytest.fixture
def docs(start_server: Start, console_driver: Any) -> Callable[..., Page]:
    """Open the docs of a server."""

    def opened(**environment: str) -> Page:
        page = Page(console_driver, start_server(**environment))
        page.width(1280)
        page.errors()
        page.driver.get(f"{page.server.url}/docs")
        return page

    return opened


def test_a_person_reads_gets_in_creates_and_lists(docs: Callable[..., Page]) -> None:
    page = docs()
    described = page.server.call("GET", "/openapi.json")[1]["paths"].values()
    page.find("//details")
    shown = page.driver.find_elements("css selector", "details")
    assert len(shown) == sum(map(len, described))
    page.find("//*[@id='create_page']/summary").click()
    page.sees("meta.form_id", "The id of the form on the page")
    page.find("//*[@id='create_page']/summary").click()
    assert "pages:write" in sign_in(page, "secret", "Signed in as admin: ")
    assert send(page, "create_page").startswith("201 ")
    listed = send(page, "list_pages")
    assert (listed[:4], '"slug"' in listed) == ("200 ", True)
    assert page.errors() == []
    assert "secret" not in page.driver.current_url
    assert page.driver.execute_script("return localStorage.length + sessionStorage.length") == 0


@pytest.mark.skipif(not find_spec("landform.parts.media"), reason="no pictures")
def test_a_person_uploads_a_picture(docs: Callable[..., Page]) -> None:
    page = docs()
    sign_in(page, "secret", "Signed in as admin: ")
    assert send(page, "create_media", f"{ROOT}/docs/parts/console-light.png").startswith("201 ")
    assert page.server.call("GET", "/media/1")[1]["title"]["rendered"] == "console-light"


def test_a_wrong_secret_is_shown_to_be_wrong_and_is_not_used(docs: Callable[..., Page]) -> None:
    page = docs()
    page.sees("only published pages can be read")
    sign_in(page, "secret", "Signed in as admin")
    assert "The credentials are not valid." in sign_in(page, "wrong", "Not accepted")
    assert page.find("//*[@id='secret'][@aria-invalid='true']")
    # What was right before is not used either.
    assert send(page, "create_page").startswith("401 ")


def test_local_mode_says_so_and_asks_for_nothing(docs: Callable[..., Page]) -> None:
    page = docs(LANDFORM_CREDENTIALS="")
    page.sees("Local mode: ")
    assert not page.driver.find_element("id", "access").is_displayed()


def test_every_operation_fits_a_phone(docs: Callable[..., Page]) -> None:
    page = docs()
    page.width(320)
    operations = page.find("//details") and page.driver.find_elements("css selector", "details")
    page.driver.execute_script("for (const one of arguments[0]) one.open = true", operations)
    page.until(lambda: len(page.driver.find_elements("css selector", ".answer")) == len(operations))
    assert not page.overflows()


def sign_in(page: Page, secret: str, told: str) -> str:
    """Type credentials, and return what is said about them once it holds a text."""
    for name, text in (("name", "admin"), ("secret", secret)):
        field = page.find(f"//*[@id='{name}']")
        field.clear()
        field.send_keys(text)
    page.find("//*[@id='access']//button").click()
    return str(page.find(f"//*[@id='who'][contains(., '{told}')]").text)


def send(page: Page, operation: str, file: str = "") -> str:
    """Open an operation, send it as it is filled in, and return what is shown."""
    inside = f"//*[@id='{operation}']"
    page.find(f"{inside}/summary").click()
    if file:
        page.find(f"{inside}//input[@type='file']").send_keys(file)
    button = page.find(f"{inside}/*[@class='inside']/button")
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    return str(page.find(f"{inside}//*[contains(@class, 'answer')][contains(., '\n')]").text)


@pytest.mark.parametrize("is_listed", [True, False])
def test_clients_of_wordpress_work_in_pages_of_a_listed_origin_only(
    start_server: Start,
    run: Callable[..., None],
    console_driver: Any,
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
        "--loader:.png=binary",
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
    page = Page(console_driver, server)
    page.driver.get(origin)
    page.sees("The session is over." if is_listed else "Error")
    assert bool(server.call("GET", "/pages")[1]) is is_listed
