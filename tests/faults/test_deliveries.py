"""`kill -9` while four clients write: each committed write has its events, and each is received."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

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


def hurry(server: Server, path: str, ended: Event) -> None:
    """Let the deliverer try again at once, until the test has ended."""
    with Client(server) as client:
        while not ended.wait(0.05):
            try:
                client.call("PATCH", path, {"active": True})
            except BROKEN:
                time.sleep(0.1)


def kill_now_and_then(server: Server, writers: list[Writer], chance: random.Random) -> None:
    wanted = CLIENTS * (WRITES // CLIENTS // 3 * 3)

    def has_come(share: float) -> bool:
        done = sum(len(one.acknowledged) for one in writers)
        return done >= wanted * share or not any(one.is_alive() for one in writers)

    for number in range(1, KILLS + 1):
        share = 0.8 * number / (KILLS + 1)
        until(lambda share=share: has_come(share), "Nothing is written.", 60)
        time.sleep(chance.random() * 0.1)
        server.stop(signal.SIGKILL)
        server.start()


def test_kills_lose_no_event_and_double_few(start_server: Callable[..., Server]) -> None:
    chance, ended = random.Random(KILLS), Event()
    server = start_server(LANDFORM_WEBHOOK_PRIVATE="1")
    with receiver(lambda event: (500 if chance.random() < 1 / 3 else 204, {})) as hook:
        _, webhook = server.call("POST", "/webhooks", {"url": hook.url})
        again = Thread(target=hurry, args=(server, f"/webhooks/{webhook['id']}", ended))
        writers = [Writer(server, f"w{number}", WRITES // CLIENTS) for number in range(CLIENTS)]
        for thread in (*writers, again):
            thread.start()
        kill_now_and_then(server, writers, chance)
        for writer in writers:
            writer.join()
        events = all_events(server)
        wanted = {event["id"] for event in events}
        until(lambda: wanted <= set(hook.accepted), "Not every event came.", 60 + WRITES / 10)
        ended.set()
        again.join()
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
