"""Deletes all entries of a person."""

from unicodedata import normalize

from landform.parts.leads.models import Entry, EntryValue, Form
from landform.parts.leads.storage.entries import remove_entries
from landform.parts.leads.storage.forms import form_of
from landform.parts.leads.storage.searching import same_texts
from landform.storage.store import Store, transactional

# How many entries are deleted in one transaction.
BATCH = 200


def erase_entries(store: Store, email: str) -> int:
    """Delete every entry whose e-mail field has an address, in all forms and statuses, for good.

    Also where the form no longer has the field. Returns their number. Other writers write in
    between.
    """
    total = 0
    while erased := _erase_some(store, email.strip()):
        total += erased
    return total


@transactional
def _erase_some(store: Store, email: str) -> int:
    db = store.database
    # A field that its form no longer has may have been one for an e-mail address.
    other_fields = {
        (row["id"], str(field["id"]))
        for row in Form.select().dicts().execute(db)
        for field in form_of(row)["fields"]
        if field["type"] != "email"
    }
    # The index has texts without accents: josé@ is another person than jose@.
    values = EntryValue.select().where(same_texts([email])).dicts().execute(db)
    matches = [row for row in values if _address(row["value"]) == _address(email)]
    chosen = {
        row["entry_id"]
        for row in matches
        if (row["form_id"], row["key"].split(".")[0]) not in other_fields
    }
    ids = sorted(chosen)[:BATCH]
    if ids:
        remove_entries(store, [*Entry.select().where(Entry.id.in_(ids)).dicts().execute(db)])
    return len(ids)


def _address(text: str) -> str:
    """Return an address for a comparison: in small letters, in one form of Unicode."""
    return normalize("NFC", text.lower())
