"""A client with webhooks, whose events are delivered when a test says so."""

from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from applications import Client, Standing
from databases import run_sql
from flask import Flask


class Outbox(Client):
    """A client with webhooks, and a clock that is turned by hand."""

    def __init__(self, app: Flask, database_url: str) -> None:
        super().__init__(app)
        self.url = database_url
        self.landing: Any = app.blueprints["landform"]
        self.clock = self.store.clock = Standing(at=datetime.now(UTC).replace(microsecond=0))

    def subscribe(self, url: str, **body: Any) -> dict[str, Any]:
        """Create a webhook, and return it with its secret."""
        response = self.post("/webhooks", json={"url": url, **body})
        assert response.status_code == 201, response.text
        assert response.headers["Cache-Control"] == "no-store"
        return dict(response.get_json())

    def draft(self) -> int:
        """Create a draft, which is one event, and return its id."""
        return int(self.page(status="draft")["id"])

    def start(self) -> Thread:
        """Deliver what can be delivered, in a thread."""
        thread = Thread(target=self.landing.deliver, daemon=True)
        thread.start()
        return thread

    def deliver(self, after: float = 0.0) -> None:
        """Deliver, so many seconds later; a clock may be set back."""
        self.clock.at += timedelta(seconds=after)
        thread = self.start()
        thread.join(60)
        assert not thread.is_alive(), "It does not end."

    def drain(self) -> None:
        """Deliver until nothing waits, or the first webhook is switched off."""
        for _ in range(20):
            self.deliver(after=20)
            if not (self.webhook()["waiting"] and self.webhook()["active"]):
                return
        pytest.fail("It is tried again and again.")

    def webhook(self, number: int = 1) -> dict[str, Any]:
        return dict(self.get(f"/webhooks/{number}").get_json())

    def sql(self, statement: str) -> None:
        run_sql(self.url, statement)


@pytest.fixture
def outbox(app: Flask, database_url: str) -> Outbox:
    return Outbox(app, database_url)
