"""Measure submissions and entries: `python bench/leads.py [DATABASE_URL] [ENTRIES]`.

Prints the processor time of a submission with two feeds beside that of a new page, interleaved and
in process, then what takes how long with 100,000 entries. Give the URL of an empty database. With a
server the times include those that the process waits.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from landform.app import create_app
from landform.parts.leads.models import Entry, EntryValue

FIELDS = [
    {"id": 1, "type": "name", "inputs": [{"id": "1.3"}, {"id": "1.6"}]},
    {"id": 2, "type": "email", "isRequired": True, "noDuplicates": True},
    {"id": 3, "type": "textarea"},
]
FEEDS = {"email": {"toEmail": "a@example.com"}, "slack": {"webhook": "https://example.com"}}
ROUNDS, CALLS, BATCH = 30, 20, 500


class Bench:
    """A service with a form, and the calls that are measured."""

    def __init__(self, url: str) -> None:
        options = {"CREDENTIALS": "a:secret-secret", "CACHE_BYTES": "0", "DELIVER": "0"}
        options["SUBMISSIONS_PER_MINUTE"] = "1000000"
        self.app = create_app({"DATABASE_URL": url, **options})
        self.client, self.count = self.app.test_client(), 0
        self.form = self._create("/forms", {"title": "Leads", "fields": FIELDS})
        for slug, meta in FEEDS.items():
            body = {"addon_slug": f"gravityforms{slug}" if slug != "email" else slug, "meta": meta}
            self._create(f"/forms/{self.form}/feeds", body)

    def _create(self, path: str, body: dict[str, Any]) -> int:
        response = self.client.post(path, json=body, auth=("a", "secret-secret"))
        if response.status_code != 201:
            raise SystemExit(response.text)
        return int(response.json["id"])  # type: ignore[index]

    def page(self) -> None:
        """Create a page."""
        self.count += 1
        self._create("/pages", {"title": f"Page {self.count}", "content": "<p>Some words.</p>" * 5})

    def submission(self, auth: tuple[str, str] | None = ("a", "secret-secret")) -> None:
        """Submit the form with credentials."""
        self.count += 1
        body = {"input_1_3": "Ada", "input_1_6": "L", "input_2": f"new{self.count}@example.com"}
        path = f"/forms/{self.form}/submissions"
        response = self.client.post(path, json=body, auth=auth)
        if response.status_code != 200:
            raise SystemExit(response.text)

    def visitor(self) -> None:
        """Submit the form as a stranger, who is counted."""
        self.submission(None)

    def fill(self, number: int) -> None:
        """Store entries without submitting them."""
        store = self.app.blueprints["landform"].service.store
        with store.connection():
            for start in range(0, number, BATCH):
                with store.transaction():
                    self._add(store.database, range(start, start + BATCH))
        self.analyze()

    def analyze(self) -> None:
        """Gather statistics, as PostgreSQL does by itself within a minute."""
        store = self.app.blueprints["landform"].service.store
        with store.connection() as db:
            db.execute_sql("ANALYZE")

    def _add(self, db: Any, numbers: range) -> None:
        times = [f"2026-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:00:00" for i in numbers]
        rows = [{"form_id": self.form, "created_utc": t, "modified_utc": t} for t in times]
        last = Entry.select(Entry.id).order_by(Entry.id.desc()).limit(1).scalar(db) or 0
        Entry.insert_many(rows).execute(db)
        values = [
            {"entry_id": last + 1 + place, "form_id": self.form, "key": key, "value": text}
            for place, i in enumerate(numbers)
            for key, text in {
                "1.3": "Ada",
                "1.6": f"Name {i}",
                "2": f"person{i}@example.com",
                "3": "Words " * 40,
            }.items()
        ]
        values = [{**row, **EntryValue.computed_values(row)} for row in values]
        EntryValue.insert_many(values).execute(db)

    def get(self, **search: Any) -> Callable[[], Any]:
        """Return a call that lists the entries of the form, maybe with a search."""
        query = {"search": json.dumps({"field_filters": [search]})} if search else {}
        path = f"/forms/{self.form}/entries"
        return lambda: self.client.get(path, query_string=query, auth=("a", "secret-secret"))

    def erase(self) -> Any:
        """Erase the entry that was submitted last."""
        body = {"email": f"new{self.count}@example.com"}
        self.count -= 1
        return self.client.post("/entries/erase", json=body, auth=("a", "secret-secret"))


def best(call: Callable[[], Any], clock: Callable[[], float], rounds: int, calls: int) -> float:
    """Return the milliseconds of a call: the mean of the best quarter of some rounds."""
    times = []
    for _ in range(rounds):
        begin = clock()
        for _ in range(calls):
            call()
        times.append((clock() - begin) / calls * 1000)
    return sum(sorted(times)[: max(1, rounds // 4)]) / max(1, rounds // 4)


def main() -> None:
    """Measure, and print a line for each."""
    folder = tempfile.mkdtemp()
    url = sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{folder}/bench.db"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    bench = Bench(url)
    clock = time.process_time if url.startswith("sqlite") else time.perf_counter
    calls = {"page": bench.page, "submission": bench.submission, "visitor": bench.visitor}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        best(call, clock, 1, 10 * CALLS)
    bench.analyze()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(best(call, clock, 1, CALLS))
    means = {name: sum(sorted(some)[: ROUNDS // 4]) / (ROUNDS // 4) for name, some in times.items()}
    for name, mean in means.items():
        print(f"{name:24} {mean:8.2f} ms   {mean / means['page']:.2f} of a new page")
    bench.fill(number)
    print(f"with {number} entries more:")
    for name, call in {
        "first page of a list": bench.get(),
        "e-mail is": bench.get(key="2", value="person77@example.com"),
        "any field is": bench.get(value="person77@example.com"),
        "submission, no duplicate": bench.submission,
        "erase": bench.erase,
    }.items():
        print(f"{name:24} {best(call, time.perf_counter, 8, 2):8.1f} ms")
    begin, memory = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    response = bench.client.get(
        f"/forms/{bench.form}/entries",
        headers={"Accept": "text/csv"},
        auth=("a", "secret-secret"),
        buffered=False,
    )
    size = sum(map(len, response.response))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    seconds = time.perf_counter() - begin
    print(
        f"CSV of all               {size / 1e6:.1f} MB in {seconds:.1f} s, {grown} KiB more memory"
    )


if __name__ == "__main__":
    main()
