"""The console offers what the parts of its blueprint have, and nothing else."""

from collections.abc import Iterator
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from applications import Client
from browsers import Console
from flask import Flask
from werkzeug.serving import make_server

from landform import parts
from landform.parts.console import Console as ConsolePart
from landform.service import Identity, create_blueprint


def make_host(database_url: str) -> Flask:
    """Return a host whose blueprint has the console and no other part."""
    host = Flask("host")
    guest = create_blueprint(
        database_url, parts=(ConsolePart(),), authorizer=lambda request: Identity("host")
    )
    guest.api.create_feed(form_id=3, addon_slug="crm", meta={"feedName": "Newsletter"})
    host.register_blueprint(guest)
    return host


@pytest.fixture
def console(console_driver: Any, database_url: str) -> Iterator[Console]:
    """The console of that host in a browser."""
    server = make_server("127.0.0.1", 0, make_host(database_url), threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    opened = Console(console_driver, SimpleNamespace(url=f"http://127.0.0.1:{server.port}"))
    opened.width(1280)
    console_driver.get_log("browser")
    yield opened
    console_driver.get("about:blank")
    server.shutdown()
    thread.join(60)


def test_the_page_names_the_parts_of_its_blueprint(database_url: str, client: Client) -> None:
    guest = make_host(database_url).test_client()
    assert 'data-parts="console"' in guest.get("/console").text
    assert f'data-parts="{" ".join(parts.all_parts())}"' in client.get("/console").text


@pytest.mark.servers
def test_what_is_not_there_is_neither_offered_nor_asked_for(console: Console) -> None:
    for address, texts in {
        "#/": ["What comes next"],
        "#/feeds/1": ["Settings as JSON", "Try an entry"],
        "#/plan?form_id=3": ["Show the plan"],
        "#/events": ["feed.created"],
        "#/runs": ["There is no such screen."],
        "#/webhooks/new": ["There is no such screen."],
    }.items():
        console.open(address, "Pages", "Feeds", "Events", *texts)
        assert [
            word
            for word in ("Webhooks", "Runs", "Its runs", "Failed runs", "Id of the entry")
            if word in console.text
        ] == []
    assert [line for line in console.driver.get_log("browser") if line["level"] == "SEVERE"] == []
