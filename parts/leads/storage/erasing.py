"""Deletes all entries of a person."""

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
    values = EntryValue.select(EntryValue.entry_id, EntryValue.form_id, EntryValue.key)
    matches = values.where(same_texts([email])).tuples().execute(db)
    chosen = {
        entry for entry, form_id, key in matches if (form_id, key.split(".")[0]) not in other_fields
    }
    ids = sorted(chosen)[:BATCH]
    if ids:
        remove_entries(store, [*Entry.select().where(Entry.id.in_(ids)).dicts().execute(db)])
    return len(ids)
