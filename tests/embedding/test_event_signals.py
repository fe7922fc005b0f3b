"""Signals: what this process has committed, told to the receivers of the host that want it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from landform import service
from landform.service import create_blueprint, event_signal, page_created, page_published
from landform.service.blueprint import Landform
from landform.storage.event_types import TYPES, all_types

Made = Callable[..., Landform]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Made]:
    """Make a blueprint on a database of its own."""
    made: list[Landform] = []

    def make(**options: Any) -> Landform:
        made.append(create_blueprint(f"sqlite:///{tmp_path}/{len(made)}.db", **options))
        return made[-1]

    yield make
    for one in made:
        one.api.close()


def test_there_is_a_signal_for_each_type() -> None:
    for name in TYPES:
        assert getattr(service, name.replace(".", "_")) is event_signal(name)
    assert [event_signal(name).name for name in all_types()] == list(all_types())
    with pytest.raises(ValueError, match=r"'page\.read' is not a type"):
        event_signal("page.read")


@pytest.mark.parametrize("event_days", [0, 30])
def test_a_receiver_gets_blueprint_and_event_after_the_commit(make: Made, event_days: int) -> None:
    got, links = [], []

    def receive(sender: object, event: Any) -> None:
        got.append((sender, event))
        # What it tells of is there.
        links.append(landing.api.get_page(event["data"]["id"])["link"])

    landing = make(public_url="https://shop.example", event_days=event_days)
    with page_published.connected_to(receive, landing):
        with landing.api.transaction():
            page = landing.api.create_page(title="T", status="publish")
            with suppress(ZeroDivisionError), landing.api.transaction():
                landing.api.create_page(title="Undone", status="publish")
                _ = 1 / 0
            assert not got
        landing.api.create_page(title="D", status="draft")
    ((sender, event),) = got
    assert sender is landing
    assert links == [event["data"]["link"]] == [page["link"]] == ["https://shop.example/t/"]
    log = landing.api.list_events(type="page.published")
    assert log == ([event] if event_days else [])


def test_a_failing_receiver_harms_nobody(make: Made, caplog: pytest.LogCaptureFixture) -> None:
    got = []
    landing = make()
    fail, note = lambda sender, event: 1 / 0, lambda sender, event: got.append(event["id"])
    caplog.set_level(logging.ERROR, "landform")
    with page_created.connected_to(fail), page_created.connected_to(note):
        landing.api.create_page(title="T")
        landing.api.create_page(title="T")
    assert len(landing.api.list_pages(status="any")) == len(got) == 2
    assert caplog.text.count("ZeroDivisionError") == 2
