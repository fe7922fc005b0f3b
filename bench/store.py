"""Stores to measure on: any number of pages of 70 words, and a tenth as many feeds."""

import random
import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from landform.storage import Store
from landform.storage.models import Page
from landform.storage.pages import meta_columns
from landform.storage.rows import json_text

WORDS, BATCH, FORMS = 66, 10_000, 1_000
# Words that a quarter of all pages have, and one page in ten thousand.
COMMON, RARE = "angebotx", "seltenheit"
START, YEARS = datetime(2015, 1, 1, tzinfo=UTC), 10
STATUSES = ["publish"] * 90 + ["draft"] * 5 + ["private"] * 2 + ["pending", "future", "trash"]
AUTHORS = [1, 1, 1, 2, 2, 3, 4, 5, 6, 7]
META = {
    "starts_at": "", "ends_at": "", "form_id": "", "viral_share": [], "instant_win": [],
    "language": [], "gallery": [],
}  # fmt: skip
# Half of all pages are in English, a quarter in German, a twentieth in both, and one in ten
# thousand in Icelandic.
LANGUAGES = [
    *[["en"]] * 9, ["en", "de"], *[["de"]] * 4, *[["fr"]] * 3, [{"code": "it"}], [], [],
]  # fmt: skip
# Half of all pages have the form 1, one in ten thousand 9999, and the others one of these.
OTHER_FORMS = 500
COLUMNS = [field.name for field in Page._meta.sorted_fields]
INSERT_PAGE = "INSERT INTO page ({}) VALUES ({})".format(
    ", ".join(COLUMNS), ", ".join(f":{name}" for name in COLUMNS)
)
INSERT_TEXT = "INSERT INTO page_text (id, title, content) VALUES (:id, :title_key, :folded)"
INSERT_FEED = (
    "INSERT INTO feed (form_id, is_active, feed_order, addon_slug, meta) "
    "VALUES (?, 1, ?, 'gravityformsmailchimp', '{\"feedName\":\"Feed\"}')"
)


def made(folder: Path, pages: int) -> Store:
    """Return a store of so many pages, made unless the folder holds it already.

    Made under another name first, so that one that was interrupted is not taken for whole.
    """
    file = folder / f"{pages}.db"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / f"{pages}.unfinished"
        unfinished.unlink(missing_ok=True)
        store = Store(f"sqlite:///{unfinished}")
        store.migrate()
        _fill(unfinished, pages)
        unfinished.rename(file)
    return Store(f"sqlite:///{file}")


def _fill(file: Path, pages: int) -> None:
    chance = random.Random(1)  # noqa: S311
    words, weights = _vocabulary(chance)
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    for first in range(1, pages + 1, BATCH):
        numbers = range(first, min(first + BATCH, pages + 1))
        rows = [_page(number, chance, words, weights) for number in numbers]
        connection.execute("BEGIN")
        connection.executemany(INSERT_PAGE, rows)
        connection.executemany(INSERT_TEXT, rows)
        connection.execute("COMMIT")
        print(f"\r{numbers[-1]} of {pages} pages", end="", file=sys.stderr, flush=True)
    forms = max(1, pages // 1000)
    connection.execute("BEGIN")
    feeds = [(1 + number % forms, number // forms) for number in range(pages // 10)]
    connection.executemany(INSERT_FEED, feeds)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    print(file=sys.stderr)


def _vocabulary(chance: random.Random) -> tuple[list[str], list[float]]:
    """Return words, and how often the words up to each are used: a few often, most seldom."""

    def word() -> str:
        syllables = range(chance.randint(2, 4))
        return "".join(chance.choice("bcdfghlmnprstv") + chance.choice("aeiou") for _ in syllables)

    words = list(dict.fromkeys(word() for _ in range(30_000)))
    weights, total = [], 0.0
    for place in range(len(words)):
        total += 1 / (place + 20)
        weights.append(total)
    return words, weights


def _page(
    number: int, chance: random.Random, words: list[str], weights: list[float]
) -> dict[str, Any]:
    used = chance.choices(words, cum_weights=weights, k=WORDS)
    used += [COMMON] * (number % 4 == 0) + [RARE] * (number % 10_000 == 7)
    title, text = f"{' '.join(used[:3])} {number}".title(), " ".join(used)
    status = chance.choice(STATUSES)
    seconds = chance.randrange(YEARS * 365 * 86400)
    since = START + timedelta(days=30 * 365) if status == "future" else START
    date = (since + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    later = START + timedelta(seconds=chance.randrange(seconds, YEARS * 365 * 86400))
    modified = later.strftime("%Y-%m-%dT%H:%M:%S")
    form = 1 if chance.random() < 0.5 else 2 + chance.randrange(OTHER_FORMS)
    language = chance.choice(LANGUAGES)
    if number % 10_000 == 7:
        form, language = 9999, ["is"]
    meta = {**META, "form_id": str(form), "language": language}
    content = f"<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->"
    return {
        "id": number, "status": status, "date": date, "date_utc": date, "date_floats": False,
        "modified": modified, "modified_utc": modified, "version": 1,
        "author": chance.choice(AUTHORS), "slug": f"{used[0]}-{used[1]}-{number}",
        "slug_before_trash": "", "password": "x" if number % 100 == 0 else "",
        "meta": json_text(meta),
        "title_key": title.lower(), "title_raw": title, "title_rendered": title,
        "block_version": 1, "content_rendered": f"<p>{text}</p>", "content_raw": content,
        "folded": content.lower(), **meta_columns(meta),
    }  # fmt: skip
