"""Public pages in a real browser, for a validator of HTML, and for a checker of accessibility."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import AXE, Page
from conftest import ROOT, Server, needs

VALIDATOR = AXE.parents[1] / ".bin" / "html-validate"
has_tools = pytest.mark.skipif(not VALIDATOR.exists(), reason="make clients was not run")
CONTENT = """
<p>Win one of <strong>three bicycles</strong> this summer. Take part until the end of August.</p>
<h2>How it works</h2>
<ol><li>Tell us where you ride.</li><li>Share the page with a friend.</li></ol>
<blockquote><p>The best prize I never expected.</p></blockquote>
<p><a href="https://example.com/terms">Terms and conditions</a></p>
"""
CELLS = "<td>wide_column</td>" * 40
WIDE = f"<table><tbody><tr>{CELLS}</tr></tbody></table><pre>{'x' * 400}</pre>"
PAGES: dict[str, dict[str, Any]] = {
    "page": {"title": "Summer <em>sale</em> &amp; more", "content": CONTENT},
    "untitled": {"title": "", "content": "<h1>Only content</h1><p>Words.</p>"},
    "arabic": {"title": "تخفيضات", "content": "<p>كلمات</p>", "meta": {"language": ["ar"]}},
    "locked": {"title": "For friends", "content": "Hidden words.", "password": "sesame"},
    "gone": {"title": "Winter sale", "meta": {"ends_at": "2020-01-01"}},
    "wide": {"title": "Wide", "content": WIDE},
    "draft": {"title": "Not yet", "content": CONTENT, "status": "draft"},
}


pytestmark = [
    pytest.mark.clients,
    pytest.mark.sqlite("browsers see nothing of the engine"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("site")
    server = Server(folder, LANDFORM_WORKERS="1", LANDFORM_SITE_TITLE="Bicycles & Co").start()
    for slug, body in PAGES.items():
        sent = {"title": "Untitled", "content": "Words.", **body, "slug": slug}
        # A page has a title when it is created.
        status, page = server.call("POST", "/pages", {**sent, "title": body["title"] or "x"})
        assert status == 201, page
        if not body["title"]:
            server.call("PATCH", f"/pages/{page['id']}", {"title": ""})
    yield server
    server.stop()


def addresses(site: Server) -> dict[str, str]:
    """Return the path of each kind of page."""
    _, listed = site.call("GET", "/pages?status=any&slug=draft")
    _, made = site.call("POST", f"/pages/{listed[0]['id']}/preview", {})
    found = {slug: f"/{slug}/" for slug in PAGES if slug != "draft"}
    return {
        **found,
        "home": "/",
        "preview": made["link"].removeprefix(site.url),
        "missing": "/nowhere/",
    }


@pytest.fixture
def page(console_driver: Any, site: Server) -> Page:
    """A browser in which no visitor has been yet."""
    page = Page(console_driver, site)
    page.width(1280)
    page.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    page.errors()
    return page


def test_a_page_fits_a_phone_and_follows_the_colors_that_one_prefers(
    site: Server, page: Page
) -> None:
    grounds = {}
    for name, path in addresses(site).items():
        for width, dark in ((320, False), (390, False), (1280, True)):
            page.width(width, dark=dark)
            page.driver.get(site.url + path)
            assert not page.overflows(), (name, width)
            ground = "return getComputedStyle(document.body).backgroundColor"
            grounds[dark] = page.driver.execute_script(ground)
    assert grounds[True] != grounds[False]
    # Nothing is blocked by the policy.
    assert page.errors() == []


def test_a_visitor_enters_the_password_of_a_page(site: Server, page: Page) -> None:
    browser = page.driver
    browser.get(f"{site.url}/locked/")
    assert "Hidden words." not in browser.page_source
    for password, shown in (("wrong", "This password is not right."), ("sesame", "Hidden words.")):
        browser.find_element("id", "password").send_keys(password)
        browser.find_element("css selector", "button").click()
        page.sees(shown)
    assert browser.current_url == f"{site.url}/locked/"
    [cookie] = browser.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    assert (cookie["path"], cookie["httpOnly"], cookie["sameSite"]) == ("/locked", True, "Lax")
    assert browser.execute_script("return document.cookie") == ""
    browser.get(f"{site.url}/locked/?again=1")
    assert "Hidden words." in browser.page_source
    browser.get(f"{site.url}/page/")
    assert browser.get_cookies() == []


def test_the_scripts_of_a_page_run_and_no_other_page_may_frame_it(site: Server, page: Page) -> None:
    browser = page.driver
    content = "<p id='x'>still</p><script>document.getElementById('x').textContent = 'ran'</script>"
    site.call("POST", "/pages", {"title": "Script", "slug": "script", "content": content})
    browser.get(f"{site.url}/script/")
    page.sees("ran")
    frame = f"<p id='own'>own</p><iframe src='{site.url}/script/'></iframe>"
    site.call("POST", "/pages", {"title": "Frame", "slug": "frame", "content": frame})
    browser.get(f"{site.url}/frame/")
    browser.switch_to.frame(0)
    assert browser.execute_script("return document.getElementById('x')") is None
    browser.switch_to.default_content()


@has_tools
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_on_any_template(site: Server, page: Page, dark: bool) -> None:
    found = {}
    for name, path in addresses(site).items():
        page.width(390, dark=dark)
        page.driver.get(site.url + path)
        if name == "locked":
            # With the message of a wrong password, too.
            page.driver.find_element("id", "password").send_keys("wrong")
            page.driver.find_element("css selector", "button").click()
            page.sees("not right")
        if violations := page.axe():
            found[name] = violations
    assert found == {}


@has_tools
@needs("node")
def test_a_validator_finds_nothing_in_any_template(site: Server, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    rules = '{"root": true, "extends": ["html-validate:recommended"], "rules": {%s}}'
    # Both are valid in either style; the content has WordPress's.
    (tmp_path / ".htmlvalidate.json").write_text(
        rules % '"doctype-style": "off", "void-style": "off"'
    )
    for name, path in addresses(site).items():
        _, _, body = site.send("GET", path, {}, None)
        (tmp_path / f"{name}.html").write_bytes(body)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    _, _, body = site.send("POST", "/locked/", form, b"password=wrong")
    (tmp_path / "wrong.html").write_bytes(body)
    _, _, body = site.send("PUT", "/page/", {}, None)
    (tmp_path / "error.html").write_bytes(body)
    files = sorted(file.name for file in tmp_path.glob("*.html"))
    assert len(files) == 11
    node, validator = shutil.which("node"), VALIDATOR.resolve()
    ran = subprocess.run(
        [str(node), str(validator), "--max-warnings", "0", *files],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_these_tests_know_every_template() -> None:
    templates = {file.stem for file in (ROOT / "service/site/templates").glob("*.html")}
    assert templates == {"page", "password", "gone", "not_found", "error", "layout"}
