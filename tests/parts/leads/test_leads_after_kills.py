"""`kill -9` while visitors submit a form: no entry is lost, and each of its feeds succeeds once."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from applications import SECRET
from conftest import Server
from databases import Postgres, check, run_sql
from desk import FORM, HOOK
from figures import IS_LONG, ROUNDS
from mailboxes import ACCEPT, mailbox
from processes import until
from receivers import receiver
from visitors import Visitors, events_of_runs, stored_entries

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not find_spec("landform.parts.leads.operations"), reason="no submissions"),
]
KILLS, ENTRIES, VISITORS = (20, 3000, 8) if IS_LONG else (ROUNDS + 1, 200, 4)
# As the service itself does, but with short leases and pauses.
DELIVER = """
from landform.app import create_app
from landform.parts import feed_runs, worker
worker.DEADLINE, worker.FIRST_WAIT, feed_runs.LONGEST_PAUSE = 5, 0.01, 0
create_app().blueprints["landform"].deliver(forever=True)
"""


def start_workers(server: Server, mail_url: str) -> list["subprocess.Popen[bytes]"]:
    settings = {"LANDFORM_CREDENTIALS": SECRET, "LANDFORM_DATABASE_URL": server.database}
    settings |= {"LANDFORM_ADDON_PRIVATE": "1", "LANDFORM_SMTP_URL": mail_url}
    command, environment = [sys.executable, "-c", DELIVER], {**os.environ, **settings}
    return [subprocess.Popen(command, env=environment, cwd=server.folder) for _ in range(2)]


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_each_acknowledged_entry_is_there_once_and_each_feed_succeeded_once(
    start_server: Callable[..., Server], request: pytest.FixtureRequest, engine: str
) -> None:
    chance, settings = random.Random(KILLS), {}
    if engine == "postgresql":
        server_of_databases = Postgres()
        request.addfinalizer(server_of_databases.remove)
        settings = {"LANDFORM_DATABASE_URL": server_of_databases.create("template")}
    server = start_server(
        LANDFORM_DELIVER="0", LANDFORM_SUBMISSIONS_PER_MINUTE="1000000", **settings
    )
    keys, ids = list[str](), list[str]()

    def accept(entry: dict[str, Any]) -> tuple[int, dict[str, str]]:
        return (500 if chance.random() < 1 / 3 else 204), {}

    def take(command: str, name: str) -> str:
        return "451 Later" if command == "DATA" and chance.random() < 1 / 3 else ACCEPT

    with receiver(accept) as hook, mailbox(take) as box:
        form = int(server.call("POST", "/forms", FORM)[1]["id"])
        for addon, meta in ((HOOK, {"requestURL": hook.url}),
                            ("email", {"toEmail": "sales@example.com"})):  # fmt: skip
            feed = {"addon_slug": addon, "meta": {"feedName": addon, **meta}}
            assert server.call("POST", f"/forms/{form}/feeds", feed)[0] == 201
        visitors = Visitors(server, form, VISITORS)
        workers = start_workers(server, box.url)
        for number in range(1, KILLS + 1):
            goal = ENTRIES * number // KILLS
            until(lambda: len(visitors.acknowledged) >= goal, "No entry is stored.", 300)  # noqa: B023
            time.sleep(chance.random() * 0.1)
            server.stop(signal.SIGKILL)
            for worker in workers:
                worker.kill()
                worker.wait()
            server.start()
            workers = start_workers(server, box.url)
        visitors.stop()
        waiting = "SELECT count(*) FROM feed_run WHERE state <> 'success'"
        until(lambda: run_sql(server.database, waiting) == [(0,)], "Some runs wait.", 60 + ENTRIES)
        for worker in workers:
            worker.kill()
            worker.wait()
        keys = [
            headers["Idempotency-Key"] for status, _, headers, _ in hook.received if status < 300
        ]
        ids = [str(mail["Message-ID"]) for _, mail in box.accepted]
        sent = {entry["id"] for _, entry, _, _ in hook.received}
    entries = stored_entries(server)
    assert Counter(visitors.acknowledged) - Counter(entries.values()) == Counter()
    assert max(Counter(entries.values()).values()) == 1
    planned = {(number, feed) for number in entries for feed in (1, 2)}
    assert events_of_runs(server) == Counter(planned)
    assert sent == entries.keys()
    # Who ignores known keys has each once; a kill repeats few attempts.
    for seen in (keys, ids):
        assert len(set(seen)) == len(entries)
        assert len(seen) - len(entries) <= KILLS * 8
    check(server.database)
