"""The errors of forms, entries and submissions, with the codes of Gravity Forms."""

from landform.parts.errors import PartError, part_error

FormNotFound = part_error("gf_not_found", 404, "There is no such form.")
FormToDeleteNotFound = part_error("gf_form_invalid_id", 404, "There is no such form to delete.")
FormToUpdateNotFound = part_error("not_found", 404, "There is no such form to update.")
EntryNotFound = part_error("gf_entry_invalid_id", 404, "There is no such entry.")
EntryToUpdateNotFound = part_error("not_found", 404, "There is no such entry to update.")
NoteNotFound = part_error("gf_note_invalid_id", 404, "There is no such note.")
AlreadyInTrash = part_error("gf_already_trashed", 410, "The form or entry is in the trash already.")
EntryFormEmpty = part_error("empty_form_id", 400, "The form of the entry must not be 0.")
EntryFormUnknown = part_error("invalid_form_id", 400, "The form of the entry does not exist.")
NoEntry = part_error("missing_entry", 400, "The body must be a JSON object with an entry or note.")
NoForm = part_error("missing_form", 400, "The body must be a JSON object with a form.")
NoTitle = part_error("missing_title", 400, "A form needs a title.")
FieldsMissing = part_error("missing_fields", 400, "A form is written without its list of fields.")
NoFields = part_error("no_fields", 400, "The form has no fields.")
FormClosed = part_error("form_not_found", 400, "There is no such form that takes submissions.")
FormRestricted = part_error(
    "form_restriction_error", 400, "The form cannot be submitted here, or not at this time."
)
FormNotSendable = part_error(
    "form_restriction_error", 400, "The form cannot be sent with these answers."
)
TooManySubmissions = part_error(
    "rest_too_many_submissions", 429, "Too many submissions came from this IP address."
)
FeedNotTestable = part_error(
    "rest_feed_not_testable",
    400,
    "Only a feed of the add-on email with a fixed address in toEmail sends a test mail.",
)
TooManyTestMails = part_error(
    "rest_too_many_test_mails", 429, "Several test mails were sent just now: wait a minute."
)


class FormNotOpen(PartError):
    """The form is not open yet, or no longer, or has as many entries as it takes."""

    code, status = "form_restriction_error", 400

    def __init__(self, message: str) -> None:
        super().__init__()
        self.args = (message,)
