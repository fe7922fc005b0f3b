"""When events are delivered: whatever receivers, clocks and rows do, none is lost or held up."""

import signal
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest
from applications import Standing, next_path, service
from conftest import Start
from databases import run_sql
from outbox import Outbox, outbox
from processes import until
from receivers import Receiver, receiver

from landform.parts.webhooks import storage
from landform.parts.webhooks.sending import sign
from landform.storage import Store, events

pytestmark = pytest.mark.settings(WEBHOOK_PRIVATE=True)
HOUR, DRAFT = 3600, {"title": "A page", "status": "draft"}
Answer = tuple[int, dict[str, str]]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("error", [MemoryError, RecursionError, SystemExit, KeyboardInterrupt])
def test_an_attempt_whose_thread_ends_has_failed(
    outbox: Outbox, hook: Receiver, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    outbox.subscribe(hook.url)
    outbox.draft()
    with monkeypatch.context() as patched:

        def die(*args: Any, **options: Any) -> Any:
            raise error

        patched.setattr(socket, "getaddrinfo", die)
        outbox.deliver()
    webhook = outbox.webhook()
    assert (webhook["failures"], webhook["deliveries"][0]["status"]) == (1, 0)
    assert webhook["deliveries"][0]["response"]
    outbox.deliver(after=10)
    assert hook.accepted == [1]


@pytest.mark.parametrize("body", [{"after": 2}, {"since": "2099-01-01T00:00:00Z"}])
def test_a_replay_skips_nothing_new(outbox: Outbox, hook: Receiver, body: dict[str, Any]) -> None:
    outbox.subscribe(hook.url)
    for _ in range(3):
        outbox.draft()
    assert outbox.post("/webhooks/1/replay", json=body).get_json()["waiting"] == 3
    outbox.deliver()
    assert hook.accepted == [1, 2, 3]


def test_a_delivery_writes_its_webhook_once(outbox: Outbox, hook: Receiver) -> None:
    outbox.subscribe(hook.url)
    outbox.draft()
    statements = list[str]()
    outbox.store.database.observers.append(lambda sql, _: statements.append(sql))
    outbox.deliver()
    assert len([sql for sql in statements if sql.startswith('UPDATE "webhook"')]) == 1
    webhook = outbox.webhook()
    assert (webhook["last_event"], webhook["deliveries"][0]["event"]) == (1, 1)


# Clocks, and how long a receiver fails.
def test_waits_double_up_to_six_hours_and_75_hours_of_them_switch_off(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    waits, began = list[float](), outbox.clock.at
    with receiver(lambda event: (500, {}), words=b"sesame") as hook:
        outbox.subscribe(hook.url)
        outbox.draft()
        outbox.deliver()
        while outbox.webhook()["active"] and len(waits) < 200:
            due = datetime.fromisoformat(outbox.webhook()["next_try"])
            waits.append((due - outbox.clock.at).total_seconds())
            outbox.deliver(after=waits[-1] + 1)
    expected = [min(2.0**number, 6 * HOUR) for number in range(len(waits))]
    # The API shows whole seconds.
    assert [wait for wait, most in zip(waits, expected, strict=True)
            if not most / 2 - 1 <= wait <= most] == []  # fmt: skip
    assert timedelta(hours=75) < outbox.clock.at - began < timedelta(hours=90)
    assert "75 hours" in outbox.webhook()["reason"]
    assert "switched off" in caplog.text
    assert "sesame" not in caplog.text


def test_hours_without_a_delivery_neither_switch_off_nor_stall(outbox: Outbox) -> None:
    status = 500
    with receiver(lambda event: (status, {})) as hook:
        outbox.subscribe(hook.url)
        outbox.draft()
        for _ in range(3):
            outbox.deliver(after=100 * HOUR)
        assert len(hook.received) == 3
        assert outbox.webhook()["active"]
        status = 204
        outbox.deliver(after=6 * HOUR)
        assert hook.accepted == [1]


# Slow receivers.
class Gate:
    """What a receiver waits for before it responds."""

    def __init__(self) -> None:
        self.opened, self.waiting = Event(), 0

    def respond(self, event: dict[str, Any]) -> Answer:
        self.waiting += 1
        self.opened.wait(60)
        return 204, {}


def test_due_pages_are_published_while_a_receiver_is_slow(outbox: Outbox) -> None:
    gate = Gate()
    with receiver(gate.respond) as slow:
        outbox.subscribe(slow.url)
        soon = outbox.clock.at + timedelta(minutes=1)
        page = outbox.page(date=soon.isoformat())
        thread = outbox.start()
        try:
            until(lambda: gate.waiting, "Nothing was sent.")
            outbox.clock.at = soon
            until(lambda: outbox.get("/events?type=page.published").get_json(), "It waits.", 5)
        finally:
            gate.opened.set()
            thread.join(60)
    assert outbox.get(f"/pages/{page['id']}").get_json()["status"] == "publish"


def test_many_slow_receivers_delay_no_other_and_take_turns(outbox: Outbox) -> None:
    gate = Gate()

    def respond(event: dict[str, Any]) -> Answer:
        if event["id"] > 1:
            return gate.respond(event)
        time.sleep(1.1)
        return 204, {}

    with receiver(respond) as slow, receiver() as healthy:
        numbers = [outbox.subscribe(slow.url)["id"] for _ in range(5)]
        outbox.subscribe(healthy.url)
        outbox.draft()
        outbox.deliver()
        outbox.draft()
        thread = outbox.start()
        try:
            until(lambda: gate.waiting, "Nothing was sent.")
            for number in (3, 4, 5):
                time.sleep(0.1)
                outbox.draft()
                until(lambda: number in healthy.accepted, "It waits.", 10)  # noqa: B023
        finally:
            gate.opened.set()
            thread.join(60)
        outbox.deliver()
        assert healthy.accepted == [1, 2, 3, 4, 5]
        assert [outbox.webhook(number)["delivered"] for number in numbers] == [5] * 5


# What counts for whom.
@pytest.mark.parametrize("status", [410, 204, 500])
def test_a_response_counts_only_for_its_url(outbox: Outbox, hook: Receiver, status: int) -> None:
    def respond(event: dict[str, Any]) -> Answer:
        outbox.patch("/webhooks/1", json={"url": hook.url})
        return status, {}

    with receiver(respond) as former:
        outbox.subscribe(former.url)
        outbox.draft()
        outbox.deliver()
        webhook = outbox.webhook()
        assert (webhook["active"], webhook["reason"], webhook["failures"]) == (True, "", 0)
        assert len(former.received) == 1
    assert hook.accepted == [1]


def test_failures_of_a_former_url_do_not_count(outbox: Outbox) -> None:
    with receiver(lambda event: (500, {})) as hook:
        outbox.subscribe(hook.url)
        outbox.draft()
        for _ in range(4):
            outbox.deliver(after=20)
        assert outbox.webhook()["failures"] == 4
        changed = outbox.patch("/webhooks/1", json={"url": f"{hook.url}/new"}).get_json()
        assert (changed["failures"], changed["next_try"]) == (0, None)
        outbox.deliver()
        assert len(hook.received) == 5


def test_a_secret_is_shown_once_four_old_ones_sign_a_day(outbox: Outbox, hook: Receiver) -> None:
    keys, began = [outbox.subscribe(hook.url)["secret"]], outbox.clock.seconds()
    for _ in range(2):
        outbox.clock.at += timedelta(hours=1)
        keys.insert(0, outbox.post("/webhooks/1/rotate").get_json()["secret"])
    outbox.draft()
    outbox.deliver()
    outbox.draft()
    outbox.deliver(after=24 * HOUR)
    for _ in range(6):
        keys.insert(0, outbox.post("/webhooks/1/rotate").get_json()["secret"])
    outbox.draft()
    outbox.deliver()
    assert len(set(keys)) == 9
    assert "whsec_" not in outbox.get("/webhooks").text + outbox.get("/webhooks/1").text
    expected = [keys[6:], keys[6:7], keys[:5]]
    for (_, _, headers, body), signing in zip(hook.received, expected, strict=True):
        lower = {name.lower(): value for name, value in headers.items()}
        stamped = int(lower["webhook-timestamp"])
        assert began < stamped <= outbox.clock.seconds()
        signed = sign(signing, lower["webhook-id"], stamped, body)["webhook-signature"]
        assert lower["webhook-signature"] == signed


# Late commits.
class Meanwhile:
    """Another process that writes an event after the statement `place` of this one."""

    def __init__(self, outbox: Outbox) -> None:
        self.database, self.other = outbox.store.database, service(outbox.url)
        self.statements, self.place = 0, 0
        self.database.observers.append(self.observe)

    def observe(self, sql: str, seconds: float) -> None:
        # While this process writes, the other one could not.
        if sql.startswith("SELECT") and not self.database.in_transaction():
            self.statements += 1
            if self.statements == self.place:
                assert self.other.post("/pages", json=DRAFT).status_code == 201

    def after_each(self, read: Callable[[], object]) -> None:
        """Read until the other process has written after each statement of it."""
        while self.place <= self.statements < 100:
            self.place, self.statements = self.place + 1, 0
            read()
        assert 5 < self.place < 100
        self.place = 0


def test_no_reader_misses_an_event_that_is_committed_while_it_reads(outbox: Outbox) -> None:
    path, read = "/events?type=page.*", list[int]()

    def follow() -> None:
        nonlocal path
        # An event that it does not ask for.
        outbox.feed()
        response = outbox.get(path)
        assert response.status_code == 200
        read.extend(event["id"] for event in response.get_json())
        path = next_path(response)

    Meanwhile(outbox).after_each(follow)
    follow()
    pages = [event["id"] for event in outbox.get("/events?type=page.*").get_json()]
    assert read == pages
    assert len(pages) > 5


def test_no_webhook_misses_an_event_that_comes_meanwhile(outbox: Outbox, hook: Receiver) -> None:
    def look() -> None:
        outbox.feed()
        # So that where it stands is stored each time.
        outbox.deliver(after=1)

    outbox.subscribe(hook.url, types=["page.*"])
    Meanwhile(outbox).after_each(look)
    look()
    pages = [event["id"] for event in outbox.get("/events?type=page.*").get_json()]
    assert hook.accepted == pages
    assert len(pages) > 5


# Rows that are damaged.
@pytest.mark.settings(PUBLIC_URL="https://example.com")
@pytest.mark.parametrize("data", ["", "no JSON", "[]", '{"id": 1}', '{"resource": "page"}'])
def test_an_event_that_cannot_be_read_is_set_aside_and_left_out(
    outbox: Outbox, hook: Receiver, data: str, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.subscribe(hook.url)
    for _ in range(3):
        outbox.draft()
    outbox.sql(f"UPDATE event SET data = '{data}' WHERE id = 2")
    for query in ("", "?order=desc"):
        response = outbox.get(f"/events{query}")
        assert response.status_code == 200
        assert sorted(event["id"] for event in response.get_json()) == [1, 3]
    response = outbox.get("/events?per_page=2")
    assert [event["id"] for event in response.get_json()] == [1]
    assert next_path(response).endswith("after=2")
    outbox.deliver()
    assert hook.accepted == [1, 3]
    assert (outbox.webhook()["set_aside"], outbox.webhook()["waiting"]) == ([2], 0)
    assert "event 2 is damaged" in caplog.text


@pytest.mark.parametrize(
    ("column", "value"),
    [("types", "no JSON"), ("types", "[]"), ("types", "[ ]"), ("resend", "{}"), ("resend", ""),
     ("set_aside", "[null]"), ("deliveries", "no JSON")],
)  # fmt: skip
def test_a_damaged_webhook_is_switched_off_and_delays_no_other(
    outbox: Outbox, hook: Receiver, column: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        outbox.subscribe(hook.url)
    outbox.sql(f"UPDATE webhook SET {column} = '{value}' WHERE id = 1")
    outbox.draft()
    assert outbox.get("/webhooks").status_code == 200
    outbox.deliver()
    assert hook.accepted == [1]
    assert not outbox.webhook()["active"]
    assert column in outbox.webhook()["reason"]
    assert caplog.text.count("Webhook 1 was switched off") == 1
    changed = outbox.patch("/webhooks/1", json={"types": ["page.*"], "active": True})
    assert changed.status_code == 200
    outbox.deliver()
    assert outbox.webhook()["delivered"] == 1


@pytest.mark.parametrize("records", ["[]", "[{}]"])
def test_damaged_secrets_or_logs_delay_none(outbox: Outbox, hook: Receiver, records: str) -> None:
    for _ in range(2):
        outbox.subscribe(hook.url)
    outbox.sql(f"UPDATE webhook SET secret = 'whsec_x', deliveries = '{records}' WHERE id = 1")
    outbox.draft()
    outbox.deliver()
    assert hook.accepted == [1]
    assert outbox.webhook()["failures"] == 1
    assert "whsec" not in outbox.get("/webhooks").text


# Who delivers.
def test_when_the_delivering_process_is_killed_another_one_continues(start_server: Start) -> None:
    def respond(event: dict[str, Any]) -> Answer:
        time.sleep(2)
        return 204, {}

    settings = {"LANDFORM_WEBHOOK_PRIVATE": "1", "LANDFORM_WORKERS": "1"}
    with receiver(respond) as hook:
        first = start_server(**settings)
        assert first.call("POST", "/webhooks", {"url": hook.url})[0] == 201
        for _ in range(8):
            assert first.call("POST", "/pages", DRAFT)[0] == 201
        start_server(**settings, LANDFORM_DATABASE_URL=first.database)
        # That takes longer than a lease, which is renewed.
        until(lambda: len(hook.accepted) >= 6, "Not delivered.")
        first.stop(signal.SIGKILL)
        assert hook.accepted == list(range(1, len(hook.accepted) + 1))
        until(lambda: 8 in hook.accepted, "No other process delivers.", 30)
    assert list(dict.fromkeys(hook.accepted)) == list(range(1, 9))


# Events that webhooks wait for are stored.
def write_events(store: Store, last: int) -> None:
    with store.connection(), store.transaction():
        while events.newest(store) < last:
            events.write(store, ("page.created",), {"resource": "page"})


def oldest(store: Store) -> int:
    return int(run_sql(store.url, "SELECT min(id) FROM event")[0][0])  # type: ignore[attr-defined]


def test_old_events_are_deleted_up_to_the_first_that_a_webhook_waits_for(store: Store) -> None:
    write_events(store, 150)
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()[:19]
    run_sql(store.url, f"UPDATE event SET created_utc = '{old}' WHERE id <= 60")  # type: ignore[attr-defined]
    with store.connection():
        storage.create(store, {"url": "https://example.com", "types": ["*"]})
    for changes, last, first in (
        ({"cursor": 40, "resend": [21, 30]}, 210, 21),
        ({"resend": []}, 310, 41),
        ({"active": False}, 410, 61),
    ):
        with store.connection():
            storage.update(store, 1, changes)
        write_events(store, last)
        assert oldest(store) == first, last
    # One that cannot be read ends no write.
    run_sql(store.url, "UPDATE webhook SET active = true, resend = 'no JSON'")  # type: ignore[attr-defined]
    write_events(store, 520)
