"""Visitors who submit a form of a server, and what they leave in its database."""

import json
import time
from collections import Counter
from itertools import count as numbers
from threading import Event, Lock, Thread

from conftest import Server
from databases import run_sql
from processes import until
from writers import BROKEN, Client


class Visitors:
    """Visitors who submit a form, each again until it is acknowledged."""

    def __init__(self, server: Server, form: int, count: int = 4, name: str = "visitor") -> None:
        self.server, self.path, self.name = server, f"/forms/{form}/submissions", name
        self.acknowledged: list[str] = []
        self.over, self._numbers, self._lock = Event(), numbers(1), Lock()
        self._threads = [Thread(target=self._submit, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _submit(self) -> None:
        with Client(self.server) as client:
            while not self.over.is_set():
                with self._lock:
                    name = f"{self.name}{next(self._numbers)}@example.com"
                while not self._is_acknowledged(client, name):
                    time.sleep(0.05)
                self.acknowledged.append(name)

    def _is_acknowledged(self, client: Client, name: str) -> bool:
        try:
            body = {"input_2": name, "input_3": "Hello"}
            status, answer = client.call("POST", self.path, body, **{"Idempotency-Key": name})
        except BROKEN:
            return False
        assert status in (200, 503), answer
        return status == 200

    def wait_for(self, more: int) -> None:
        """Wait until so many further submissions were acknowledged."""
        wanted = len(self.acknowledged) + more
        until(lambda: len(self.acknowledged) >= wanted, "No entry is stored.", 60)

    def stop(self) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()


def stored_entries(server: Server) -> dict[str, str]:
    """Return the addresses of all entries by their ids."""
    rows = run_sql(server.database, "SELECT entry_id, value FROM entry_value WHERE key = '2'")
    return {str(number): value for number, value in rows}


def events_of_runs(server: Server) -> Counter[tuple[str, int]]:
    """Return how many events there are of each success."""
    rows = run_sql(server.database, "SELECT data FROM event WHERE type = 'run.succeeded'")
    data = [json.loads(text) for (text,) in rows]
    return Counter((item["entry_id"], item["feed_id"]) for item in data)


def assert_whole(server: Server, feeds: int) -> None:
    """Assert that each entry has its values, its event and its runs, and that nothing else is."""

    def numbers_in(query: str) -> list[int]:
        return sorted(int(number) for (number,) in run_sql(server.database, query))

    entries = numbers_in("SELECT id FROM entry")
    for key in ("2", "3"):
        query = f"SELECT entry_id FROM entry_value WHERE key = '{key}'"
        assert numbers_in(query) == entries, f"values of field {key}"
    data = run_sql(server.database, "SELECT data FROM event WHERE type = 'entry.created'")
    assert sorted(json.loads(text)["id"] for (text,) in data) == entries
    runs = numbers_in("SELECT entry_id FROM feed_run")
    assert runs == sorted(entries * feeds)


def wait_for_runs(server: Server, seconds: float = 60) -> None:
    """Wait until each run of a server has succeeded."""
    waiting = "SELECT count(*) FROM feed_run WHERE state <> 'success'"
    until(lambda: run_sql(server.database, waiting) == [(0,)], "Some runs wait.", seconds)
