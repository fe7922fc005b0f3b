"""The entries of a form as CSV, some at a time."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from landform.parts.leads.intake.fields import inputs_of
from landform.parts.leads.intake.merging import field_text
from landform.parts.leads.storage.entries import load_entries
from landform.parts.leads.storage.forms import gf_time, stored_keys
from landform.parts.leads.storage.searching import EntrySearch, entries_after
from landform.storage.rows import Row
from landform.storage.store import Store

BOM = "\ufeff"
# The entries that are read at a time.
BATCH = 100
# A spreadsheet takes a cell that begins so for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# What begins so all the same, but is only shown or computed as a number.
NUMBER_OR_PHONE = re.compile(r"[+-]?[0-9.,]*[0-9](?:[eE][+-]?[0-9]{1,3})?|\+[0-9 ()./-]{2,40}")
REMOVED = "Field {key} (removed)"
HEADINGS = {"id": "Entry Id", "date_created": "Entry Date ({zone})"}
LAST_HEADINGS = {"source_url": "Source Url", "status": "Status"}


def csv_of(store: Store, form: Row, search: EntrySearch) -> Iterator[bytes]:
    """Yield the CSV of the entries of a form that pass a search, the oldest first, in UTF-8.

    A column for each input, with its label, then for those that the form has no more and entries
    still have; a consent is shown by the text that was agreed to, a multiselect by the texts of its
    choices. A text that a spreadsheet would take for a formula begins with an apostrophe, but for
    numbers and phone numbers. Times are those of the site. Between the batches no connection is
    used.
    """
    labels = dict(_labels(form))
    with store.connection():
        removed = [key for key in stored_keys(store, form["id"]) if key not in labels]
    # 10 comes after 9.
    removed.sort(key=lambda key: [*map(int, key.split("."))])
    labels |= {key: REMOVED.format(key=key) for key in removed}
    headings = {key: text.format(zone=store.clock.zone.key) for key, text in HEADINGS.items()}
    columns = {**headings, **labels, **LAST_HEADINGS}
    texts = [field for field in form["fields"] if field["type"] in ("consent", "multiselect")]
    # Nothing of a batch is held here while a slow client takes it.
    chunks: list[bytes] = [BOM.encode() + _lines([columns.values()])]
    last: Row | None = None
    while True:
        with store.connection():
            rows = entries_after(store, form["id"], search, last, BATCH)
            entries = load_entries(store, rows)
        for entry in entries:
            entry |= {inputs_of(field)[0].id: field_text(field, entry) for field in texts}
            entry["date_created"] = gf_time(store.clock.local_text(entry["date_created"]))
        chunks.append(_lines([entry.get(key, "") for key in columns] for entry in entries))
        last = rows[-1] if rows else None
        del rows, entries
        chunks = [b"".join(chunks)]
        yield chunks.pop()
        if last is None:
            return


def _labels(form: Row) -> Iterator[tuple[str, str]]:
    """Yield the id and the label of each input."""
    for field in form["fields"]:
        name = field["label"] or f"Field {field['id']}"
        for part in inputs_of(field):
            yield part.id, f"{name} ({part.label})" if "." in part.id else name


def _lines(rows: Iterable[Iterable[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(
        [f"'{cell}" if _is_formula(cell) else cell for cell in row] for row in rows
    )
    return text.getvalue().encode()


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would take a text for a formula."""
    return text.startswith(FORMULA_STARTS) and not NUMBER_OR_PHONE.fullmatch(text)
