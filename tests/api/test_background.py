"""Work in the background: every worker is called, whatever another one does."""

from datetime import timedelta
from typing import Any

import pytest
from applications import Client, Standing

from landform.service.background import Background


def service_of(client: Client) -> Any:
    landing: Any = client.application.blueprints["landform"]
    return landing.service


def fail() -> float | None:
    raise RuntimeError("out of order")


def test_an_error_is_raised_once_every_other_worker_has_done_its_work(client: Client) -> None:
    clock, calls = Standing(), list[int]()
    client.store.clock = clock
    client.page(date="2030-05-01T12:00:30")
    clock.at += timedelta(hours=1)

    def work() -> float | None:
        calls.append(len(calls))
        return 0.0 if len(calls) < 3 else 60.0

    with pytest.raises(RuntimeError, match="out of order"):
        Background(service_of(client), [fail, work]).run_once()
    assert calls == [0, 1, 2]
    assert client.get("/events").get_json()[-1]["type"] == "page.published"
    assert Background(service_of(client), [work]).run_once() == 60.0
    assert Background(service_of(client), []).run_once() is None


def test_a_worker_that_fails_is_logged_and_pauses_while_others_go_on(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    calls = list[int]()

    def work() -> float | None:
        calls.append(len(calls))
        if len(calls) == 5:
            raise SystemExit
        return 0.0

    with pytest.raises(SystemExit):
        Background(service_of(client), [fail, work]).run()
    assert caplog.text.count("RuntimeError: out of order") == 1
