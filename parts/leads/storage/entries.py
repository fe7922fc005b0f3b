"""Entries in the database: rows with their values, and the objects that they stand for.

The object of an entry has texts only, as in Gravity Forms: its columns, and a key for each input,
which is empty where nothing was sent.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf
from operator import itemgetter
from typing import Any

from peewee import SQL, ColumnBase, NodeList, fn

from landform.parts.errors import PartError
from landform.parts.leads.errors import AlreadyInTrash, EntryNotFound
from landform.parts.leads.intake.fields import input_ids, values_of
from landform.parts.leads.models import (
    ACTIVE,
    ENTRY_KEYS,
    PROPERTIES,
    SPAM,
    TIME_KEYS,
    TRASH,
    Entry,
    EntryValue,
)
from landform.parts.leads.planning import after_submission, forget_runs
from landform.parts.leads.storage.filters import is_input
from landform.parts.leads.storage.forms import find_form, get_form, gf_text, gf_time
from landform.storage import events, sql
from landform.storage.errors import TooLarge
from landform.storage.rows import MAX_INTEGER, NO_VALUES, Row, batches, json_text, storable
from landform.storage.store import Store, transactional

EVENT_NAMES = ("id", "version", "form_id", "status")
DEFAULTS: Row = {
    name: field.default for name, field in Entry._meta.fields.items() if field.default is not None
}
BY_ID = sql.Prepared(Entry.select().where(Entry.id == sql.Parameter("id")))
INSERT = sql.Prepared(
    Entry.insert(
        {name: sql.Parameter(name) for name in Entry._meta.fields if name != "id"}
    ).returning(Entry.id)
)
VALUE_COLUMNS = tuple(EntryValue._meta.fields)
DELETE_VALUES = sql.Prepared(EntryValue.delete().where(EntryValue.entry_id == sql.Parameter("id")))
# How many values a statement stores.
MOST_ADDED = 50
# What a key of an entry may take in memory.
BYTES_OF_KEY = 40
# With the condition of the index.
HAS_DIGEST = (Entry.digest == sql.Parameter("digest")) & (Entry.digest != SQL("''"))
LAST_WITH_DIGEST = sql.Prepared(Entry.select().where(HAS_DIGEST).order_by(Entry.id.desc()).limit(1))


def get_row(
    store: Store,
    entry_id: int,
    if_match: sql.Precondition | None = None,
    missing: type[PartError] = EntryNotFound,
) -> Row:
    """Return the row of an entry. Raises `missing`, and `VersionConflict`."""
    row = BY_ID.first(store, {"id": entry_id}) if storable([entry_id]) else None
    if row is None:
        raise missing
    sql.check_version(store, row["version"], if_match)
    return row


def find_entries(store: Store, entry_ids: Iterable[int], most_bytes: int) -> list[Row]:
    """Return the rows that there are of some ids, by id.

    Raises `TooLarge` for rows of more than `most_bytes`.
    """
    query = Entry.select().where(Entry.id.in_(storable(entry_ids))).order_by(Entry.id)
    return sql.bounded(query.dicts().execute(store.database), most_bytes)


def count_entries(store: Store) -> dict[str, int]:
    """Return the number of entries by status."""
    query = Entry.select(Entry.status, fn.COUNT(Entry.id)).group_by(Entry.status).tuples()
    return {**dict.fromkeys((ACTIVE, SPAM, TRASH), 0), **dict(query.execute(store.database))}


def get_entry(store: Store, entry_id: int) -> Row:
    """Return the object of an entry. Raises `EntryNotFound`."""
    return load_entries(store, [get_row(store, entry_id)])[0]


def find_digest(store: Store, digest: str) -> Row | None:
    """Return the last row with a digest; None if there is none."""
    return LAST_WITH_DIGEST.first(store, {"digest": digest})


def has_entries(store: Store, form_id: int, count: int, since_utc: str) -> bool:
    """Return whether a form has so many active entries since a time in UTC."""
    chosen = (Entry.form_id == form_id) & (Entry.status == ACTIVE)
    query = Entry.select(Entry.id).where(chosen & (Entry.created_utc >= since_utc))
    query = query.limit(1).offset(min(count, MAX_INTEGER) - 1)
    return query.scalar(store.database) is not None


def load_entries(
    store: Store, rows: list[Row], keys: Sequence[str] = (), most_bytes: float = inf
) -> list[Row]:
    """Return the objects of rows, with the values of their inputs.

    `keys`: only these, see `is_chosen`. Raises `TooLarge` for more than `most_bytes`.
    """
    values: dict[int, dict[str, str]] = {row["id"]: {} for row in rows}
    chosen: Any = EntryValue.entry_id.in_([*values])
    if keys:
        # Without parentheses in each other, of which SQLite cannot read a hundred.
        chosen &= NodeList([is_input(key) for key in keys], glue=" OR ", parens=True)
    query = EntryValue.select(EntryValue.entry_id, EntryValue.key, EntryValue.value).where(chosen)
    size = 0
    for entry_id, key, value in query.tuples().execute(store.database) if rows else ():
        values[entry_id][key] = value
        size = _checked_size(size + len(value), most_bytes)
    blanks: dict[int, dict[str, str]] = {}
    entries = []
    for row in rows:
        form_id = row["form_id"]
        if form_id not in blanks:
            inputs = input_ids(find_form(store, form_id) or {})
            blanks[form_id] = {key: "" for key in inputs if is_chosen(key, keys)}
        entry = entry_of(row, {}, blanks[form_id] | values[row["id"]])
        entries.append({key: entry[key] for key in entry if is_chosen(key, keys)})
        size = _checked_size(size + BYTES_OF_KEY * len(entries[-1]), most_bytes)
    return entries


def is_chosen(key: str, keys: Sequence[str]) -> bool:
    """Return whether a key is one of some, or an input of a field among them; True for none."""
    return not keys or key in keys or key.partition(".")[0] in keys


def _checked_size(size: int, most_bytes: float) -> int:
    if size > most_bytes:
        raise TooLarge
    return size


def entry_of(row: Row, form: Row, values: Mapping[str, str]) -> Row:
    """Return the object of the row of an entry with the values of its inputs."""
    times = {name: gf_time(row[column]) for name, column in TIME_KEYS.items()}
    return {
        **{name: gf_text(row[column]) for name, column in ENTRY_KEYS.items()},
        **times,
        **PROPERTIES,
        **json.loads(row["properties"]),
        **dict.fromkeys(input_ids(form), ""),
        **values,
    }


@transactional
def create_entry(store: Store, /, form: Row, values: Mapping[str, str], **columns: Any) -> Row:
    """Store an entry of a form, with its event, and return its row.

    `values`: those of the inputs, by their ids; blank ones are not stored. `columns`: those of the
    table that differ from the defaults; `properties` is an object.
    """
    now = store.clock.now().utc
    row = {**DEFAULTS, "created_utc": now, "modified_utc": now, "created_by": None, **columns}
    row["form_id"] = form["id"]
    row["properties"] = json_text(columns.get("properties", {}))
    (row["id"],) = INSERT.row(store, row)
    _add_values(store, row, values)
    _write_event(store, row, "entry.created", *(["entry.spam"] if row["status"] == SPAM else []))
    return row


def replace_values(store: Store, entry: Mapping[str, Any]) -> None:
    """Replace the `values` of an entry. Use in a write."""
    DELETE_VALUES.run(store, {"id": entry["id"]})
    _add_values(store, entry, entry["values"])


def _add_values(store: Store, entry: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Store the values of an entry by the ids of their inputs; blank ones are not stored."""
    same = {"entry_id": entry["id"], "form_id": entry["form_id"]}
    rows = [{**same, "key": key, "value": text} for key, text in values.items() if text]
    rows = [{**row, **EntryValue.computed_values(row)} for row in rows]
    for added in batches(rows, MOST_ADDED):
        columns = {name: [row[name] for row in added] for name in VALUE_COLUMNS}
        _insert_values(len(added)).run(store, sql.parameter_values(columns))


