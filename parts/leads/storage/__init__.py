"""Forms and entries in the database."""

from landform.parts.leads.storage.entries import (
    ACTIVE,
    SPAM,
    TRASH,
    create_entry,
    delete_entry,
    find_digest,
    find_entries,
    find_entry,
    get_entry,
    load_entries,
    trash_entry,
    update_entry,
)
from landform.parts.leads.storage.erasing import erase_entries
from landform.parts.leads.storage.forms import (
    create_form,
    delete_form,
    find_form,
    form_of,
    get_form,
    get_form_row,
    list_forms,
    read_forms,
    trash_form,
    update_form,
)
from landform.parts.leads.storage.searching import entries_after, has_values, list_entries

__all__ = [
    "ACTIVE",
    "SPAM",
    "TRASH",
    "create_entry",
    "create_form",
    "delete_entry",
    "delete_form",
    "entries_after",
    "erase_entries",
    "find_digest",
    "find_entries",
    "find_entry",
    "find_form",
    "form_of",
    "get_entry",
    "get_form",
    "get_form_row",
    "has_values",
    "list_entries",
    "list_forms",
    "load_entries",
    "read_forms",
    "trash_entry",
    "trash_form",
    "update_entry",
    "update_form",
]
