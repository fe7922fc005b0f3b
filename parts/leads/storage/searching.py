"""Searches of entries: filters of their values and columns, in any order, a page at a time."""

from collections.abc import Mapping
from typing import Any

from peewee import SQL, ColumnBase, fn

from landform.parts.leads.models import Entry, EntryValue
from landform.storage.rows import Row
from landform.storage.search import fold
from landform.storage.store import Store

# The beginning of a value, as the index has it: with parameters no engine would use that.
LENGTH = 100
short_text = fn.SUBSTR(EntryValue.folded, SQL("1"), SQL(str(LENGTH)))


def same_text(text: str) -> ColumnBase:
    """Return the condition that a value is a text, without regard to case and accents."""
    folded = fold(text)
    return (short_text == folded[:LENGTH]) & (EntryValue.folded == folded)


def has_values(store: Store, form_id: int, values: Mapping[str, str]) -> bool:
    """Return whether an active entry of a form has all of these values of inputs."""
    query = Entry.select(Entry.id).where((Entry.form_id == form_id) & (Entry.status == "active"))
    for key, text in values.items():
        same = (EntryValue.form_id == form_id) & (EntryValue.key == key) & same_text(text)
        query = query.where(Entry.id.in_(EntryValue.select(EntryValue.entry_id).where(same)))
    return bool(values) and query.limit(1).exists(store.database)


def list_entries(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the rows of a page of entries, and the number of all that pass the filters."""
    rows = Entry.select().order_by(Entry.created_utc.desc(), Entry.id.desc())
    return [*rows.limit(10).dicts().execute(store.database)], rows.count(store.database)
