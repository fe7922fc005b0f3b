"""Measure lists, searches and writes on stores of 1,000 to 1,000,000 pages.

    make scale
    .venv/bin/python bench/scale.py --sizes 1000,10000 --folder /var/tmp/landform-scale

Each figure is a median in milliseconds: `request` of a whole request in process with nothing kept
in memory, and beside it, where it stands, `db` of what the database took of it. The stores are
made once and kept in the folder (a million pages take five minutes and 5 GB).
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
from landform.storage import Store, feeds, pages
from landform.storage.pages import listing

ROUNDS = 7
LIST = {"page": 1, "per_page": 10, "order": "desc", "orderby": "date", "unprotected_only": True}
COLUMNS = (
    "id", "date", "modified", "slug", "status", "title_raw", "title_rendered", "content_raw",
    "content_rendered", "block_version", "password", "author", "meta",
)  # fmt: skip
DAY = datetime(2020, 1, 1)
# What is listed, and how many milliseconds it may take in the database.
QUERIES: dict[str, tuple[dict[str, Any], float]] = {
    "default": ({}, 5),
    **{
        f"orderby={by} {order}": ({"orderby": by, "order": order}, 5)
        for by in ("author", "date", "id", "modified", "slug", "title")
        for order in ("asc", "desc")
    },
    "author": ({"author": [1]}, 5),
    "author, two": ({"author": [1, 2]}, 5),
    "author_exclude": ({"author_exclude": [1]}, 5),
    "include, 100 ids": ({"include": list(range(1, 101))}, 5),
    "include in its order": ({"include": list(range(100, 0, -1)), "orderby": "include"}, 5),
    "exclude, 100 ids": ({"exclude": list(range(1, 101))}, 5),
    "after, half of all": ({"after": DAY}, 5),
    "before, a tenth": ({"before": datetime(2016, 1, 1)}, 5),
    "modified_after, a fifth": ({"modified_after": datetime(2024, 1, 1)}, 5),
    "modified_before, few": ({"modified_before": datetime(2015, 2, 1)}, 5),
    "slug": ({"slug": ["no-such-slug"]}, 5),
    "status=any": ({"status": ["any"]}, 5),
    "status=draft,pending": ({"status": ["draft", "pending"]}, 5),
    "form, half of all": ({"form_id": ["1"]}, 5),
    "form, 1 in 1,000": ({"form_id": ["7"]}, 5),
    "form, 1 in 10,000": ({"form_id": ["9999"]}, 5),
    "forms, two": ({"form_id": ["1", "7"]}, 5),
    "form, by title": ({"form_id": ["7"], "orderby": "title"}, 5),
    "form, 20,000 deep": ({"form_id": ["1"], "offset": 20_000}, 20),
    "language, half of all": ({"language": ["en"]}, 5),
    "language, 1 in 20": ({"language": ["it"]}, 5),
    "language, 1 in 10,000": ({"language": ["is"]}, 5),
    "languages, two": ({"language": ["en", "de"]}, 5),
    "language, by title": ({"language": ["en"], "orderby": "title"}, 5),
    "language, rare, by title": ({"language": ["is"], "orderby": "title"}, 5),
    "language, status=any": ({"language": ["en"], "status": ["any"]}, 5),
    "language, 20,000 deep": ({"language": ["en"], "offset": 20_000}, 20),
    "language and form": ({"language": ["it"], "form_id": ["7"]}, 5),
    "language and author": ({"language": ["is"], "author": [1]}, 5),
    "5,000 pages deep": ({"page": 5000}, 20),
    "search, 1 in 10,000": ({"search": RARE}, 50),
    "search, a quarter": ({"search": COMMON}, 400),
    "search, two words": ({"search": f"{COMMON} {RARE}"}, 50),
    "search, two letters": ({"search": "zu"}, float("inf")),
}


def median(run: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Return the milliseconds of the middle one of some runs."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def measure(store: Store, folder: Path) -> dict[str, float]:
    """Return the figures of one store. What is written goes to a copy."""
    found: dict[str, float] = {}
    with store.connection():
        for name, (query, _) in QUERIES.items():
            asked = {**LIST, **query}
            found[f"db: {name}"] = median(
                lambda asked=asked: listing.list_pages(store, asked, COLUMNS)
            )
        found["db: feeds of a form"] = median(lambda: feeds.list_feeds(store, {"form_id": [1]}))
        found["db: one page"] = median(lambda: pages.get(store, 17))
    store.dispose()
    file = folder / "copy.db"
    shutil.copy(store.engine.path, file)
    settings = {"DATABASE_URL": f"sqlite:///{file}", "CREDENTIALS": "admin:secret"}
    client = create_app({**settings, "CACHE_BYTES": 0}).test_client()

    def ask(path: str) -> None:
        answer = client.get(path, headers=load.AUTHORIZED)
        assert answer.status_code == 200, answer.text

    def write() -> None:
        body = {"title": f"New {time.perf_counter_ns()}", "content": load.CONTENT}
        answer = client.post("/pages", json=body, headers=load.AUTHORIZED)
        assert answer.status_code == 201, answer.text

    paths = {
        "default": "/pages",
        "one page": "/pages/1?context=edit",
        "feeds of a form": "/forms/1/feeds",
        "search, a quarter": f"/pages?search={COMMON}",
    }
    for name, path in paths.items():
        found[f"request: {name}"] = median(lambda path=path: ask(path), 21)
    found["request: create"] = median(write, 101)
    after = []
    for _ in range(21):
        write()
        after.append(median(lambda: ask("/pages"), 1))
    found["request: default right after a write"] = statistics.median(after)
    file.unlink()
    return found | sizes(store)


def sizes(store: Store) -> dict[str, float]:
    """Return bytes a page: of the file, and of all in it that is an index of pages."""
    with store.connection() as db:
        total = db.execute_sql("SELECT SUM(pages) FROM page_count")
        count = total.fetchone()[0]
        named = "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'page_%' AND name NOT IN {}"
        tables = ("page_text", "page_count", "sqlite_autoindex_page_count_1")
        try:
            indexes = db.execute_sql(named.format(tables)).fetchone()[0]
        except OperationalError:
            # This SQLite has no dbstat.
            indexes = float("nan")
    file = Path(store.engine.path).stat().st_size
    return {"bytes a page: file": file / count, "bytes a page: indexes": indexes / count}


def resident(store: Store, folder: Path) -> float:
    """Return the MiB that the largest worker of a real server holds after every kind of list."""
    servers = load.Servers(folder)
    environment = {"LANDFORM_DATABASE_URL": f"sqlite:///{store.engine.path}",
                   "LANDFORM_CREDENTIALS": "admin:secret"}  # fmt: skip
    command = [*load.GUNICORN, "-b", "127.0.0.1:9101", "landform.wsgi:app"]
    process = servers.start(f"{load.SERVICE}/pages", command, **environment)
    try:
        queries = ("per_page=100", "status=any", "orderby=title", "per_page=100&context=edit")
        for place in range(400):
            searched = (f"search={COMMON}",) if place < 8 else ()
            for query in (*queries, *searched):
                url = f"{load.SERVICE}/pages?{query}&offset={place}&y={place}"
                load.call("GET", url, headers=load.AUTHORIZED)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        lines = [Path(f"/proc/{child}/status").read_text() for child in children]
        return max(int(text.split("VmRSS:")[1].split()[0]) for text in lines) / 1024
    finally:
        servers.stop(process)


def main() -> None:
    """Measure the sizes that were chosen and print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", default="1000,10000,100000,1000000")
    options.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "landform-scale"
    )
    chosen = options.parse_args()
    columns = []
    for size in map(int, chosen.sizes.split(",")):
        store = made(chosen.folder, size)
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            figures = measure(store, Path(folder))
            figures["MiB resident of a worker"] = resident(store, Path(folder))
        columns.append((size, figures))
        print(f"{size} pages measured", file=sys.stderr)
    print("| |", " | ".join(f"{size:,}" for size, _ in columns), "| target |")
    print("|---" * (len(columns) + 2) + "|")
    for name in columns[0][1]:
        cells = " | ".join(f"{figures[name]:.2f}" for _, figures in columns)
        _, target = QUERIES.get(name.removeprefix("db: "), ({}, 0))
        print(f"| {name} | {cells} | {target or ''} |")


if __name__ == "__main__":
    main()
