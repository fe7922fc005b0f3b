"""The operations that submit a form, in JSON or from a browser, and the document for a frame.

They need no credentials.
"""

from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError

from landform.parts.leads import errors as e
from landform.parts.leads import response_schemas as schemas
from landform.parts.leads import site, sources, submitting
from landform.parts.leads.models import SPAM
from landform.schemas.fields import STRING, Field, Flag, Integer
from landform.schemas.known_names import Anything, Tolerant
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import NO_STORE, Reply

RESOURCE, SCREEN = Resource(GRAVITY_FORMS), Resource()
STORED, VALID = schemas.SubmissionStored(), schemas.SubmissionValid()
INVALID = schemas.SubmissionInvalid()


class FieldValues(Field[object]):
    """Values for fields to begin with, as a text or a list: they mean nothing here."""

    json_type = {"oneOf": [STRING, {"type": "array"}]}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> object:
        if isinstance(value, dict):
            raise ValidationError(f"{attr} must be a string or a list.")
        return value


class Submission(Schema):
    """The body of a submission: values as `input_1`, or `input_1_3` for a part of field 1."""

    class Meta:
        unknown = INCLUDE

    source_page = Integer("The page of the form, which is returned.", 0, allow_none=True)
    field_values = FieldValues("Ignored.", allow_none=True)
    target_page = Integer("The next page, which a check returns.", 0, allow_none=True)


BODY, EXAMPLE = Submission(), {"input_1": "Ada", "input_2": "ada@example.com"}
# As it was sent: a character of a form takes up to three.
MOST_BYTES = 1024 * 1024
ERRORS = (e.FormClosed, e.FormRestricted, e.NoFields, e.TooManySubmissions)


class SubmissionView(Tolerant):
    """The query of a submission."""

    _validate_only = Flag("Only check it.", load_default=False)


@RESOURCE.post(
    "/forms/<form_id>/submissions",
    query=SubmissionView(),
    body=BODY,
    form=True,
    most_bytes=MOST_BYTES,
    response=schemas.SubmissionStored | schemas.SubmissionValid,
    invalid=schemas.SubmissionInvalid,
    public=True,
    reads_key=True,
    headers=("Location",),
    batch=False,
    example=EXAMPLE,
    errors=ERRORS,
)
def submit_form(call: Call, form_id: int) -> Reply:
    """Submit a form; the response has the confirmation, or a message for each wrong field.

    No credentials are needed. With an `Idempotency-Key` it is stored once. A browser gets the page
    of the form.
    """
    if call.query["_validate_only"]:
        return validate_submission(call, form_id)
    if accepts_html(call.incoming.headers):
        return site.answer(call, form_id)
    outcome = submitting.submit(call, form_id, sources.page_of(call))
    if outcome.confirmation is None:
        return _invalid(call, outcome)
    url = site.confirmation_url(call, outcome.confirmation)
    row = {
        **_page_numbers(call, 0),
        "confirmation_message": "" if url else outcome.confirmation.message_html,
        "confirmation_type": "redirect" if url else "message",
        **({"confirmation_redirect": url} if url else {}),
        "is_spam": outcome.entry["status"] == SPAM,
    }
    if call.access.has_scope("entries:read"):
        row["entry_id"] = outcome.entry["id"]
    headers = {**outcome.ignored, **({"Location": url} if url else {})}
    return Reply(STORED.dump(row), headers=headers, caching=NO_STORE)


@RESOURCE.post(
    "/forms/<form_id>/submissions/validation",
    body=BODY,
    form=True,
    most_bytes=MOST_BYTES,
    response=VALID,
    invalid=schemas.SubmissionInvalid,
    public=True,
    safe=True,
    example=EXAMPLE,
    errors=ERRORS,
)
def validate_submission(call: Call, form_id: int) -> Reply:
    """Check a submission; nothing is stored."""
    outcome = submitting.check(call, form_id)
    if outcome.messages:
        return _invalid(call, outcome)
    target = call.body.get("target_page") or 0
    row = {"validation_messages": [], **_page_numbers(call, target)}
    return Reply(VALID.dump(row if target else {**row, "is_spam": False}), headers=outcome.ignored)


@SCREEN.get("/forms/<form_id>/embed", name="embed_form", public=True, query=Anything())
def embed_form(call: Call, form_id: int) -> Reply:
    """Return a document with the form alone, for a frame in a page of another site."""
    return site.embedded(call, site.page_form(call, str(form_id), None))


def _page_numbers(call: Call, number: int) -> JsonObject:
    """Return which page of the form comes next, and which one was sent; 0 is a page too."""
    source = call.body.get("source_page")
    return {"page_number": number, "source_page_number": 1 if source is None else source}


def _invalid(call: Call, outcome: submitting.Outcome) -> Reply:
    row = {"validation_messages": outcome.messages, **_page_numbers(call, 1)}
    return Reply(INVALID.dump(row), status=400, headers=outcome.ignored)
