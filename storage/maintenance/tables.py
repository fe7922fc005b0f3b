"""Whole tables: read every row, and write rows of another store."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from peewee import Tuple

from landform.storage import events, pages
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import DatabaseUnusable, ImportRefused
from landform.storage.models import Event, Page, Table, part_exports
from landform.storage.pages import meta_columns, slugs
from landform.storage.pages.scheduling import next_version
from landform.storage.pages.slugs import HAS_SLUG
from landform.storage.rows import Row, json_text
from landform.storage.search import fold
from landform.storage.sql import Parameter, Prepared, renew_generation
from landform.storage.store import Store

# The rows that are read at a time, since pages may be large.
BATCH = 50
# The versions of rows by their ids, for each table.
Known = Mapping[str, dict[int, int]]


def read_rows(
    db: EngineDatabase, model: type[Table], without: Collection[str] = ()
) -> Iterator[Row]:
    """Yield all rows of a table in the order of their keys, without some other columns."""
    fields = [field for field in model._meta.sorted_fields if field.name not in without]
    names, keys = [field.name for field in fields], model._meta.get_primary_keys()
    query = model.select(*fields).order_by(*keys).limit(BATCH)
    beyond = Tuple(*keys) > Tuple(*(Parameter(key.name) for key in keys))
    further, last = Prepared(query.where(beyond)), None
    rows = Prepared(query).run_on(db).fetchall()
    while rows:
        for record in rows:
            row = dict(zip(names, record, strict=True))
            yield row
        before, last = last, [row[key.name] for key in keys]
        if before is not None and last <= before:
            # In a damaged file this might never end.
            raise DatabaseUnusable(f"The rows of {model._meta.table_name} are not in their order.")
        rows = further.run_on(db, row).fetchall()


class RowWriter:
    """A writer of rows in the open transaction, unless they are there already.

    `by`: `id`, or `slug` for rows that are identified by `Table.exported_by` and get new ids.
    `known`: the versions of rows before the import (see `transfer.known_rows`); a row that was
    written since is not replaced.
    """

    def __init__(self, store: Store, by: str = "id", known: Known | None = None) -> None:
        self._store, self._by, self._known = store, by, known
        self._has_written = False
        # The event of the rows that were written so far.
        self._event = 0

    @contextmanager
    def transaction(self, *, keep: bool = True) -> Iterator[None]:
        """Write all rows inside, or none of them, or with `keep=False` none in any case."""
        event = self._event
        with self._store.transaction() as db, db.atomic() as transaction:
            self._has_written = False
            yield
            if not keep:
                transaction.rollback()
            elif self._has_written:
                db.advance_sequences(db.last_ids())
                # A row may have a version that another state of it had here.
                renew_generation(db)
                # One event of the import: each transaction replaces it by a later one.
                Event.delete().where(Event.id == self._event).execute(db)
                data = {"resource": "store", "id": None}
                event = events.write(self._store, ["store.imported"], data)
        # After the commit: another event may get the id of one that was rolled back.
        self._event = event

    def write(self, model: type[Table], row: Row) -> tuple[str, int]:
        """Write a row; return `created`, `changed` or `unchanged`, and its id.

        Without an id it gets a new one. It may have more than columns, for parts. Raises
        `ImportRefused` or `TextRefused`.
        """
        row, name = self._complete(model, row), model._meta.table_name
        names = ("id",) if self._by == "id" else model.exported_by
        old = find(self._store, model, {key: row[key] for key in names})
        if self._by == "slug":
            row["id"] = old["id"] if old else None
        if old and _is_same(model, old, row):
            if row.keys() > old.keys():
                self._call_parts(name, old, row)
            return "unchanged", old["id"]
        self._refuse(model, row, old)
        text = pages.searched_text(row) if model is Page else None
        if old:
            row["version"] = max(row["version"], next_version(old))
        self._has_written = True
        if old and model is Page:
            slugs.remember_former_slug(self._store, old, row)
        columns = tuple(key for key in model._meta.fields if key != "id" or row["id"])
        row["id"] = int(_insert(model, columns).row(self._store, row)[0])
        exported = part_exports().get(name)
        if exported and exported.write_details:
            exported.write_details(self._store, row)
        if text:
            pages.WRITE_TEXT.run(self._store, {**text, "id": row["id"]})
        if self._known is not None:
            self._known[name][row["id"]] = row["version"]
        self._call_parts(name, old, row)
        return "changed" if old else "created", row["id"]

    def _call_parts(self, name: str, old: Row | None, row: Row) -> None:
        for row_written in self._store.row_written:
            row_written(self._store, name, old, row)

    def _complete(self, model: type[Table], row: Row) -> Row:
        """Return all columns of a row."""
        if model is Page:
            if self._by == "slug" and not row["slug"]:
                raise ImportRefused("a page without a slug cannot be found by it")
            key = fold(row["title_raw"], "title_raw")
            row = {**row, "title_key": key, **meta_columns(row["meta"])}
        else:
            row = {**row, **model.computed_values(row)}
        if self._by == "slug" and model.exported_by == ("id",):
            raise ImportRefused(f"{model._meta.table_name} {row['id']} has no slug, only an id")
        return {**row, **{name: json_text(row[name]) for name in model.json_names()}}

    def _refuse(self, model: type[Table], row: Row, old: Row | None) -> None:
        """Raise `ImportRefused` for a row that was written meanwhile, or a slug in use."""
        name = model._meta.table_name
        version = old["version"] if old else None
        if self._known and row["id"] and self._known[name].get(row["id"]) != version:
            raise ImportRefused(f"{name} {row['id']} was written here while the import ran")
        owner = find(self._store, model, {"slug": row["slug"]}) if row.get("slug") else None
        if owner and owner["id"] != row["id"]:
            raise ImportRefused(f"the slug {row['slug']} is that of {name} {owner['id']}")


@cache
def _insert(model: type[Table], names: tuple[str, ...]) -> Prepared:
    """Return the query that inserts a row, or replaces the one with its id."""
    key, *fields = model._meta.sorted_fields
    query = model.insert({name: Parameter(name) for name in names})
    return Prepared(query.on_conflict(conflict_target=[key], preserve=fields).returning(key))


def find(store: Store, model: type[Table], values: Row) -> Row | None:
    """Return the first row with some values of columns, or None."""
    row = _select(model, tuple(values)).first(store, values)
    return row and {**row, **model.read_details(store.database, row["id"])}


@cache
def _select(model: type[Table], names: tuple[str, ...]) -> Prepared:
    conditions = [model._meta.fields[name] == Parameter(name) for name in names]
    conditions += [HAS_SLUG] if model is Page and "slug" in names else []
    return Prepared(model.select().where(*conditions).order_by(model._meta.primary_key).limit(1))


def _is_same(model: type[Table], old: Row, new: Row) -> bool:
    """Return whether two rows are equal, apart from their versions and the form of their JSON."""
    json_names = model.json_names()
    names = (new.keys() & old.keys()) - {"version", *json_names}
    return all(old[name] == new[name] for name in names) and all(
        old[name] == new[name] or parse_meta(old[name]) == parse_meta(new[name])
        for name in json_names
    )


def parse_meta(meta: str) -> object:
    """Parse JSON text; return damaged text itself."""
    try:
        return json.loads(meta)
    except (ValueError, TypeError, RecursionError):
        return meta
