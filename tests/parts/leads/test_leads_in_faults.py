"""A full disk, a PostgreSQL that goes away, and several services at once: nothing lost or twice."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode

import pytest
from applications import SECRET
from conftest import Server
from databases import Postgres, check, programs, run_sql
from desk import FORM, HOOK
from disks import PAGE_BYTES, filled
from files import command
from processes import until
from receivers import Receiver, receiver
from visitors import (
    Visitors,
    assert_whole,
    events_of_runs,
    stored_entries,
    wait_for_runs,
)
from writers import Client

pytestmark = [pytest.mark.faults, pytest.mark.sqlite("each test says what it runs on")]
SETTINGS = {
    "LANDFORM_SUBMISSIONS_PER_MINUTE": "1000000",
    "LANDFORM_ADDON_PRIVATE": "1",
    "LANDFORM_WEBHOOK_PRIVATE": "1",
}
BROWSER = {"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded"}
LONG = "0123456789" * 1000
PAGES = 40
TYPED = "typed@example.com"


def prepare(server: Server, *urls: str) -> None:
    """Create form 1 with a feed for each URL, on page 1."""
    assert server.call("POST", "/forms", FORM)[1]["id"] == 1
    page = {"title": "P", "status": "publish", "meta": {"form_id": "1"}}
    assert server.call("POST", "/pages", page)[1]["id"] == 1
    for url in urls:
        feed = {"addon_slug": HOOK, "meta": {"feedName": "F", "requestURL": url}}
        assert server.call("POST", "/forms/1/feeds", feed)[0] == 201


def submit_at_once(server: Server, names: Iterable[str], text: str) -> dict[str, tuple[Any, ...]]:
    """Submit the form from as many clients; return the status, body and Retry-After by name."""

    def submit(name: str) -> tuple[Any, ...]:
        with Client(server) as client:
            answer = client.call("POST", "/forms/1/submissions", {"input_2": name, "input_3": text})
            return *answer, client.headers["Retry-After"]

    names = [*names]
    with ThreadPoolExecutor(len(names)) as pool:
        return dict(zip(names, pool.map(submit, names), strict=True))


def browse(server: Server) -> tuple[int, str, str]:
    """Send the form of the page as a browser does; return the status, type and HTML."""
    body = urlencode({"landform_page": "1", "input_2": TYPED, "input_3": "Hello"}).encode()
    status, headers, html = server.send("POST", "/forms/1/submissions", BROWSER, body)
    return status, dict(headers)["Content-Type"].partition(";")[0], html.decode()


def assert_each_sent_once(hook: Receiver, server: Server, feeds: int) -> None:
    """Assert that each feed ran once for each entry that is stored, and for no other."""
    entries = stored_entries(server)
    keys = [headers["Idempotency-Key"] for _, _, headers, _ in hook.received]
    assert Counter(Counter(keys).values()) == {1: len(entries) * feeds}
    assert {entry["id"] for _, entry, _, _ in hook.received} == entries.keys()
    planned = ((number, feed) for number in entries for feed in range(1, feeds + 1))
    assert events_of_runs(server) == Counter(planned)
    assert_whole(server, feeds)
    check(server.database)


def fill_up(server: Server, filler: Path) -> dict[str, tuple[Any, ...]]:
    """Submit the form until a full disk takes nothing; return all responses by name.

    Meanwhile it has room for a page more each time, so that writes fail at any of their statements.
    """
    answers: dict[str, tuple[Any, ...]] = {}

    def submit_until_full(text: str) -> None:
        last = {0}
        while last != {507}:
            names = [f"during{len(answers) + number}@example.com" for number in range(8)]
            new = submit_at_once(server, names, text)
            last = {status for status, *_ in new.values()}
            assert last <= {200, 507}, new
            answers.update(new)

    submit_until_full(LONG)
    for number in range(PAGES):
        os.truncate(filler, filler.stat().st_size - PAGE_BYTES)
        answers |= submit_at_once(server, [f"page{number}@example.com"], "Hello")
    submit_until_full("Hello")
    return answers


def test_on_a_full_disk_a_submission_is_whole_or_refused_and_a_feed_that_ran_is_not_repeated(
    start_server: Callable[..., Server], small_disk: Callable[[], Path]
) -> None:
    may_answer, begun = Event(), list[Any]()

    def respond(entry: Any) -> tuple[int, dict[str, str]]:
        begun.append(entry)
        assert may_answer.wait(60)
        return 204, {}

    folder = small_disk()
    with receiver(respond) as hook:
        url = f"sqlite:///{folder}/landform.db"
        server = start_server(LANDFORM_WORKERS="1", LANDFORM_DATABASE_URL=url, **SETTINGS)
        prepare(server, hook.url)
        answers = submit_at_once(server, ["a@example.com", "b@example.com"], "Hello")
        until(lambda: begun, "The feed does not run.")
        with filled(folder) as filler:
            answers |= fill_up(server, filler)
            status, kind, html = browse(server)
            assert (status, kind) == (507, "text/html")
            assert "There is no room left to write." in html
            assert f'value="{TYPED}"' in html
            for path in ("/entries", "/forms/1", "/runs"):
                assert server.call("GET", path)[0] == 200
            assert server.send("GET", "/p/", {"Accept": "text/html"}, None)[0] == 200
            # The outcome of these attempts cannot be stored.
            may_answer.set()
            until(lambda: len(hook.received) == len(begun), "The receiver does not answer.")
        assert browse(server)[0] == 200
        wait_for_runs(server)
    refused = [answer for answer in answers.values() if answer[0] != 200]
    for status, body, retry in refused:
        assert (status, set(body), body["code"]) == (
            507,
            {"code", "message", "data"},
            "storage_full",
        )
        assert int(retry) > 0
    acknowledged = {name for name, answer in answers.items() if answer[0] == 200}
    assert sorted(stored_entries(server).values()) == sorted({*acknowledged, TYPED})
    assert_each_sent_once(hook, server, feeds=1)


def test_on_a_full_disk_no_old_entry_is_deleted_in_part_and_later_all_are(
    start_server: Callable[..., Server], small_disk: Callable[[], Path]
) -> None:
    folder = small_disk()
    url = f"sqlite:///{folder}/landform.db"
    server = start_server(
        LANDFORM_WORKERS="1", LANDFORM_DELIVER="0", LANDFORM_DATABASE_URL=url, **SETTINGS
    )
    prepare(server)
    # An add-on that nobody has here: its runs stay.
    feed = {"addon_slug": "crm", "meta": {"feedName": "F"}}
    assert server.call("POST", "/forms/1/feeds", feed)[0] == 201
    old = {f"old{number}@example.com" for number in range(9)}
    submit_at_once(server, old, "Hello")
    run_sql(url, "UPDATE entry SET created_utc = '2020-01-01T00:00:00'")
    with filled(folder) as filler:
        fill_up(server, filler)
        before, tries = stored_entries(server), 0
        while (done := command(url, "deliver", "--once", LANDFORM_ENTRY_DAYS="60")).exit_code:
            assert done.output == "Error: There is no room left to write.\n"
            assert stored_entries(server) == before
            assert_whole(server, feeds=1)
            tries += 1
            # A page more each time, and that which the time of the attempt has taken.
            os.truncate(filler, filler.stat().st_size - tries * PAGE_BYTES)
    assert (tries > 1, done.output) == (True, "")
    assert set(stored_entries(server).values()) == {*before.values()} - old
    deleted = run_sql(url, "SELECT count(*) FROM event WHERE type = 'entry.deleted'")
    assert deleted == [(len(old),)]
    check(url)


@pytest.mark.parametrize("arguments", [(), ("--worker-class", "gthread")], ids=["own", "gthread"])
def test_a_service_that_is_stopped_ends_what_it_is_sending_and_begins_no_more(
    start_server: Callable[..., Server], arguments: tuple[str, ...]
) -> None:
    begun, may_answer = list[Any](), Event()

    def respond(entry: Any) -> tuple[int, dict[str, str]]:
        begun.append(entry)
        assert may_answer.wait(60)
        return 204, {}

    with receiver(respond) as hook, receiver(respond) as listener:
        server = start_server(*arguments, LANDFORM_WORKERS="1", **SETTINGS)
        prepare(server, hook.url)
        webhook = {"url": listener.url, "types": ["entry.created"]}
        assert server.call("POST", "/webhooks", webhook)[0] == 201
        submit_at_once(server, [f"{number}@example.com" for number in range(6)], "Hello")
        # One of a feed, and one event.
        until(lambda: len(begun) == 2, "Nothing is sent.")
        stop = Thread(target=server.stop)
        stop.start()
        # Until its worker waits for nothing but what is being sent.
        until(lambda: not is_listening(server), "The server goes on.")
        may_answer.set()
        stop.join()
        assert len(begun) == 2
        states = run_sql(server.database, "SELECT state FROM feed_run ORDER BY state")
        assert states == [("pending",)] * 5 + [("success",)]
        server.start()
        wait_for_runs(server)
        until(lambda: len(listener.received) == 6, "Some events are not sent.")
    assert_each_sent_once(hook, server, feeds=1)
    assert len(set(listener.accepted)) == 6


def test_a_command_that_is_stopped_ends_what_it_is_sending(
    start_server: Callable[..., Server],
) -> None:
    begun, may_answer = Event(), Event()

    def respond(entry: Any) -> tuple[int, dict[str, str]]:
        begun.set()
        assert may_answer.wait(60)
        return 204, {}

    with receiver(respond) as hook:
        server = start_server(LANDFORM_WORKERS="1", LANDFORM_DELIVER="0", **SETTINGS)
        prepare(server, hook.url)
        submit_at_once(server, ["a@example.com"], "Hello")
        deliver = [sys.executable, "-m", "landform.standalone", "deliver"]
        own = {"LANDFORM_DATABASE_URL": server.database}
        with subprocess.Popen(deliver, env=os.environ | SETTINGS | own) as process:
            assert begun.wait(60)
            process.terminate()
            may_answer.set()
        assert process.returncode == 0
    assert run_sql(server.database, "SELECT state FROM feed_run") == [("success",)]


def is_listening(server: Server) -> bool:
    """Return whether a server accepts connections."""
    with suppress(OSError), Client(server) as client:
        client.connection.connect()
        return True
    return False


def end_connections(database: Postgres) -> None:
    """Cut all connections to a server, which goes on."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    database.execute("postgres", f"{others} AND backend_type = 'client backend'")