@lru_cache(MOST_ADDED)
def _insert_values(count: int) -> sql.Prepared:
    """Return the insert of several values."""
    columns = [sql.parameters(name, count) for name in VALUE_COLUMNS]
    rows = [dict(zip(VALUE_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]
    return sql.Prepared(EntryValue.insert_many(rows))


@transactional
def update_entry(
    store: Store,
    entry_id: int,
    columns: Row,
    *,
    form: Row | None = None,
    values: Mapping[str, str] = NO_VALUES,
    replaces: bool = True,
    if_match: sql.Precondition | None = None,
) -> Row:
    """Write columns of an entry, and return its row.

    With a `form`, which becomes its form, `values` replace those of all inputs, or if not
    `replaces` those of the same inputs. Raises `EntryNotFound` and `VersionConflict`.
    """
    old = get_row(store, entry_id, if_match)
    changes = {"modified_utc": store.clock.now().utc, **columns, "version": old["version"] + 1}
    if "properties" in changes:
        changes["properties"] = json_text(json.loads(old["properties"]) | changes["properties"])
    if form is not None:
        changes["form_id"] = form["id"]
        chosen = EntryValue.entry_id == entry_id
        if not replaces:
            values = {**values_of(load_entries(store, [old])[0]), **values}
        elif form["id"] == old["form_id"]:
            # The values of fields that the form no longer has stay.
            chosen &= EntryValue.key.in_(input_ids(form))
        EntryValue.delete().where(chosen).execute(store.database)
        _add_values(store, {**old, **changes}, values)
    row = sql.write_changes(store, Entry, old, changes)
    is_new_spam = row["status"] == SPAM != old["status"]
    _write_event(store, row, "entry.spam" if is_new_spam else "entry.updated")
    if row["status"] == ACTIVE != old["status"]:
        after_submission(store, get_form(store, row["form_id"]), load_entries(store, [row])[0])
    return row


@transactional
def trash_entry(store: Store, entry_id: int, if_match: sql.Precondition | None = None) -> Row:
    """Move an entry to the trash, and return its row.

    Raises `EntryNotFound`, `AlreadyInTrash` and `VersionConflict`.
    """
    if get_row(store, entry_id, if_match)["status"] == TRASH:
        raise AlreadyInTrash
    return update_entry(store, entry_id, {"status": TRASH})


@transactional
def delete_entry(store: Store, entry_id: int, if_match: sql.Precondition | None = None) -> Row:
    """Delete an entry for good, and return its last object.

    Raises `EntryNotFound` and `VersionConflict`.
    """
    row = get_row(store, entry_id, if_match)
    entry = load_entries(store, [row])[0]
    remove_entries(store, Entry.id == entry_id)
    return entry


@transactional
def remove_entries(store: Store, condition: ColumnBase, limit: int | None = None) -> int:
    """Delete the entries for which a condition holds, at most `limit`; return how many.

    Their values and runs are deleted too.
    """
    columns = [getattr(Entry, name) for name in EVENT_NAMES]
    rows = [*Entry.select(*columns).where(condition).limit(limit).dicts().execute(store.database)]
    ids = [row["id"] for row in rows]
    for column in (EntryValue.entry_id, Entry.id) if ids else ():
        column.model.delete().where(column.in_(ids)).execute(store.database)
    forget_runs(store, ids)
    for row in sorted(rows, key=itemgetter("id")):
        _write_event(store, row, "entry.deleted")
    return len(rows)


def _write_event(store: Store, row: Row, *event_types: str) -> None:
    data = {"resource": "entry", **{name: row[name] for name in EVENT_NAMES}}
    events.write(store, event_types, data)
