"""The operations that submit a form, in JSON or from a browser; they need no credentials."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError

from landform.parts.leads import Leads, site
from landform.parts.leads import errors as e
from landform.parts.leads.intake.confirmations import Confirmation
from landform.parts.leads.intake.fields import input_names
from landform.parts.leads.response_schemas import (
    SubmissionInvalid,
    SubmissionStored,
    SubmissionValid,
)
from landform.parts.leads.submissions import Context, Outcome, check, open_form, submit
from landform.schemas.fields import LONGEST_TEXT, STRING, Field, Flag, Integer
from landform.schemas.known_names import Tolerant
from landform.service.call import Call
from landform.service.errors import ApiError
from landform.service.idempotency import read_key
from landform.service.json_codec import JsonObject, dumps
from landform.service.loading import accepts_html, check_size
from landform.service.operations import GRAVITY_FORMS, Resource
from landform.service.reply import NO_STORE, Reply
from landform.service.unknown_names import check_body
from landform.storage.errors import StorageError

RESOURCE = Resource(GRAVITY_FORMS)
# The most bytes of a submission, also as it was sent, where a character of a form takes up to
# three times as many; the most characters of the name of a program.
MOST_BYTES, MOST_SENT, LONGEST_AGENT = 256 * 1024, 1024 * 1024, 250
ERRORS = (e.FormClosed, e.FormRestricted, e.NoFields, e.TooManySubmissions)
TOO_MANY = "Too many submissions came from this IP address. Please wait a minute."


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


SUBMISSION = Submission()


class SubmissionView(Tolerant):
    """The query of a submission."""

    class Meta(Tolerant.Meta):
        include = {"_validate_only": Flag("Only check it.", load_default=False)}


@RESOURCE.post(
    "/forms/<form_id>/submissions",
    query=SubmissionView(),
    body=SUBMISSION,
    response=SubmissionStored | SubmissionValid,
    invalid=SubmissionInvalid,
    form=True,
    most_bytes=MOST_SENT,
    public=True,
    reads_key=True,
    headers=("Location",),
    batch=False,
    example={"input_1": "Ada", "input_2": "ada@example.com"},
    errors=ERRORS,
)
def submit_form(call: Call, form_id: int) -> Reply:
    """Submit a form; the response has the confirmation, or a message for each wrong field.

    No credentials are needed. With an `Idempotency-Key` it is stored once. A browser gets the page
    of the form.
    """

    def send(visited: Any) -> Outcome:
        form = _open_form(call, form_id)
        if not call.access.identity:
            _refuse(call.access.seconds_refused("forms"))
        context = _context(call, visited)
        try:
            ignored = _check_names(call, form)
            sent, count = call.sent_body, partial(_count, call, "forms")
            return replace(submit(call.store, form, sent, context, count), ignored=ignored)
        except (ValidationError, StorageError):
            # Not counted, or no longer.
            _count(call, "forms")
            raise

    if call.query["_validate_only"]:
        return _checked(call, form_id)
    if accepts_html(call.incoming.headers):
        return site.answer(call, form_id, send)
    outcome = send(site.page_of(call))
    if outcome.confirmation is None:
        return _invalid(call, outcome.messages, outcome.ignored)
    return _stored(call, outcome, outcome.confirmation)


@RESOURCE.post(
    "/forms/<form_id>/submissions/validation",
    body=SUBMISSION,
    response=SubmissionValid(),
    invalid=SubmissionInvalid,
    form=True,
    most_bytes=MOST_SENT,
    public=True,
    safe=True,
    example={"input_1": "Ada", "input_2": "ada@example.com"},
    errors=ERRORS,
)
def validate_submission(call: Call, form_id: int) -> Reply:
    """Check a submission; nothing is stored."""
    return _checked(call, form_id)


def _open_form(call: Call, form_id: int) -> JsonObject:
    """Return a form that the caller may submit; raises a 413 for too many bytes."""
    check_size(len(dumps(call.sent_body)), MOST_BYTES)
    call.access.reject_invalid_credentials()
    if not call.part(Leads).submissions and not call.access.has_scope("entries:write"):
        raise e.FormRestricted
    return open_form(call.store, form_id)


def _count(call: Call, kind: str) -> None:
    """Count a submission or check of a stranger; raises a 429 beyond the limit of its kind."""
    if not call.access.identity:
        _refuse(call.access.count(kind, call.part(Leads).submissions_per_minute))


def _refuse(seconds: int) -> None:
    """Raise a 429 with the seconds to wait, if there are any."""
    if seconds:
        headers = {"Retry-After": str(seconds)}
        raise ApiError(429, e.TooManySubmissions.code, TOO_MANY, headers=headers)


def _check_names(call: Call, form: JsonObject) -> Mapping[str, str]:
    """Return the header with names that mean nothing, if there are some.

    Browsers get none: pages may add inputs to a form.
    """
    if accepts_html(call.incoming.headers):
        return {}
    own = (*SUBMISSION.load_fields, site.PAGE, site.KEY, site.RETURN, "form_id")
    return check_body(call, [*own, *input_names(form)])


def _context(call: Call, visited: Any) -> Context:
    caller, headers = call.access.identity, call.incoming.headers
    columns = {
        "source_url": site.source_of(call, visited).geturl()[:LONGEST_TEXT],
        "ip": call.access.address if call.part(Leads).entry_ip else "",
        "user_agent": site.printable(headers.get("User-Agent", ""))[:LONGEST_AGENT],
        "created_by": caller.author if caller else None,
    }
    key = read_key(headers) or ""
    return Context(call.access.address, accepts_html(headers), key, columns)


def _checked(call: Call, form_id: int) -> Reply:
    form = _open_form(call, form_id)
    # A check tells whether a value of a field with `noDuplicates` was sent before.
    _count(call, "checks")
    ignored = _check_names(call, form)
    if messages := check(call.store, form, call.sent_body):
        return _invalid(call, messages, ignored)
    target = call.body.get("target_page") or 0
    body = {"is_valid": True, "validation_messages": [], **_pages(call, target)}
    return Reply(body if target else {**body, "is_spam": False}, headers=ignored)


def _pages(call: Call, number: int) -> JsonObject:
    """Return the page that comes next, and that which was sent; 0 is a page too."""
    source = call.body.get("source_page")
    return {"page_number": number, "source_page_number": 1 if source is None else source}


def _invalid(call: Call, messages: Mapping[str, str], headers: Mapping[str, str]) -> Reply:
    body = {"is_valid": False, "validation_messages": messages, **_pages(call, 1)}
    return Reply(body, 400, headers)


def _stored(call: Call, outcome: Outcome, confirmation: Confirmation) -> Reply:
    """Return the reply for a stored entry, with its id for callers with `entries:read`."""
    url = site.confirmation_url(call, confirmation)
    body = {
        "is_valid": True,
        **_pages(call, 0),
        "confirmation_message": "" if url else confirmation.message_html,
        "confirmation_type": "redirect" if url else "message",
        **({"confirmation_redirect": url} if url else {}),
        "is_spam": outcome.is_spam,
    }
    if call.access.has_scope("entries:read"):
        body["entry_id"] = str(outcome.entry_id)
    headers = {**outcome.ignored, **({"Location": url} if url else {})}
    return Reply(body, headers=headers, caching=NO_STORE)
