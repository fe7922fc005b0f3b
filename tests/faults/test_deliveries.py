"""`kill -9` while four clients write: each committed write has its events, and each is received."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from threading import Thread
from typing import Any

from applications import SECRET
from conftest import Server
from figures import IS_LONG, ROUNDS
from processes import until
from receivers import receiver
from writers import BROKEN, Client

KILLS, WRITES = (20, 5000) if IS_LONG else (ROUNDS + 1, 400)
CLIENTS = 4
# What writes a version of a page.
WRITES_ONE = ("created", "updated")


class Writer(Thread):
    """Creates, changes and deletes pages, and notes which versions were acknowledged."""

    def __init__(self, server: Server, name: str, writes: int) -> None:
        super().__init__()
        self.server, self.prefix, self.writes = server, name, writes
        self.acknowledged: list[tuple[int, str]] = []

    def run(self) -> None:
        with Client(self.server) as client:
            for number in range(self.writes // 3):
                body = {"title": f"{self.prefix} {number}", "status": "draft"}
                page = self.write(client, "created", "POST", "/pages", body)
                if page:
                    path = f"/pages/{page['id']}"
                    self.write(client, "updated", "PATCH", path, {"status": "publish"})
                    self.write(client, "deleted", "DELETE", f"{path}?force=true")

    def write(self, client: Client, verb: str, *request: Any) -> dict[str, Any]:
        """Send a write until it is answered, or it may have happened."""
        while True:
            try:
                status, page = client.call(*request)
            except BROKEN:
                time.sleep(0.05)
                return {}
            if status < 300:
                version = page.get("previous", page)
                self.acknowledged.append((version["id"], verb))
                return dict(page)
            if status < 500:
                return {}


def all_events(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        after = found[-1]["id"] if found else 0
        _, part = server.call("GET", f"/events?after={after}")
        if not part:
            return found
        found += part


# As the service itself does, but without waits of a second and more.
DELIVER = """
from landform.app import create_app
from landform.service.webhooks.delivery import Deliverer
Deliverer(create_app().blueprints["landform"].service, first_wait=0.01).run()
"""


def deliverer(server: Server, *command: str) -> "subprocess.Popen[bytes]":
    """Start a process that delivers."""
    environment = {
        **os.environ, "LANDFORM_WEBHOOK_PRIVATE": "1", "LANDFORM_CREDENTIALS": SECRET,
        "LANDFORM_DATABASE_URL": server.database,
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, *(command or ("-c", DELIVER))],
        env=environment, cwd=server.folder,
    )  # fmt: skip


def kill_now_and_then(
    server: Server, writers: list[Writer], chance: random.Random
) -> list["subprocess.Popen[bytes]"]:
    processes = [deliverer(server) for _ in range(2)]
    wanted = CLIENTS * (WRITES // CLIENTS // 3 * 3)

    def has_come(share: float) -> bool:
        done = sum(len(one.acknowledged) for one in writers)
        return done >= wanted * share or not any(one.is_alive() for one in writers)

    for number in range(1, KILLS + 1):
        share = 0.8 * number / (KILLS + 1)
        until(lambda share=share: has_come(share), "Nothing is written.", 60)
        time.sleep(chance.random() * 0.1)
        server.stop(signal.SIGKILL)
        for process in processes:
            process.kill()
        server.start()
        processes += [deliverer(server) for _ in range(2)]
    return processes


def test_kills_lose_no_event_and_double_few(start_server: Callable[..., Server]) -> None:
    chance = random.Random(KILLS)
    server = start_server(LANDFORM_DELIVER="0")
    with receiver(lambda event: (500 if chance.random() < 1 / 3 else 204, {})) as hook:
        server.call("POST", "/webhooks", {"url": hook.url})
        writers = [Writer(server, f"w{number}", WRITES // CLIENTS) for number in range(CLIENTS)]
        for writer in writers:
            writer.start()
        processes = kill_now_and_then(server, writers, chance)
        for writer in writers:
            writer.join()
        events = all_events(server)
        wanted = {event["id"] for event in events}
        until(lambda: wanted <= set(hook.accepted), "Not every event came.", 60 + WRITES / 10)
        for process in processes:
            process.kill()
            process.wait()
        accepted = hook.accepted
    ids = [event["id"] for event in events]
    assert ids == sorted(set(ids))
    assert set(accepted) == set(ids), "something was delivered that was rolled back"
    assert list(dict.fromkeys(accepted)) == ids, "the order is not that of the commits"
    doubled = [number for number, times in Counter(accepted).items() if times > 1]
    assert len(doubled) <= KILLS * 2
    told = Counter((event["data"]["id"], event["type"].partition(".")[2]) for event in events)
    for page, verb in (one for writer in writers for one in writer.acknowledged):
        assert told[page, verb] == 1
    # No version of a page has no event, be it acknowledged or not.
    last: dict[int, int] = {}
    for event in events:
        data, verb = event["data"], event["type"].partition(".")[2]
        if verb in WRITES_ONE:
            assert data["version"] == last.get(data["id"], 0) + 1
            last[data["id"]] = data["version"]
    _, pages = server.call("GET", "/pages?status=any&per_page=100&context=edit")
    assert {page["id"] for page in pages} <= set(last)
    print(f"{len(events)} events, {len(doubled)} doubled, {len(hook.received)} attempts")
