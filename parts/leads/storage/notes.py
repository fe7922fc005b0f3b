"""Notes on entries in the database; the database deletes them with their entry."""

from collections.abc import Mapping
from typing import Any

from landform.parts.leads.errors import NoteNotFound
from landform.parts.leads.models import NOTE_COLUMNS, EntryNote
from landform.parts.leads.storage.entries import get_row
from landform.storage import sql
from landform.storage.rows import Row, storable
from landform.storage.store import Store, transactional

BY_ID = sql.Prepared(EntryNote.select().where(EntryNote.id == sql.Parameter("id")))
OF_ENTRY = sql.Prepared(
    EntryNote.select().where(EntryNote.entry_id == sql.Parameter("id")).order_by(EntryNote.id)
)


def list_notes(store: Store, entry_id: int, most_bytes: int) -> list[Row]:
    """Return the notes on an entry, by id.

    Raises `EntryNotFound`, and `TooLarge` for notes of more than `most_bytes`.
    """
    get_row(store, entry_id)
    return OF_ENTRY.rows(store, {"id": entry_id}, most_bytes)


def get_note(store: Store, note_id: int) -> Row:
    """Return a note. Raises `NoteNotFound`."""
    row = BY_ID.first(store, {"id": note_id}) if storable([note_id]) else None
    if row is None:
        raise NoteNotFound
    return row


@transactional
def create_note(store: Store, entry_id: int, user_name: str, value: str) -> Row:
    """Store a note on an entry, and return it. Raises `EntryNotFound`."""
    get_row(store, entry_id)
    row = {
        "entry_id": entry_id,
        "user_name": user_name,
        "created_utc": store.clock.now().utc,
        "note_type": "user",
        "value": value,
    }
    return {**row, "id": EntryNote.insert(row).execute(store.database)}


@transactional
def update_note(store: Store, note_id: int, value: str) -> Row:
    """Replace the text of a note, and return it. Raises `NoteNotFound`."""
    row = get_note(store, note_id)
    EntryNote.update(value=value).where(EntryNote.id == note_id).execute(store.database)
    return {**row, "value": value}


@transactional
def delete_note(store: Store, note_id: int) -> Row:
    """Delete a note, and return it. Raises `NoteNotFound`."""
    row = get_note(store, note_id)
    EntryNote.delete().where(EntryNote.id == note_id).execute(store.database)
    return row


def replace_notes(store: Store, entry: Mapping[str, Any]) -> None:
    """Replace the notes on an entry by those in its line of an export. Use in a write.

    A note keeps its id, unless that is the one of a note on another entry here.
    """
    EntryNote.delete().where(EntryNote.entry_id == entry["id"]).execute(store.database)
    query = EntryNote.select(EntryNote.id).where(EntryNote.id.in_(entry["note_ids"]))
    used_ids = {number for (number,) in query.tuples().execute(store.database)}
    for note_id, note in zip(entry["note_ids"], entry["notes"], strict=True):
        columns = {name: note[name] for name in NOTE_COLUMNS} | {"entry_id": entry["id"]}
        same_id = {} if note_id in used_ids else {"id": note_id}
        EntryNote.insert({**columns, **same_id}).execute(store.database)
