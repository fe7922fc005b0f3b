"""Erasing a person: whatever spelling of the address was stored, and nothing stays in the file."""

import json
import sqlite3
from pathlib import Path

import pytest
from databases import run_sql
from desk import Desk
from files import command, written
from flask import Flask

SPELLINGS = [
    "ada@example.com ", "\tADA@Example.com\r\n", " ada@example.com", "ada @example.com",
    "ada@example.com\u00a0", "\u200bada@example.com", "\uff41da\uff20example.com",
]  # fmt: skip
OTHERS = ["ad\u00e1@example.com", "bada@example.com", "ada@example.com.au", " "]


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    return Desk(app, database_url)


def erased(desk: Desk, email: str) -> object:
    return desk.post("/entries/erase", json={"email": email}).get_json()["erased"]


@pytest.mark.parametrize("email", ["ada@example.com", " Ada@EXAMPLE.com\u00a0"])
def test_every_spelling_of_an_address_is_erased_also_in_rows_stored_earlier(
    desk: Desk, email: str
) -> None:
    for text in (*SPELLINGS, *OTHERS):
        desk.ok(desk.post(f"/forms/{desk.form}/entries", json={"2": text, "3": "Lovelace"}))
    desk.submit(f2="ada@example.com")
    # As rows of before, which were stored with blanks.
    spaced = "value = value || ' ', folded = folded || ' '"
    run_sql(desk.url, f"UPDATE entry_value SET {spaced} WHERE key = '2' AND entry_id IN (1, 12)")
    desk.ok(desk.put(f"/forms/{desk.form}", json={"title": "Without fields", "fields": []}))
    assert erased(desk, email) == len(SPELLINGS) + 1
    left = desk.get("/entries?sorting[direction]=ASC").get_json()["entries"]
    assert [entry["2"] for entry in left] == OTHERS
    assert (erased(desk, email), erased(desk, " ")) == (0, 0)


def test_an_address_is_stored_without_blanks_around_it(desk: Desk, tmp_path: Path) -> None:
    spaced, address = " ada@example.com\u00a0", "ada@example.com"
    desk.ok(desk.post(f"/forms/{desk.form}/entries", json={"2": spaced, "3": " two words "}))
    desk.ok(desk.post(f"/forms/{desk.form}/entries", json={"2": "x"}))
    desk.ok(desk.put("/entries/2", json={"2": spaced}))
    desk.submit(f2=f" {address} ")
    rows = [
        json.loads(line) for line in command(desk.url, "export", "--entries").stdout.splitlines()
    ]
    rows[-1]["values"]["2"] = spaced
    assert command(desk.url, "import", written(tmp_path / "rows", rows)).exit_code == 0
    for number in (1, 2, 3):
        entry = desk.get(f"/entries/{number}").get_json()
        assert (entry["2"], entry["3"]) == (address, " two words " if number == 1 else "")


@pytest.mark.sqlite("PostgreSQL removes dead rows in its own time")
def test_nothing_of_an_erased_person_stays_in_the_file(desk: Desk) -> None:
    for number in range(300):
        values = {"2": f"person{number}@example.com", "3": f"Secret {number} of a person." * 9}
        desk.ok(desk.post(f"/forms/{desk.form}/entries", json=values))
    desk.post("/entries/7/notes", json={"value": "Secret note of a person."})
    file = Path(desk.url.removeprefix("sqlite:///"))

    def found() -> list[bool]:
        with sqlite3.connect(file) as db:
            # All of the log is in the file then.
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        data = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
        return [text in data for text in (b"Secret 6 of", b"person6@", b"Secret note", b"person7@")]

    assert found() == [True] * 4
    assert erased(desk, "person6@example.com") == 1
    assert found() == [False, False, False, True]
