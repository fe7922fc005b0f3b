"""Public pages in a real browser, for a validator of HTML, and for a checker of accessibility."""

import re
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest
from browsers import Page, has_tools, validate
from conftest import ROOT, Server, needs

CONTENT = """
<p>Win one of <strong>three bicycles</strong> this summer. Take part until the end of August.</p>
<h2>How it works</h2>
<ol><li>Tell us where you ride.</li><li>Share the page with a friend.</li></ol>
<blockquote><p>The best prize I never expected.</p></blockquote>
<p><a href="https://example.com/terms">Terms and conditions</a></p>
"""
CELLS = "<td>wide_column</td>" * 40
PICTURE = "/files/extra.svg"
LAND = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='8' height='6'/%3E"
BLOCKS = re.sub(r"https://example.com/\w+.svg", LAND, (ROOT / "tests/site/blocks.html").read_text())
WIDE = f"<table><tbody><tr>{CELLS}</tr></tbody></table><pre>{'x' * 400}</pre>"
PAGES: dict[str, dict[str, Any]] = {
    "page": {"title": "Summer <em>sale</em> &amp; more", "content": CONTENT},
    "untitled": {"title": "", "content": "<h1>Only content</h1><p>Words.</p>"},
    "arabic": {"title": "تخفيضات", "content": "<p>كلمات</p>", "meta": {"language": ["ar"]}},
    "locked": {"title": "For friends", "content": "Hidden words.", "password": "sesame"},
    "gone": {"title": "Winter sale", "meta": {"ends_at": "2020-01-01"}},
    "wide": {"title": "Wide", "content": WIDE},
    "blocks": {"title": "Win a bicycle", "content": BLOCKS, "meta": {"gallery": [PICTURE]}},
    "soon": {"title": "Next summer", "meta": {"starts_at": "2131-01-01"}},
    "draft": {"title": "Not yet", "content": CONTENT, "status": "draft"},
}


pytestmark = [pytest.mark.clients, pytest.mark.sqlite("browsers see nothing of the engine")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("site")
    settings = {
        "SITE_TITLE": "Bicycles & Co", "SITE_SOON": "1", "SITE_ACCENT": "#fcb900",
        "SITE_LOGO": "/files/logo.svg", "SITE_FOOTER": "<a href='/imprint/'>Imprint</a>",
    }  # fmt: skip
    variables = {f"LANDFORM_{name}": value for name, value in settings.items()}
    server = Server(folder, LANDFORM_WORKERS="1", **variables).start()
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
        **found, "home": "/", "preview": made["link"].removeprefix(site.url),
        "missing": "/nowhere/",
    }  # fmt: skip


@pytest.fixture
def browser(console_driver: Any, site: Server) -> Page:
    """A browser without cookies, in which no page has failed yet."""
    browser = Page(console_driver, site)
    browser.width(1280)
    console_driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.errors()
    return browser


@has_tools
def test_every_template_is_accessible_and_fits_a_phone(site: Server, browser: Page) -> None:
    grounds, driver = {}, browser.driver
    for name, path in addresses(site).items():
        for width, dark in ((320, False), (390, True), (1280, True), (2000, False)):
            browser.width(width, dark=dark)
            driver.get(site.url + path)
            if name == "locked":
                # With the message of a wrong password, too.
                driver.find_element("id", "password").send_keys("wrong")
                driver.find_element("css selector", "button").click()
                browser.sees("not right")
            assert (name, width, browser.overflows(), browser.axe()) == (name, width, False, [])
            ground = "return getComputedStyle(document.body).backgroundColor"
            grounds[dark] = driver.execute_script(ground)
    assert grounds[True] != grounds[False]
    # Nothing is blocked by the policy.
    assert browser.errors() == []


def test_a_visitor_enters_the_password_of_a_page(site: Server, browser: Page) -> None:
    driver = browser.driver
    driver.get(f"{site.url}/locked/")
    assert "Hidden words." not in driver.page_source
    for password, shown in (("wrong", "This password is not right."), ("sesame", "Hidden words.")):
        driver.find_element("id", "password").send_keys(password)
        driver.find_element("css selector", "button").click()
        browser.sees(shown)
    assert driver.current_url == f"{site.url}/locked/"
    [cookie] = driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    assert (cookie["path"], cookie["httpOnly"], cookie["sameSite"]) == ("/locked", True, "Lax")
    assert driver.execute_script("return document.cookie") == ""
    driver.get(f"{site.url}/locked/?again=1")
    assert "Hidden words." in driver.page_source
    driver.get(f"{site.url}/page/")
    assert driver.get_cookies() == []


def test_scripts_of_a_page_run_and_no_other_page_frames_it(site: Server, browser: Page) -> None:
    content = "<p id='x'>still</p><script>document.getElementById('x').textContent = 'ran'</script>"
    site.call("POST", "/pages", {"title": "Script", "slug": "script", "content": content})
    driver = browser.driver
    driver.get(f"{site.url}/script/")
    browser.sees("ran")
    frame = f"<p id='own'>own</p><iframe src='{site.url}/script/'></iframe>"
    site.call("POST", "/pages", {"title": "Frame", "slug": "frame", "content": frame})
    driver.get(f"{site.url}/frame/")
    driver.switch_to.frame(0)
    assert driver.execute_script("return document.getElementById('x')") is None
    driver.switch_to.default_content()


