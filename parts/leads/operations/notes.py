"""The operations on the notes of entries."""

from typing import Any

from landform.parts.leads import entry_schemas as schemas
from landform.parts.leads import errors as e
from landform.parts.leads import response_schemas as responses
from landform.parts.leads.operations.forms import by_id
from landform.parts.leads.storage import notes
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.storage.rows import Row

RESOURCE = Resource(GRAVITY_FORMS)
ENTRY_NOTES, NOTE_PATH = "/entries/<entry_id>/notes", "/notes/<note_id>"
NOTE, DELETED = responses.NoteRead(), responses.NoteDeleted()
# As in PHP, no notes are an empty list.
NOTES = dict[str, responses.NoteRead] | list[Any]
WRITTEN: dict[str, Any] = {
    "body": schemas.NoteWrite(),
    "response": NOTE,
    "empty_body": e.NoEntry.code,
    "scope": "entries:write",
    "example": {"value": "Called back: wants an offer."},
}


@RESOURCE.get(ENTRY_NOTES, response=NOTES, scope="entries:read", errors=(e.EntryNotFound,))
def list_notes(call: Call, entry_id: int) -> Reply:
    """Return the notes on an entry by their ids, the oldest first."""
    rows = notes.list_notes(call.store, entry_id, call.options.max_response_bytes)
    return by_id(call, {str(row["id"]): NOTE.dump(row) for row in rows}, NO_STORE)


@RESOURCE.post(
    ENTRY_NOTES,
    status=201,
    headers=("Location",),
    # What is remembered for a repetition must not hold a note: it may be erased.
    repeatable=False,
    errors=("rest_missing_callback_param", e.EntryNotFound),
    **WRITTEN,
)
def create_note(call: Call, entry_id: int) -> Reply:
    """Write a note on an entry, with the name of the caller."""
    row = notes.create_note(call.store, entry_id, call.caller.name, call.body["value"])
    return _written(call, row, {"Location": f"{call.root_url}/notes/{row['id']}"})


@RESOURCE.get(NOTE_PATH, response=NOTE, scope="entries:read", errors=(e.NoteNotFound,))
def get_note(call: Call, note_id: int) -> Reply:
    """Return a note."""
    return Reply(NOTE.dump(notes.get_note(call.store, note_id)), caching=NO_STORE)


@RESOURCE.put(NOTE_PATH, errors=("rest_missing_callback_param", e.NoteNotFound), **WRITTEN)
def update_note(call: Call, note_id: int) -> Reply:
    """Replace the text of a note; its author and its date stay."""
    return _written(call, notes.update_note(call.store, note_id, call.body["value"]))


@RESOURCE.delete(NOTE_PATH, response=DELETED, scope="entries:write", errors=(e.NoteNotFound,))
def delete_note(call: Call, note_id: int) -> Reply:
    """Delete a note for good."""
    row = _visible(call, notes.delete_note(call.store, note_id))
    return Reply(DELETED.dump(row), caching=NO_STORE)


def _written(call: Call, row: Row, headers: dict[str, str] | None = None) -> Reply:
    return Reply(NOTE.dump(_visible(call, row)), headers=headers or {}, caching=NO_STORE)


def _visible(call: Call, row: Row) -> Row:
    """Return a note; without the scope `entries:read` without its text and its author."""
    is_reader = call.access.has_scope("entries:read")
    return row if is_reader else {**row, "user_name": "", "value": ""}
