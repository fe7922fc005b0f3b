"""Submissions of forms, in JSON or by the form on a page: checked, counted, and stored once."""

import hmac
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from marshmallow import ValidationError

from landform.parts.leads import errors as e
from landform.parts.leads import planning, sources
from landform.parts.leads.intake import fields, form_view
from landform.parts.leads.intake.confirmations import Confirmation, confirm
from landform.parts.leads.intake.logic import visible_form
from landform.parts.leads.intake.merging import SiteTags, site_tags
from landform.parts.leads.intake.validation import validate
from landform.parts.leads.intake.warnings import problems_of
from landform.parts.leads.models import ACTIVE, SPAM
from landform.parts.leads.opening import check_open
from landform.parts.leads.options import LeadsOptions
from landform.parts.leads.storage import entries, forms, searching
from landform.schemas.fields import LONGEST_TEXT
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError
from landform.service.pipeline.idempotency import read_key
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.loading import accepts_html, check_size
from landform.service.pipeline.names import check_body
from landform.service.site.visits import Visit
from landform.storage.clock import earlier
from landform.storage.errors import KeyReused, StorageError
from landform.storage.rows import NO_VALUES, Row, json_text
from landform.storage.signatures import secret
from landform.storage.store import Store

# For how long the same values by a page's form without its script are the same entry.
REPEATED = timedelta(seconds=30)
# The most bytes of a submission; the most characters of the name of a program.
MOST_BYTES, LONGEST_AGENT = 256 * 1024, 250
# Names that a submission may have beside those of inputs.
OWN_NAMES = (*"source_page field_values target_page form_id".split(), *sources.HIDDEN_INPUTS)
TOO_MANY = "Too many submissions came from this IP address. Please wait a minute."


class Outcome(NamedTuple):
    """The outcome of a submission: an entry and its confirmation, or messages by field.

    `entry`: of a repetition it has what was sent now. `ignored`: the header with the names that
    mean nothing, if there are some.
    """

    messages: Mapping[str, str]
    ignored: Mapping[str, str]
    entry: Mapping[str, Any] = NO_VALUES
    confirmation: Confirmation | None = None


def open_form(call: Call, form_id: int) -> Row:
    """Return the form object of a form that takes submissions of the caller.

    Raises `FormClosed`, `NoFields` and `FormRestricted`.
    """
    if not call.part(LeadsOptions).submissions and not call.access.has_scope("entries:write"):
        raise e.FormRestricted
    form = forms.get_form(call.store, form_id, missing=e.FormClosed)
    if form["is_active"] == "0" or form["is_trash"] == "1":
        raise e.FormClosed
    if not form["fields"]:
        raise e.NoFields
    if problems_of(form):
        raise e.FormRestricted
    return form


def check(call: Call, form_id: int) -> Outcome:
    """Check a submission without storing it; a valid one has no messages."""
    form = _open_for(call, form_id)
    # A check tells whether a value of a field with `noDuplicates` was sent before.
    _count(call, "checks")
    values, ignored = _read(call, form)
    check_open(call.store, form)
    is_duplicate = partial(searching.has_values, call.store, form["id"])
    return Outcome(validate(visible_form(form, values), values, is_duplicate), ignored)


def submit(call: Call, form_id: int, visited: Visit | None) -> Outcome:
    """Check a submission, from a page of landform if it is visited, and store it if it is valid.

    Each submission of a stranger is counted once, also one that cannot be stored. Raises
    `ValidationError` for values that no entry can have, `KeyReused`, and a 413 or 429.
    """
    form = _open_for(call, form_id)
    if not call.access.identity:
        _refuse(call.access.seconds_refused("forms"))
    columns = _sender(call, visited)
    try:
        values, ignored = _read(call, form)
        messages, entry = _store(call, form, values, columns)
    except (ValidationError, StorageError):
        # Not counted, or no longer: the transaction has the count.
        _count(call, "forms")
        raise
    # After the commit: other writers do not wait for it.
    confirmed = confirm(form, entry, tags_of(call, visited)) if entry else None
    return Outcome(messages, ignored, entry, confirmed)


def tags_of(call: Call, visited: Visit | None = None) -> SiteTags:
    """Return what merge tags of the site stand for, in the language of a visited page."""
    admin_email = call.part(LeadsOptions).admin_email
    return site_tags(call.service, admin_email, sources.texts_of(call, visited))


def _open_for(call: Call, form_id: int) -> Row:
    """Return a form that the caller may submit; raises a 413 for too many bytes."""
    check_size(len(dumps(call.sent_body)), MOST_BYTES)
    call.access.reject_invalid_credentials()
    return open_form(call, form_id)


def _count(call: Call, kind: str) -> None:
    """Count a submission or check of a stranger; raises a 429 beyond the limit of its kind."""
    if not call.access.identity:
        _refuse(call.access.count(kind, call.part(LeadsOptions).submissions_per_minute))


