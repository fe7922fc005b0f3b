"""The tables of forms, entries and their values. Times are UTC text."""

from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    DoubleField,
    TextField,
)

from landform.storage.models import Table
from landform.storage.search import fold

ACTIVE, SPAM, TRASH = "active", "spam", "trash"
# After how many days at most entries are deleted.
MOST_DAYS = 36_500
# What entries of Gravity Forms have beside the columns; each stays as it was given.
PROPERTIES: Mapping[str, Any] = {
    "post_id": None,
    "currency": "USD",
    **dict.fromkeys(
        (
            "payment_status payment_date payment_amount payment_method transaction_id "
            "transaction_type is_fulfilled"
        ).split()
    ),
}


class Form(Table):
    """A form. `meta` is JSON: the form as Gravity Forms has it, without what has a column."""

    exported_by = ("title",)
    versioned = True
    json_columns = {"meta": dict}

    id = AutoField()
    title = TextField()
    is_active = BooleanField(default=True)
    is_trash = BooleanField(default=False)
    date_created_utc = TextField()
    modified_utc = TextField()
    version = BigIntegerField(default=1)
    meta = TextField()


class Entry(Table):
    """An entry of a form: `active`, `spam` or in the `trash`.

    `created_by`: the author id of who sent it; None for strangers. `properties` is JSON: other
    columns that entries of Gravity Forms have, if any were given. `digest`: that of a submission,
    by which it is recognized when it is sent again.
    """

    exported_by = ("id",)
    json_columns = {"properties": dict}

    id = AutoField()
    form_id = BigIntegerField()
    status = TextField(default="active")
    is_read = BooleanField(default=False)
    is_starred = BooleanField(default=False)
    created_utc = TextField()
    modified_utc = TextField()
    version = BigIntegerField(default=1)
    source_url = TextField(default="")
    ip = TextField(default="")
    user_agent = TextField(default="")
    created_by = BigIntegerField(null=True)
    properties = TextField(default="{}")
    digest = TextField(default="")

    @classmethod
    def content_columns(cls) -> tuple[str, ...]:
        """Return the columns that imports compare, the values and the notes without their ids."""
        names = (name for name in super().content_columns() if name != "digest")
        return (*names, "values", "notes")

    @classmethod
    def read_details(cls, db: Any, row_id: int) -> dict[str, Any]:
        """Return the `values` by the ids of their inputs, the `notes` and their `note_ids`."""
        query = EntryValue.select(EntryValue.key, EntryValue.value)
        query = query.where(EntryValue.entry_id == row_id).order_by(EntryValue.key)
        notes = EntryNote.select().where(EntryNote.entry_id == row_id).order_by(EntryNote.id)
        rows = [*notes.dicts().execute(db)]
        return {
            "values": dict(query.tuples().execute(db)),
            "notes": [{name: row[name] for name in NOTE_COLUMNS} for row in rows],
            "note_ids": [row["id"] for row in rows],
        }


# The keys of an entry in the API, and their columns.
TIME_KEYS = {"date_created": "created_utc", "date_updated": "modified_utc"}
OTHER_KEYS = "id form_id is_starred is_read ip source_url user_agent created_by status".split()
ENTRY_KEYS = {**dict(zip(OTHER_KEYS, OTHER_KEYS, strict=True)), **TIME_KEYS}


class EntryValue(Table):
    """The value of an input of an entry, such as `1.3`; blank ones have no row.

    `folded`: the value without case and accents, for searches. `number`: the value as a number, if
    it is one.
    """

    computed = ("folded", "number")

    entry_id = BigIntegerField()
    form_id = BigIntegerField()
    key = TextField()
    value = TextField()
    folded = TextField()
    number = DoubleField(null=True)

    class Meta:
        primary_key = CompositeKey("entry_id", "key")

    @classmethod
    def computed_values(cls, row: dict[str, Any]) -> dict[str, Any]:
        """Return the computed columns of a value."""
        return {"folded": fold(row["value"], row["key"]), "number": number_of(row["value"])}


class EntryNote(Table):
    """A note that `user_name` wrote on an entry; `note_type` is `user` but for imported ones."""

    id = AutoField()
    entry_id = BigIntegerField()
    user_name = TextField()
    created_utc = TextField()
    note_type = TextField()
    value = TextField()


# What a note in the line of its entry has.
NOTE_COLUMNS = ("user_name", "created_utc", "note_type", "value")


def number_of(text: str) -> float | None:
    """Return a text as a number; None if it is none."""
    is_short = len(text) <= 100 and text.isascii() and "_" not in text
    with suppress(ValueError):
        return number if is_short and isfinite(number := float(text)) else None
    return None
