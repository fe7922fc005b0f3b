"""The errors of forms, entries and submissions, with the codes of Gravity Forms."""

from landform.storage.errors import PartError, StorageError


class FormNotFound(PartError):
    """There is no such form."""

    code, status = "gf_not_found", 404


class FormToDeleteNotFound(PartError):
    """There is no such form to delete."""

    code, status = "gf_form_invalid_id", 404


class FormToUpdateNotFound(PartError):
    """There is no such form to update."""

    code, status = "not_found", 404


class EntryNotFound(PartError):
    """There is no such entry."""

    code, status = "gf_entry_invalid_id", 404


class EntryToUpdateNotFound(PartError):
    """There is no such entry to update."""

    code, status = "not_found", 404


class AlreadyInTrash(PartError):
    """The form or entry is in the trash already."""

    code, status = "gf_already_trashed", 410


class EntryFormEmpty(PartError):
    """The form of the entry must not be 0."""

    code, status = "empty_form_id", 400


class EntryFormUnknown(PartError):
    """The form of the entry does not exist."""

    code, status = "invalid_form_id", 400


class NoEntry(PartError):
    """The body must be a JSON object with an entry."""

    code, status = "missing_entry", 400


class NoForm(PartError):
    """The body must be a JSON object with a form."""

    code, status = "missing_form", 400


class NoTitle(PartError):
    """A form needs a title."""

    code, status = "missing_title", 400


class FieldsMissing(PartError):
    """A form is written without its list of fields."""

    code, status = "missing_fields", 400


class NoFields(PartError):
    """The form has no fields."""

    code, status = "no_fields", 400


class FormClosed(PartError):
    """There is no such form that takes submissions."""

    code, status = "form_not_found", 400


class FormRestricted(PartError):
    """The form cannot be submitted here, or not at this time."""

    code, status = "form_restriction_error", 400


class TooManySubmissions(PartError):
    """Too many submissions came from this IP address."""

    code, status = "rest_too_many_submissions", 429


class Duplicate(StorageError):
    """Another entry of the form has the values that only one may have."""
