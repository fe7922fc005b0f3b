"""A form alone in a frame, in pages of other sites."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from applications import ADMIN, Site
from browsers import AXE, Console, Page
from conftest import Server

BROWSER = {"Accept": "text/html"}
ORIGINS = ("https://shop.example", "http://localhost:9")
FIELDS = [
    {"id": 1, "type": "text", "label": "Name", "isRequired": True},
    {"id": 2, "type": "textarea", "label": "More", "conditionalLogic": {
        "logicType": "all", "rules": [{"fieldId": "1", "operator": "is", "value": "long"}]}},
    {"id": 3, "type": "hidden", "label": "Ad", "allowsPrepopulate": True, "inputName": "ad"},
]  # fmt: skip
THANKS = {"id": "t", "isDefault": True, "type": "message", "message": "Thanks, {Name:1}!"}
GONE = {"id": "g", "type": "redirect", "url": "https://shop.example/?to={Name:1}",
        "conditionalLogic": {"logicType": "all", "rules": [
            {"fieldId": "1", "operator": "is", "value": "away"}]}}  # fmt: skip
FORM = {"title": "Ask <us>", "fields": FIELDS, "confirmations": {"g": GONE, "t": THANKS}}


@pytest.fixture
def desk(site: Site) -> Site:
    assert site.visitor.post("/forms", json=FORM, auth=ADMIN).status_code == 201
    return site


def send(desk: Site, **values: str) -> Any:
    data = {"landform_embed": "1", "landform_return": "/forms/1/embed", **values}
    return desk.visitor.post("/forms/1/submissions", data=data, headers=BROWSER)


def ancestors(answer: Any) -> str:
    """Return the pages that may show a document in a frame."""
    policy = answer.headers["Content-Security-Policy"]
    assert policy.count("frame-ancestors") == 1
    return str(policy.partition("frame-ancestors ")[2])


@pytest.mark.settings(EMBED_ORIGINS=",".join(ORIGINS))
def test_only_listed_sites_may_frame_the_form_its_errors_and_its_confirmation(desk: Site) -> None:
    form = desk.get("/forms/1/embed?ad=x")
    wrong, thanked, led = send(desk), send(desk, input_1="Ann"), send(desk, input_1="away")
    gone = desk.get("/forms/9/embed")
    answers = [(form, 200), (wrong, 422), (thanked, 200), (led, 200), (gone, 404)]
    for answer, status in answers:
        assert (answer.status_code, ancestors(answer)) == (status, " ".join(ORIGINS))
        assert "Set-Cookie" not in answer.headers
        assert "no-store" in answer.headers["Cache-Control"]
        assert "<header" not in answer.text
    for part in ('name="landform_embed" value="1"', 'name="input_3" value="x"', "<title>Ask &lt;us",
                 'action="/forms/1/submissions"'):  # fmt: skip
        assert part in form.text
    assert ("<form" in wrong.text, "This field is required." in wrong.text) == (True, True)
    assert ("Thanks, Ann!" in thanked.text, "<form" in thanked.text) == (True, False)
    assert '<a href="https://shop.example/?to=away" target="_top">' in led.text
    # A page of landform itself is still shown by no other site.
    plain = desk.visitor.post("/forms/1/submissions", data={}, headers=BROWSER)
    assert ancestors(plain) == "'none'"


def test_by_default_no_site_may_frame_a_form(desk: Site) -> None:
    assert [ancestors(answer) for answer in (desk.get("/forms/1/embed"), send(desk))] == [
        "'none'"
    ] * 2


@pytest.mark.settings(EMBED_ORIGINS=ORIGINS[0])
def test_pages_of_listed_sites_cannot_send_the_form_themselves(desk: Site) -> None:
    headers = {**BROWSER, "Origin": ORIGINS[0], "Sec-Fetch-Site": "cross-site"}
    sent = {"landform_embed": "1", "input_1": "Ann"}
    answer = desk.visitor.post("/forms/1/submissions", data=sent, headers=headers)
    assert answer.status_code == 403


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("other-site")


@pytest.fixture(scope="module")
def other_site(folder: Path) -> Iterator[str]:
    """The URL of another site, with the files of a folder."""
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *args: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, other_site: str) -> Iterator[Server]:
    settings = {"LANDFORM_WORKERS": "1", "LANDFORM_EMBED_ORIGINS": other_site}
    server = Server(tmp_path_factory.mktemp("embed"), **settings).start()
    away = {**GONE, "url": f"{other_site}/away.html?{{Name:1}}"}
    form = {**FORM, "confirmations": {"g": away, "t": THANKS}}
    assert server.call("POST", "/forms", form)[0] == 201
    yield server
    server.stop()


@pytest.mark.clients
@pytest.mark.sqlite("browsers see nothing of the engine")
def test_the_snippet_of_the_console_shows_a_form_that_grows_and_answers_in_its_frame(
    console_driver: Any, server: Server, other_site: str, folder: Path
) -> None:
    driver, console = console_driver, Console(console_driver, server)
    console.sign_in()
    console.open("#/forms/1", "HTML that shows it on another site")
    snippet = console.value("HTML that shows it on another site")
    for name in ("index", "away"):
        html = f'<!doctype html><html lang="en"><title>{name}</title><h1>{name}</h1>{snippet}'
        (folder / f"{name}.html").write_text(html)
    page = Page(driver, server)
    page.errors()
    driver.get(f"{other_site}/index.html")
    frame = driver.find_element("tag name", "iframe")

    def height() -> int:
        return int(frame.rect["height"])

    page.until(lambda: height() not in (0, 600))
    first = height()
    driver.switch_to.frame(frame)
    assert not AXE.exists() or page.axe() == []
    page.type("Name *", "long")
    driver.switch_to.default_content()
    page.until(lambda: height() > first)
    driver.switch_to.frame(frame)
    page.type("Name *", " ")
    page.click("Submit")
    page.sees("Nothing was sent yet.")
    assert not AXE.exists() or page.axe() == []
    page.type("Name *", "Ann")
    page.click("Submit", sees="Thanks, Ann!")
    assert driver.get_cookies() == []
    assert page.errors() == []
    driver.get(f"{other_site}/index.html")
    driver.switch_to.frame(driver.find_element("tag name", "iframe"))
    page.type("Name *", "away")
    page.click("Submit")
    driver.switch_to.default_content()
    page.until(lambda: driver.current_url == f"{other_site}/away.html?away")