@pytest.mark.skipif(not programs(), reason="PostgreSQL is not installed")
def test_while_postgresql_goes_away_nothing_acknowledged_is_lost_and_no_feed_runs_twice(
    start_server: Callable[..., Server], request: pytest.FixtureRequest
) -> None:
    database = Postgres()
    request.addfinalizer(database.remove)
    with receiver() as hook:
        url = database.create("template")
        server = start_server(LANDFORM_DATABASE_URL=url, **SETTINGS)
        prepare(server, hook.url)
        visitors = Visitors(server, 1)
        for _ in range(3):
            visitors.wait_for(20)
            end_connections(database)
        for how in ("fast", "immediate"):
            visitors.wait_for(20)
            database.stop(how)
            ((status, body, retry),) = submit_at_once(server, ["x@example.com"], "x").values()
            assert (status, body["code"], body["data"]) == (
                503, "storage_unavailable", {"status": 503},
            )  # fmt: skip
            assert int(retry) > 0
            status, kind, html = browse(server)
            assert (status, kind) == (503, "text/html")
            assert "The database cannot be used now." in html
            database.start()
        visitors.wait_for(20)
        visitors.stop()
        # A claim whose commit got no answer is repeated after its lease of two minutes.
        wait_for_runs(server, 200)
    stored = Counter(stored_entries(server).values())
    assert stored.keys() - visitors.acknowledged == set()
    assert stored == Counter(visitors.acknowledged)
    assert_each_sent_once(hook, server, feeds=1)


