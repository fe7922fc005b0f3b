"""Forms in the database: rows, and the objects of Gravity Forms that they stand for."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from peewee import fn

from landform.parts.errors import PartError
from landform.parts.leads import errors as e
from landform.parts.leads.intake.fields import next_field_id, number_fields
from landform.parts.leads.models import Entry, EntryValue, Form
from landform.parts.leads.planning import forget_runs
from landform.storage import events, feeds, sql
from landform.storage.errors import TextRefused, TooExpensive
from landform.storage.rows import Row, json_text, storable
from landform.storage.search import fold
from landform.storage.sql import Parameter, Precondition, Prepared, check_version, write_changes
from landform.storage.store import Store, transactional

LONGEST_TITLE = 255
# What an update leaves as it is where it is not sent.
KEPT_KEYS = ("confirmations", "notifications")
# The beginning of the choices of a field in JSON. How many forms are read at a time, and how many
# a search may parse.
CHOICES, MOST_READ, MOST_PARSED = '"choices":[{', 100, 1000
# How many entries of a form are deleted at a time.
MOST_DELETED = 200
NEXT_KEY = Prepared(
    EntryValue.select(fn.MIN(EntryValue.key)).where(
        EntryValue.form_id == Parameter("form_id"), EntryValue.key > Parameter("key")
    )
)
BY_ID = Prepared(Form.select().where(Form.id == Parameter("id")))


def form_of(row: Row) -> Row:
    """Return the form object of a row: its meta, with `id`, `title`, "0" or "1" for flags."""
    return {
        **json.loads(row["meta"]),
        "id": row["id"],
        "title": row["title"],
        "is_active": gf_text(row["is_active"]),
        "is_trash": gf_text(row["is_trash"]),
        "date_created": gf_time(row["date_created_utc"]),
    }


def gf_text(value: Any) -> str | None:
    """Return the value of a column as Gravity Forms has it: a flag is "0" or "1"."""
    return value if value is None or isinstance(value, str) else str(int(value))


def gf_time(utc: str) -> str:
    """Return UTC text as Gravity Forms has it: `YYYY-MM-DD HH:MM:SS`."""
    return utc.replace("T", " ")


def find_form(store: Store, form_id: int) -> Row | None:
    """Return a form object; None if there is none."""
    with suppress(e.FormNotFound):
        return get_form(store, form_id)
    return None


def get_form(store: Store, form_id: int, missing: type[PartError] = e.FormNotFound) -> Row:
    """Return a form object, also a trashed one. Raises `missing`."""
    return form_of(get_form_row(store, form_id, missing=missing))


def get_form_row(
    store: Store,
    form_id: int,
    if_match: Precondition | None = None,
    missing: type[PartError] = e.FormNotFound,
) -> Row:
    """Return the row of a form, with its `version`. Raises `missing`, and `VersionConflict`."""
    row = BY_ID.first(store, {"id": form_id}) if storable([form_id]) else None
    if row is None:
        raise missing
    check_version(store, row["version"], if_match)
    return row


def read_forms(store: Store, form_ids: Iterable[int], most_bytes: int) -> dict[int, Row]:
    """Return the form objects that there are of some ids, by id.

    Raises `TooLarge` for rows of more than `most_bytes`.
    """
    query = Form.select().where(Form.id.in_(storable(form_ids)))
    rows = sql.bounded(query.dicts().execute(store.database), most_bytes)
    return {row["id"]: form_of(row) for row in rows}


def forms_with_choices(
    store: Store, form_ids: Iterable[int] | None, folded_texts: Iterable[str]
) -> Iterator[Row]:
    """Yield the forms whose choices may have one of some texts; only these are parsed.

    Raises `TooExpensive` for too many.
    """
    # JSON has others in place of these characters.
    parts = [max(re.split(r'["\\\x00-\x1f]', text), key=len) for text in folded_texts]
    query = Form.select().order_by(Form.id).limit(MOST_READ)
    if form_ids:
        query = query.where(Form.id.in_(storable(form_ids)))
    last = number = 0
    while rows := [*query.where(Form.id > last).dicts().execute(store.database)]:
        for row in rows:
            if CHOICES in row["meta"] and _has_part(row["meta"], parts):
                yield form_of(row)
                number += 1
                if number == MOST_PARSED:
                    raise TooExpensive
        last = rows[-1]["id"]


def _has_part(text: str, folded_parts: Iterable[str]) -> bool:
    """Return whether a text has one of some parts; True if it is too long to find out."""
    with suppress(TextRefused):
        folded = fold(text)
        return any(part in folded for part in folded_parts)
    return True


def list_forms(store: Store, status: str, most_bytes: int) -> list[Row]:
    """Return `id`, `title` and the number of active `entries` of forms, by their titles.

    `status`: `active`, `inactive`, `trash`, or `all` for those that are not in the trash. Raises
    `TooLarge` for rows of more than `most_bytes`.
    """
    active = Entry.select(fn.COUNT(Entry.id)).where(
        (Entry.form_id == Form.id) & (Entry.status == "active")
    )
    chosen = Form.is_trash if status == "trash" else ~Form.is_trash
    if status in ("active", "inactive"):
        chosen &= Form.is_active == (status == "active")
    query = Form.select(Form.id, Form.title, active.alias("entries")).where(chosen)
    rows = sql.bounded(query.order_by(Form.id).dicts().execute(store.database), most_bytes)
    return sorted(rows, key=lambda row: row["title"].lower())


@transactional
def create_form(store: Store, values: Row) -> Row:
    """Store a form and return its row; a title in use gets a number, as in `Form (1)`.

    `values`: `title`, `meta` (an object) and `is_active`.
    """
    now = store.clock.now().utc
    row = {
        **values,
        "title": _free_title(store, values["title"]),
        "meta": json_text(number_fields(values["meta"])),
        "is_trash": False,
        "date_created_utc": now,
        "modified_utc": now,
        "version": 1,
    }
    row["id"] = Form.insert(row).execute(store.database)
    _write_event(store, "form.created", row)
    return row


def _free_title(store: Store, title: str, form_id: int = 0) -> str:
    """Return a title, with a number if another form has it, in capitals or not."""
    query = Form.select(Form.title).where(~Form.is_trash, Form.id != form_id).tuples()
    titles = {text.lower() for (text,) in query.execute(store.database)}
    number, free = 0, title
    while free.lower() in titles:
        number += 1
        ending = f" ({number})"
        free = title[: LONGEST_TITLE - len(ending)] + ending
    return free


@transactional
def update_form(
    store: Store, form_id: int, values: Row, if_match: Precondition | None = None
) -> Row:
    """Replace a form and return its row.

    Confirmations, notifications and flags that are not in `values` stay. New fields get numbers
    that no field had. Raises `ValidationError` if there are none left, and
    `FormToUpdateNotFound` and `VersionConflict`.
    """
    old = get_form_row(store, form_id, if_match, e.FormToUpdateNotFound)
    old_meta = json.loads(old["meta"])
    meta = {name: old_meta[name] for name in KEPT_KEYS if name in old_meta} | values["meta"]
    # No answer of a field that was removed may stand under a new question.
    used_ids = (int(key.partition(".")[0]) + 1 for key in stored_keys(store, form_id))
    meta = number_fields(meta, max([next_field_id(old_meta), *used_ids]))
    title = values["title"]
    if title != old["title"]:
        title = _free_title(store, title, form_id)
    return _write(store, old, {**values, "title": title, "meta": json_text(meta)})


def stored_keys(store: Store, form_id: int) -> Iterator[str]:
    """Yield the ids of the inputs of which entries of a form have values; one seek for each."""
    key = ""
    while key := NEXT_KEY.row(store, {"form_id": form_id, "key": key})[0]:
        yield key


@transactional
def trash_form(store: Store, form_id: int, if_match: Precondition | None = None) -> Row:
    """Move a form to the trash, and return its row.

    Raises `FormToDeleteNotFound`, `AlreadyInTrash` and `VersionConflict`.
    """
    old = get_form_row(store, form_id, if_match, e.FormToDeleteNotFound)
    if old["is_trash"]:
        raise e.AlreadyInTrash
    return _write(store, old, {"is_trash": True})


def discard_form(store: Store, form_id: int, if_match: Precondition | None = None) -> None:
    """Move a form to the trash, unless it is there."""
    with suppress(e.AlreadyInTrash):
        trash_form(store, form_id, if_match)


def delete_form(store: Store, form_id: int, if_match: Precondition | None = None) -> Row:
    """Delete a form for good, with its entries and feeds; return its last row.

    One with many entries is moved to the trash before, and they are deleted some hundred at a time:
    others write in between, and after an interruption the same call goes on. Raises
    `FormToDeleteNotFound` and `VersionConflict`.
    """
    get_form_row(store, form_id, if_match, e.FormToDeleteNotFound)
    is_large = Entry.select(Entry.id).where(Entry.form_id == form_id).offset(MOST_DELETED).limit(1)
    if is_large.scalar(store.database):
        discard_form(store, form_id, if_match)
        if_match = None
        while _delete_entries(store, form_id) == MOST_DELETED:
            pass
    return _delete_small_form(store, form_id, if_match)


@transactional
def _delete_small_form(store: Store, form_id: int, if_match: Precondition | None) -> Row:
    row = get_form_row(store, form_id, if_match, e.FormToDeleteNotFound)
    while _delete_entries(store, form_id):
        pass
    for feed in feeds.list_feeds(store, {"form_id": [form_id]}, ("id",)):
        feeds.delete(store, feed["id"])
    Form.delete().where(Form.id == form_id).execute(store.database)
    _write_event(store, "form.deleted", row)
    return row


@transactional
def _delete_entries(store: Store, form_id: int) -> int:
    """Delete some entries of a form with what is theirs, without events; return how many."""
    query = Entry.select(Entry.id).where(Entry.form_id == form_id).limit(MOST_DELETED)
    ids = [number for (number,) in query.tuples().execute(store.database)]
    forget_runs(store, ids)
    for column in (EntryValue.entry_id, Entry.id):
        column.model.delete().where(column.in_(ids)).execute(store.database)
    return len(ids)


def _write(store: Store, old: Row, values: Row) -> Row:
    stamp = {"version": old["version"] + 1, "modified_utc": store.clock.now().utc}
    row = write_changes(store, Form, old, {**values, **stamp})
    moved = row["is_trash"] - old["is_trash"]
    _write_event(store, ("form.updated", "form.trashed", "form.restored")[moved], row)
    return row


def _write_event(store: Store, event_type: str, row: Row) -> None:
    """Write an event of a form."""
    data = {"resource": "form", "id": row["id"], "version": row["version"]}
    events.write(store, [event_type], data)
