"""Schemas of the responses of forms, entries and submissions.

The keys that are described are always there, unless they are optional. Forms and entries have
others: what a form was written with, and the values of inputs by their ids, such as `1.3`.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from marshmallow import INCLUDE, Schema

from landform.parts.leads.entry_schemas import NULL_KEYS, EntryColumns
from landform.parts.leads.storage.forms import gf_time
from landform.schemas.fields import (
    Constant,
    Digits,
    Field,
    Flag,
    Output,
    RowSchema,
    SameRow,
)
from landform.storage.rows import Row

FLAGS = ("0", "1")


class Open(Schema):
    """An object that may have other keys too."""

    class Meta:
        unknown = INCLUDE


class FormField(Open):
    """A field of a form."""

    id = Output("The number of the field.", int)
    type = Output("The type, such as `email`.")
    label = Output("The label; empty for none.")
    isRequired = Output("Whether it must be filled in.", bool)  # noqa: N815 - Gravity Forms' name


class FormRead(Open):
    """A form."""

    class Meta(Open.Meta):
        # A field with this name is no attribute: marshmallow has one of its own.
        include = {"fields": Output("The fields, in their order.", list[FormField])}

    id = Output("The number of the form.", int)
    title = Output("The title.")
    button = Output("The button, with its `text`.", dict[str, Any])
    confirmations = Output("The confirmations by their ids.", dict[str, Any])
    is_active = Output("Whether it can be submitted.", choices=FLAGS)
    is_trash = Output("Whether it is in the trash.", choices=FLAGS)
    date_created = Output("When it was created, in UTC: `2026-01-31 12:00:00`.")
    retention_days = Output("After how many days entries are deleted.", int, optional=True)


class FormSummary(Schema):
    """A form in a list."""

    id = Output("The number of the form.")
    title = Output("The title.")
    entries = Output("How many active entries it has.")


class FormDeleted(Schema):
    """A form that was deleted for good."""

    deleted = Constant("Always true.", True)
    previous = Output("The form before it was deleted.", FormRead)


def _column_output(name: str, field: Field[Any]) -> Output:
    """Return the field of a response for a column that requests write."""
    choices = FLAGS if isinstance(field, Flag) else field.choices
    return Output(field.about, choices=choices, allow_none=name in NULL_KEYS)


Labels = partial(
    Output,
    "The labels of the inputs by the ids of fields, if these are asked for.",
    dict[str, Any] | list[Any],
    optional=True,
)


class EntryRead(Open):
    """An entry, with the values of its inputs by their ids."""

    class Meta(Open.Meta):
        columns: Mapping[str, Any] = EntryColumns().load_fields
        include = {name: _column_output(name, field) for name, field in columns.items()}

    id = Output("The number of the entry.")
    form_id = Output("The number of its form.")
    _labels = Labels()


class EntryPage(Schema):
    """A page of a list of entries."""

    total_count = Output("How many entries pass the search.", int)
    entries = Output("The entries of this page.", list[EntryRead])
    _labels = Labels()


class EntryCreated(Open):
    """An entry as it was sent, without what is not stored."""

    id = Output("The number of the entry.", int)
    form_id = Output("The number of its form.", int)


class EntryDeleted(Schema):
    """An entry that was deleted for good."""

    deleted = Constant("Always true.", True)
    previous = Output("The entry before it was deleted.", EntryRead)


class EntriesErased(Schema):
    """How many entries were erased."""

    erased = Output("How many entries had the address.", int)


class GravityTime(Output):
    """A stored time, sent as `2026-01-31 12:00:00`."""

    def _show(self, row: Row) -> str:
        return gf_time(super()._show(row))


class NoteRead(RowSchema):
    """A note on an entry."""

    id = Digits("The number of the note.")
    entry_id = Digits("The number of its entry.")
    user_name = Output("Who wrote it: the name of the credential.")
    date_created = GravityTime("When, in UTC: `2026-01-31 12:00:00`.", attribute="created_utc")
    value = Output("The text.")
    note_type = Output("`user`, unless it was imported.")


class NoteDeleted(Schema):
    """A note that was deleted for good."""

    deleted = Constant("Always true.", True)
    previous = SameRow("The note before it was deleted.", NoteRead())


PageNumber = partial(Output, "1 for a wrong field; else 0, or the `target_page` of a check.", int)
SourcePageNumber = partial(Output, "The `source_page`; 1 by default.", int)


class SubmissionValid(Schema):
    """A submission that is valid, and was only checked."""

    is_valid = Constant("Always true.", True)
    validation_messages = Output("Always empty.", list[str])
    page_number = PageNumber()
    source_page_number = SourcePageNumber()
    is_spam = Output("Always false; left out with a `target_page`.", bool, optional=True)


class SubmissionStored(Schema):
    """A submission that is stored as an entry, with its confirmation."""

    is_valid = Constant("Always true.", True)
    page_number = PageNumber()
    source_page_number = SourcePageNumber()
    confirmation_message = Output("HTML to show; empty for a redirect.")
    confirmation_type = Output("How it is confirmed: `message` or `redirect`.")
    confirmation_redirect = Output("The URL to go to.", optional=True)
    is_spam = Output("Whether the entry is spam.", bool)
    entry_id = Output("The entry, for callers with `entries:read`.", optional=True)


class SubmissionInvalid(Schema):
    """A submission that is not valid; nothing is stored."""

    is_valid = Constant("Always false.", False)
    validation_messages = Output("What is wrong, by the numbers of fields.", dict[str, str])
    page_number = PageNumber()
    source_page_number = SourcePageNumber()


class MailTest(Schema):
    """How a test mail ended."""

    state = Output("How it ended, or `pending`.", choices=("success", "failed", "pending"))
    message = Output("What happened, in words.")
