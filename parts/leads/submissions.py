"""Submissions of forms: by the API (see operations.py), and by the form on a page."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any

from landform.parts.leads import planning
from landform.parts.leads.errors import Duplicate, FormClosed, FormRestricted, NoFields
from landform.parts.leads.intake.confirmations import Confirmation, confirm
from landform.parts.leads.intake.fields import (
    agreed_texts,
    is_spam,
    problems_of,
    read_values,
    stored_values,
)
from landform.parts.leads.intake.form_view import internal_values
from landform.parts.leads.intake.validation import IsDuplicate, validate
from landform.parts.leads.storage import entries, forms, searching
from landform.storage.clock import earlier
from landform.storage.errors import KeyReused
from landform.storage.rows import Row, json_text
from landform.storage.signatures import secret
from landform.storage.store import Store

# For how long the same submission by a page's form is the same entry.
REPEATED = timedelta(minutes=10)


@dataclass(frozen=True)
class Context:
    """Where a submission comes from.

    `address`: the IP address of the client; `from_page`: whether a form on a page was submitted;
    `key`: an `Idempotency-Key`, if there was one. `columns`: those of the entry about its sender,
    `source_url`, `ip` (maybe empty), `user_agent`, and `created_by` as the caller's author id.
    """

    address: str = ""
    from_page: bool = False
    key: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a submission: an entry and its confirmation, or messages by field.

    `ignored`: the header with the names that mean nothing, if there are some.
    """

    messages: Mapping[str, str] = field(default_factory=dict)
    confirmation: Confirmation | None = None
    entry_id: int = 0
    is_spam: bool = False
    ignored: Mapping[str, str] = field(default_factory=dict)


def open_form(store: Store, form_id: int) -> Row:
    """Return the form object of a form that takes submissions.

    Raises `FormClosed`, `NoFields` and `FormRestricted`.
    """
    form = forms.find_form(store, form_id)
    if form is None or form["is_active"] == "0" or form["is_trash"] == "1":
        raise FormClosed
    if not form["fields"]:
        raise NoFields
    if problems_of(form):
        raise FormRestricted
    return form


def submit(
    store: Store,
    form: Row,
    sent: Mapping[str, Any],
    context: Context,
    count: Callable[[], object] = lambda: None,
) -> Outcome:
    """Check a submission of a form, and store it as an entry if it is valid.

    `sent`: the parameters, such as `input_1_3`. One that was stored before is not stored again: the
    same by a page's form within ten minutes, or with the same `key`. `count` is called once, in the
    transaction of the entry if there is one. Raises `ValidationError` for values that cannot be
    stored, before it is counted, and `KeyReused`, which undoes the count.
    """
    values = read_values(form, sent)
    unique = list[Mapping[str, str]]()

    def is_duplicate(_: Row, texts: Mapping[str, str]) -> bool:
        # Found out when the entry is stored.
        unique.append(texts)
        return False

    if messages := validate(form, values, is_duplicate):
        count()
        return Outcome(messages)
    status = entries.SPAM if is_spam(form, sent, from_page=context.from_page) else entries.ACTIVE
    stored = stored_values(form, values)
    # As in Gravity Forms internal fields have their defaults. A repetition is recognized without
    # what the form adds, which may have changed meanwhile.
    added = agreed_texts(form, stored, from_page=context.from_page) | internal_values(form)
    digest = _digest(store, form, stored, context)

    def store_it() -> Outcome:
        count()
        if row := _stored_before(store, digest, stored, added, context):
            return _outcome(form, entries.load_entries(store, [row])[0])
        columns = {**context.columns, "status": status, "digest": digest}
        values_and_added = stored | added
        try:
            row = entries.create_entry(store, form, values_and_added, unique, **columns)
        except Duplicate:
            return Outcome(validate(form, values, _duplicates(store, form)))
        entry = entries.entry_of(row, form, values_and_added)
        if status == entries.ACTIVE:
            planning.after_submission(store, form, entry)
        return _outcome(form, entry)

    return store.write_queue.run(store_it)


def check(store: Store, form: Row, sent: Mapping[str, Any]) -> dict[str, str]:
    """Return the messages of a submission that is only checked."""
    return validate(form, read_values(form, sent), _duplicates(store, form))


def _duplicates(store: Store, form: Row) -> IsDuplicate:
    return lambda field, values: searching.has_values(store, form["id"], values)


def _outcome(form: Row, entry: Row) -> Outcome:
    is_spam = entry["status"] == entries.SPAM
    return Outcome({}, confirm(form, entry), int(entry["id"]), is_spam)


def _digest(store: Store, form: Row, values: Row, context: Context) -> str:
    """Return the digest by which a submission is recognized; empty if it is not."""
    if context.key:
        text = json_text(["key", form["id"], context.key])
    elif context.from_page:
        text = json_text(["page", form["id"], context.address, values])
    else:
        return ""
    # With a secret, so that nobody finds out an address by trying all of them.
    return hmac.new(secret(store).encode(), text.encode(), sha256).hexdigest()


def _stored_before(
    store: Store, digest: str, values: Row, added: Row, context: Context
) -> Row | None:
    """Return the row of the same submission, if it was stored before.

    `values`: those that were sent; `added`: those of the form.
    """
    row = entries.find_digest(store, digest) if digest else None
    if row is None:
        return None
    if not context.key:
        # One from ahead was stored while the clock was wrong: it must not hide those of months.
        now = store.clock.now().utc
        is_recent = earlier(now, REPEATED) <= row["created_utc"] <= earlier(now, -REPEATED)
        return row if is_recent else None
    entry = entries.load_entries(store, [row])[0]
    stored = {key: text for key, text in entry.items() if key[:1].isdecimal()}

    def sent(texts: Row) -> Row:
        return {key: text for key, text in texts.items() if text and key not in added}

    # All of them: the confirmation may show what whoever guesses a key did not send.
    if sent(stored) != sent(values):
        raise KeyReused
    return row