PRINTED = [
    ["rgb(255, 255, 255)", "rgb(0, 0, 0)"],
    ["rgba(0, 0, 0, 0)", "rgb(28, 29, 32)"],
    ["rgb(243, 244, 246)", "rgb(28, 29, 32)"],
]
SHIFT = """
const done = arguments[0];
new PerformanceObserver((list) => done(list.getEntries().map((one) => one.value)))
    .observe({type: "layout-shift", buffered: true});
setTimeout(() => done([]), 1000);
"""


class LatePictures(BaseHTTPRequestHandler):
    """Sends a picture when the page around it has long been shown."""

    def do_GET(self) -> None:
        time.sleep(0.5)
        self.send_response(200)
        self.send_header("Content-Type", "image/svg+xml")
        self.end_headers()
        self.wfile.write(unquote(LAND.partition(",")[2]).encode())

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def late_pictures(console_driver: Any) -> Iterator[str]:
    """The URL of a server of pictures that come late, and without https."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), LatePictures)
    Thread(target=server.serve_forever, args=(0.01,)).start()
    console_driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    yield f"http://127.0.0.1:{server.server_port}/"
    console_driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    server.shutdown()
    server.server_close()


def test_blocks_stand_as_in_wordpress_without_a_shift(
    browser: Page, site: Server, late_pictures: str
) -> None:
    driver, content = browser.driver, BLOCKS.replace(LAND, f"{late_pictures}land.svg")
    meta = {"gallery": [f"{late_pictures}gallery.svg"]}
    body = {"title": "Late", "slug": "late", "content": content, "meta": meta}
    assert site.call("POST", "/pages", body)[0] == 201
    rows = "return [...document.querySelectorAll(arguments[0])].map((one) => one.offsetTop)"
    shown = "return [...document.images].filter((one) => one.complete && one.naturalWidth).length"
    for width, columns in ((320, 3), (1280, 1)):
        # Only a shift that is in view is one.
        browser.width(width, height=9000)
        driver.get(f"{site.url}/late/")
        assert len(set(driver.execute_script(rows, ".wp-block-column"))) == columns
        edges = "const box = document.querySelector('main > .alignfull').getBoundingClientRect();"
        assert driver.execute_script(f"{edges} return [box.left, box.right]") == [0, width]
        assert driver.execute_async_script(SHIFT) == []
        assert driver.execute_script(shown) > 5


def test_a_page_is_printed_on_white_without_its_notice_and_within_the_paper(
    browser: Page, site: Server
) -> None:
    driver = browser.driver
    colors = """return [":root", ".wp-block-table td", ".wp-block-code"].map((name) => {
        const style = getComputedStyle(document.querySelector(name));
        return [style.backgroundColor, style.color]; })"""
    for dark in (False, True):
        browser.width(700, dark=dark, media="print")
        driver.get(f"{site.url}/blocks/")
        assert driver.execute_script(colors) == PRINTED
        assert not browser.overflows()
        driver.get(site.url + addresses(site)["preview"])
        assert not driver.find_element("class name", "notice").is_displayed()


# Colors of authors. A checker does not judge texts of one letter.
COLORS = [
    '<p style="color:#333">words <b style="margin:0; color:#222">more</b></p>',
    '<p><mark class="has-inline-color" style="background-color:rgba(0,0,0,0);color:#900">words'
    "</mark></p>",
    '<p style="background-color:#fffbe6">words <a href="/x">more</a> '
    '<b style="color:#444">text</b></p>',
    '<p style="color:#fff;background:#123">words <a href="/x">more</a></p>',
    '<p class="has-unknown-background-color has-background">words <a href="/x">more</a></p>',
    '<p class="has-unknown-background-color has-white-color has-text-color">words</p>',
    '<div class="has-contrast-background-color"><p class="has-base-color">words</p>more</div>',
    '<div class="is-style-outline"><a class="wp-block-button__link has-text-color" '
    'style="color:#222" href="/x">words</a></div>',
    '<p><a class="wp-block-button__link has-text-color has-vivid-red-color" href="/x">words</a>',
    *(f'<p class="has-{name}-color has-text-color">words</p>'
      f'<p class="has-{name}-background-color has-background">words <a href="/x">more</a></p>'
      for name in ("black", "white", "vivid-red", "luminous-vivid-amber", "light-green-cyan",
                   "vivid-cyan-blue", "vivid-purple", "contrast", "base", "accent")),
]  # fmt: skip


@has_tools
def test_texts_are_readable_in_the_colors_of_their_authors(browser: Page, site: Server) -> None:
    body = {"title": "Colors", "slug": "colors", "content": "\n".join(COLORS)}
    assert site.call("POST", "/pages", body)[0] == 201
    for dark in (False, True):
        browser.width(1280, dark=dark)
        browser.driver.get(f"{site.url}/colors/")
        assert (dark, browser.axe()) == (dark, [])


@has_tools
@needs("node")
def test_a_validator_finds_nothing_in_any_template(site: Server, tmp_path: Path) -> None:
    found = {name: site.send("GET", path, {}, None)[2] for name, path in addresses(site).items()}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    _, _, found["wrong"] = site.send("POST", "/locked/", form, b"password=wrong")
    _, _, found["error"] = site.send("PUT", "/page/", {}, None)
    validate(tmp_path, **found)


def test_these_tests_know_every_template() -> None:
    templates = {file.stem for file in (ROOT / "service/site/templates").glob("*.html")}
    assert templates == {
        "page", "password", "gone", "soon", "not_found", "error", "layout", "style", "home",
        "gallery",
    }  # fmt: skip