def _refuse(seconds: int) -> None:
    """Raise a 429 with the seconds to wait, if there are any."""
    if seconds:
        headers = {"Retry-After": str(seconds)}
        raise ApiError(429, e.TooManySubmissions.code, TOO_MANY, headers=headers)


def _read(call: Call, form: Row) -> tuple[dict[str, str], Mapping[str, str]]:
    """Return the values that were sent, and the header with names that mean nothing, if any.

    Browsers get no header: pages may add inputs to a form.
    """
    values, names = fields.read_values(form, sent_values(call, form))
    if accepts_html(call.incoming.headers):
        return values, {}
    return values, check_body(call, [*OWN_NAMES, *names, fields.honeypot_name(form)])


def sent_values(call: Call, form: Row) -> Row:
    """Return the body of a submission, in which boxes with the same name are a list."""
    texts = defaultdict[str, list[str]](list)
    for name, text in call.incoming.read_form(call.operation):
        texts[name].append(text)
    boxes = [f"{fields.PREFIX}{x['id']}" for x in form["fields"] if x["type"] in fields.BOXES]
    return {**call.sent_body, **{name: texts[name] for name in boxes if len(texts[name]) > 1}}


def _sender(call: Call, visited: Visit | None) -> Row:
    """Return the columns of an entry about who sent it."""
    caller, agent = call.access.identity, call.incoming.headers.get("User-Agent", "")
    return {
        "source_url": sources.source_of(call, visited).geturl()[:LONGEST_TEXT],
        "ip": call.access.address if call.part(LeadsOptions).entry_ip else "",
        "user_agent": sources.printable(agent)[:LONGEST_AGENT],
        "created_by": caller.author if caller else None,
    }


def _store(
    call: Call, form: Row, values: Mapping[str, str], columns: Row
) -> tuple[Mapping[str, str], Row]:
    """Store a submission as an entry with its runs; return why it is not valid, and the entry.

    One that was stored before is not stored again: the same with the same `Idempotency-Key`, or by
    a page's form that was loaded once; without the script of the form, within 30 seconds.
    """
    store, headers = call.store, call.incoming.headers
    key, from_page = read_key(headers) or "", accepts_html(headers)
    visible = visible_form(form, values)
    if messages := validate(visible, values):
        check_open(store, form)
        _count(call, "forms")
        return messages, {}
    status = SPAM if fields.is_spam(form, call.sent_body, from_page=from_page) else ACTIVE
    stored = fields.stored_values(visible, values)
    # As in Gravity Forms internal fields have their defaults. A repetition is recognized without
    # what the form adds, which may have changed meanwhile.
    added = fields.agreed_texts(visible, stored, from_page=from_page)
    added |= form_view.internal_values(visible)
    origin: list[Any] = ["page", form["id"], call.access.address, stored]
    if once := str(call.sent_body.get(sources.ONCE) or ""):
        origin = ["once", form["id"], once, stored]
    if key:
        origin = ["key", form["id"], key]
    digest = _digest(store, origin) if key or from_page else ""
    has_unique = any(field.get("noDuplicates") for field in visible["fields"])
    sender, all_values = {**columns, "status": status, "digest": digest}, stored | added

    def store_it() -> tuple[Mapping[str, str], Row]:
        _count(call, "forms")
        if row := _stored_before(store, digest, origin[0], stored, added):
            # Neither what an editor wrote since, nor who sent it first.
            row |= entries.DEFAULTS | sender
            return {}, entries.entry_of(row, form, all_values)
        check_open(store, form)
        is_duplicate = partial(searching.has_values, store, form["id"])
        # Again, as writers take turns: another one may have stored the same values meanwhile.
        if has_unique and (messages := validate(visible, values, is_duplicate)):
            return messages, {}
        row = entries.create_entry(store, form, all_values, **sender)
        entry = entries.entry_of(row, form, all_values)
        planning.after_submission(store, form, entry)
        return {}, entry

    return store.write_queue.run(store_it)


def _digest(store: Store, origin: list[object]) -> str:
    """Return the digest by which a submission is recognized.

    With a secret, so that nobody finds out an address by trying all of them.
    """
    return hmac.new(secret(store).encode(), json_text(origin).encode(), sha256).hexdigest()


def _stored_before(store: Store, digest: str, kind: str, values: Row, added: Row) -> Row | None:
    """Return the row of the same submission, if it was stored before.

    `kind`: whether it is known by its `key`, by the value that a script makes `once`, or by its
    `page`. `values`: those that were sent; `added`: those of the form.
    """
    row = entries.find_digest(store, digest) if digest else None
    if row is None or kind == "once":
        return row
    if kind == "page":
        return row if row["created_utc"] >= earlier(store.clock.now().utc, REPEATED) else None

    def sent(texts: Row) -> Row:
        return {name: text for name, text in texts.items() if text and name not in added}

    if sent(fields.values_of(entries.load_entries(store, [row])[0])) != sent(values):
        raise KeyReused
    return row