# An application that does the background work itself.
HOST = """
import sys, time
from landform.parts.leads import Leads
from landform.parts.runs import Runs
from landform.parts.webhooks import Webhooks
from landform.service import create_blueprint
parts = (Runs(), Webhooks(private=True), Leads(addon_private=True))
landing = create_blueprint(sys.argv[1], parts=parts)
while True:
    landing.deliver()
    time.sleep(0.01)
"""


# With claims that several get, runs are repeated until the time of a wait is over: then it fails.
@pytest.mark.timeout(400)
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_two_services_a_command_and_a_host_run_each_feed_once_and_send_events_in_order(
    start_server: Callable[..., Server], request: pytest.FixtureRequest, engine: str
) -> None:
    settings = dict(SETTINGS)
    if engine == "postgresql":
        database = Postgres()
        request.addfinalizer(database.remove)
        settings["LANDFORM_DATABASE_URL"] = database.create("template")
    with receiver() as hook, receiver() as listener:
        servers = [start_server(**settings) for _ in range(2)]
        server = servers[0]
        prepare(server, hook.url, hook.url)
        webhook = {"url": listener.url, "types": ["entry.created"]}
        assert server.call("POST", "/webhooks", webhook)[0] == 201
        own = {"LANDFORM_CREDENTIALS": SECRET, "LANDFORM_DATABASE_URL": server.database}
        for arguments in (("-m", "landform.standalone", "deliver"), ("-c", HOST, server.database)):
            process = subprocess.Popen(
                [sys.executable, *arguments], cwd=server.folder, env=os.environ | settings | own
            )
            request.addfinalizer(process.wait)
            request.addfinalizer(process.kill)
        groups = [Visitors(one, 1, name=f"of{one.port}x") for one in servers]
        for visitors in groups:
            visitors.wait_for(150)
        for visitors in groups:
            visitors.stop()
        wait_for_runs(server)
        created = "SELECT id FROM event WHERE type = 'entry.created' ORDER BY id"
        events = [number for (number,) in run_sql(server.database, created)]
        until(lambda: len(listener.received) >= len(events), "Some events are not sent.", 120)
    names = [name for visitors in groups for name in visitors.acknowledged]
    assert Counter(stored_entries(server).values()) == Counter(names)
    assert_each_sent_once(hook, server, feeds=2)
    assert listener.accepted == events
