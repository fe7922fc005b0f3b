"""Measure lists, searches and writes on stores of 1,000 to 100,000 pages.

    make scale
    .venv/bin/python bench/scale.py --sizes 1000,10000 --folder /var/tmp/landform-scale

Each figure is a median in milliseconds of the processor's time: of a list in the database by date,
then of the same list in its slowest order; of a whole request in process with nothing cached. The
stores are made once and kept in the folder (100,000 pages take 0.5 GB).
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import load
from peewee import OperationalError
from store import COMMON, RARE, made

from landform.app import create_app
from landform.storage import Store
from landform.storage.pages import listing

ROUNDS = 5
LIST = {"page": 1, "per_page": 10, "order": "desc", "unprotected_only": True}
ORDERS = ("date", "modified", "title", "id", "author", "slug")
COLUMNS = (
    "id", "date", "modified", "slug", "status", "title_raw", "title_rendered", "content_raw",
    "content_rendered", "block_version", "password", "author", "meta",
)  # fmt: skip
QUERIES: dict[str, dict[str, Any]] = {
    "no filter": {},
    "author of 3 in 10": {"author": [1]},
    "author_exclude": {"author_exclude": [1]},
    "include, 100 ids": {"include": list(range(1, 101))},
    "exclude, 100 ids": {"exclude": list(range(1, 101))},
    "after, half of all": {"after": datetime(2020, 1, 1)},
    "modified_after, a fifth": {"modified_after": datetime(2024, 1, 1)},
    "modified_before, few": {"modified_before": datetime(2015, 2, 1)},
    "slug": {"slug": ["no-such-slug"]},
    "status=any": {"status": ["any"]},
    "status=draft,pending": {"status": ["draft", "pending"]},
    "form, half of all": {"form_id": ["1"]},
    "form, 1 in 10,000": {"form_id": ["9999"]},
    "language, half of all": {"language": ["en"]},
    "language, 1 in 10,000": {"language": ["is"]},
    "languages, two": {"language": ["en", "de"]},
    "form and language": {"form_id": ["7"], "language": ["it"]},
    "open_at=now": {"open_at": "now"},
    "5,000 pages deep": {"page": 5000},
    "search, 1 in 10,000": {"search": RARE},
    "search, a quarter": {"search": COMMON},
    "search, two words": {"search": f"{COMMON} {RARE}"},
    "search, two letters": {"search": "zu"},
}


def median(run: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Return the milliseconds of the processor's time of the middle one of some runs."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken)


def measure(store: Store, folder: Path) -> dict[str, str]:
    """Return the figures of one store. What is written goes to a copy."""
    found: dict[str, str] = {}
    with store.connection():
        for name, query in QUERIES.items():
            orders = (*ORDERS, "relevance") if "search" in query else ORDERS
            took = {
                by: median(
                    lambda by=by, query=query: listing.list_pages(
                        store, {**LIST, **query, "orderby": by}, COLUMNS
                    )
                )
                for by in orders
            }
            slowest = max(took, key=lambda by: took[by])
            found[f"list: {name}"] = f"{took['date']:.1f}, {slowest} {took[slowest]:.1f}"
    store.dispose()
    file = folder / "copy.db"
    shutil.copy(store.database.path, file)
    settings = {"DATABASE_URL": f"sqlite:///{file}", "CREDENTIALS": "admin:secret"}
    client = create_app({**settings, "CACHE_BYTES": 0}).test_client()

    def ask(path: str) -> None:
        answer = client.get(path, headers=load.AUTHORIZED)
        assert answer.status_code == 200, answer.text

    def write() -> None:
        body = {"title": f"New {time.perf_counter_ns()}", "content": load.CONTENT}
        answer = client.post("/pages", json=body, headers=load.AUTHORIZED)
        assert answer.status_code == 201, answer.text

    paths = {"list of ten": "/pages", "one page": "/pages/1?context=edit"}
    for name, path in paths.items():
        found[f"request: {name}"] = f"{median(lambda path=path: ask(path), 101):.2f}"
    found["request: create"] = f"{median(write, 201):.2f}"
    file.unlink()
    return found | {name: f"{size:.0f}" for name, size in sizes(store).items()}


def sizes(store: Store) -> dict[str, float]:
    """Return bytes a page: of the file, and of all in it that is an index of pages."""
    with store.connection() as db:
        total = db.execute_sql("SELECT SUM(pages) FROM page_count")
        count = total.fetchone()[0]
        named = "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'page_%' AND name NOT IN {}"
        tables = ("page_text", "page_count")
        try:
            indexes = db.execute_sql(named.format(tables)).fetchone()[0]
        except OperationalError:
            # This SQLite has no dbstat.
            indexes = float("nan")
    file = Path(store.database.path).stat().st_size
    return {"bytes a page: file": file / count, "bytes a page: indexes": indexes / count}


def main() -> None:
    """Measure the sizes that were chosen and print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", default="1000,10000,100000")
    options.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "landform-scale"
    )
    chosen = options.parse_args()
    columns = []
    for size in map(int, chosen.sizes.split(",")):
        store = made(chosen.folder, size)
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            columns.append((size, measure(store, Path(folder))))
        print(f"{size} pages measured", file=sys.stderr)
    print("| |", " | ".join(f"{size:,}" for size, _ in columns), "|")
    print("|---" * (len(columns) + 1) + "|")
    for name in columns[0][1]:
        print(f"| {name} | {' | '.join(figures[name] for _, figures in columns)} |")


if __name__ == "__main__":
    main()
