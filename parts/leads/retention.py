"""Entries that are deleted for good, some hundred at a time: old ones, and those of a person."""

import json
from collections.abc import Iterator
from datetime import timedelta
from threading import Event
from time import monotonic
from typing import Any
from unicodedata import normalize

from peewee import Expression, fn

from landform.parts.leads.intake.formats import UNSEEN
from landform.parts.leads.models import ACTIVE, SPAM, TRASH, Entry, EntryValue, Form
from landform.parts.leads.storage.entries import remove_entries
from landform.parts.leads.storage.forms import form_of
from landform.storage.expiry import expired_before
from landform.storage.rows import batches
from landform.storage.search import fold
from landform.storage.store import Store

# The key of a form, in days, and the days that spam and the trash are kept.
RETENTION, UNWANTED_DAYS = "retention_days", 30
# What may be around an address, or in it; folded texts have ` ` in place of other spaces.
BLANKS = " \t\n\r\v\f\u200b\ufeff"
# In seconds, how often old entries are looked for; how many are deleted in a transaction.
INTERVAL, MOST_DELETED = 600.0, 200


class Retention:
    """Deletes the old entries of a store until it is `stopping`.

    `days`: how long entries are kept, 0: for ever.
    """

    def __init__(self, store: Store, days: int, stopping: Event) -> None:
        self._store, self._days, self._stopping = store, days, stopping
        self._resume_at = 0.0

    def work(self) -> float | None:
        """Delete some old entries; return 0 if there may be more, else None."""
        if monotonic() < self._resume_at or self._stopping.is_set():
            return None
        with self._store.connection():
            for is_old in _conditions(self._store, self._days):
                if remove_entries(self._store, is_old, MOST_DELETED):
                    return 0.0
        self._resume_at = monotonic() + INTERVAL
        return None


def _conditions(store: Store, days: int) -> Iterator[Expression]:
    """Yield the conditions of entries to delete, each with an index."""

    def is_before(days: int) -> Expression:
        return Entry.created_utc < expired_before(store, timedelta(days=days))

    for status in (SPAM, TRASH):
        unchanged = Entry.modified_utc < expired_before(store, timedelta(days=UNWANTED_DAYS))
        yield (Entry.status == status) & is_before(UNWANTED_DAYS) & unchanged
    any_status = Entry.status.in_((ACTIVE, SPAM, TRASH))
    if days:
        yield any_status & is_before(days)
    with_days = Form.select(Form.id, Form.meta).where(Form.meta.contains(RETENTION))
    for form_id, meta in with_days.tuples().execute(store.database):
        if form_days := json.loads(meta).get(RETENTION):
            yield (Entry.form_id == form_id) & any_status & is_before(form_days)


def erase_entries(store: Store, email: str) -> int:
    """Delete every entry whose e-mail field has an address, in all forms and statuses, for good.

    Case and blanks do not count. Also where the form no longer has the field. Returns their number.
    Other writers write in between.
    """
    ids = _entries_of(store, email)
    return sum(
        remove_entries(store, Entry.id.in_(some_ids)) for some_ids in batches(ids, MOST_DELETED)
    )


def _entries_of(store: Store, email: str) -> list[int]:
    """Return the ids of the entries with an address. All values are read: no index helps."""
    db = store.database
    # A field that its form no longer has may have been one for an e-mail address.
    other_fields = {
        (row["id"], str(field["id"]))
        for row in Form.select().dicts().execute(db)
        for field in form_of(row)["fields"]
        if field["type"] != "email"
    }
    unspaced: Any = EntryValue.folded
    for blank in BLANKS:
        unspaced = fn.REPLACE(unspaced, blank, "")
    if not (address := _address(email)):
        return []
    columns = (EntryValue.entry_id, EntryValue.form_id, EntryValue.key, EntryValue.value)
    # Folded texts have no accents: josé@ is another person than jose@.
    values = EntryValue.select(*columns).where(unspaced == fold(address)).tuples().execute(db)
    return sorted(
        {
            entry_id
            for entry_id, form_id, key, value in values
            if (form_id, key.split(".")[0]) not in other_fields and _address(value) == address
        }
    )


def _address(text: str) -> str:
    """Return an address for a comparison: in small letters, in one form of Unicode, unspaced."""
    return "".join(char for char in normalize("NFKC", text.lower()) if char not in UNSEEN)
