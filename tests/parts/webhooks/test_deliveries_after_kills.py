"""`kill -9` while four clients write: each committed write has its events, and each is received."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest
from applications import SECRET
from conftest import Server, Start
from figures import IS_LONG, ROUNDS
from processes import until
from receivers import receiver
from writers import ABSENT, Client, Thing, Writers, problems

pytestmark = pytest.mark.faults
KILLS, WRITES = (20, 5000) if IS_LONG else (ROUNDS + 1, 400)
# As the service itself does, but without waits of a second and more.
DELIVER = """
from landform.app import create_app
from landform.parts import worker
worker.FIRST_WAIT = 0.01
create_app().blueprints["landform"].deliver(forever=True)
"""


def start_deliverers(server: Server) -> list["subprocess.Popen[bytes]"]:
    environment = {
        **os.environ, "LANDFORM_WEBHOOK_PRIVATE": "1", "LANDFORM_CREDENTIALS": SECRET,
        "LANDFORM_DATABASE_URL": server.database,
    }  # fmt: skip
    command = [sys.executable, "-c", DELIVER]
    return [subprocess.Popen(command, env=environment, cwd=server.folder) for _ in range(2)]


def missing_events(things: list[Thing], events: list[dict[str, Any]]) -> list[Thing]:
    """Return the things without exactly one event for each version, and for their deletion."""
    versions: dict[Any, list[tuple[str, int]]] = {}
    for event in events:
        resource, verb = event["type"].split(".")
        if verb in ("created", "updated", "deleted"):
            version = ABSENT if verb == "deleted" else event["data"]["version"]
            versions.setdefault((f"{resource}s", event["data"]["id"]), []).append((verb, version))
    wrong = []
    for thing in (thing for thing in things if thing.number):
        (version,) = thing.allowed
        own_versions = versions.get((thing.kind, thing.number), [])
        last = version or len(own_versions) - 1
        expected = [("created", 1), *(("updated", n) for n in range(2, last + 1))]
        if own_versions != expected + [("deleted", ABSENT)] * (version == ABSENT):
            wrong.append(thing)
    return wrong


def test_after_kills_no_event_is_lost_and_few_are_sent_twice(start_server: Start) -> None:
    chance = random.Random(KILLS)
    server = start_server(LANDFORM_DELIVER="0")
    with receiver(lambda event: (500 if chance.random() < 1 / 3 else 204, {})) as hook:
        server.call("POST", "/webhooks", {"url": hook.url})
        writers, processes = Writers(server, "w", clients=4), start_deliverers(server)
        with writers.writing():
            for _ in range(KILLS):
                writers.wait_for(WRITES // KILLS)
                time.sleep(chance.random() * 0.1)
                server.stop(signal.SIGKILL)
                for process in processes:
                    process.kill()
                server.start()
                processes += start_deliverers(server)
            writers.wait_for(20)
        with Client(server) as client:
            assert problems(client, writers.things) == []
        events = list[dict[str, Any]]()
        while part := server.call("GET", f"/events?after={events[-1]['id'] if events else 0}")[1]:
            events += part
        ids = [event["id"] for event in events]
        until(lambda: set(ids) <= set(hook.accepted), "Not every event came.", 60 + WRITES / 10)
        for process in processes:
            process.kill()
            process.wait()
    assert ids == sorted(set(ids))
    assert list(dict.fromkeys(hook.accepted)) == ids, "not those of the commits, in their order"
    doubled = [number for number, times in Counter(hook.accepted).items() if times > 1]
    assert len(doubled) <= KILLS * 2
    assert missing_events(writers.things, events) == []
