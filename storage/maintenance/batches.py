"""Rows that are written as they are, some hundred at a time, with the outcome of one by one."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from landform.storage import pages
from landform.storage.engines import expressions
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import ImportRefused, TextRefused
from landform.storage.maintenance.bulk import BulkWrite
from landform.storage.maintenance.verify import highest_ids
from landform.storage.models import Page, PageText, Table
from landform.storage.pages.meta_keys import meta_columns
from landform.storage.pages.naming import HAS_SLUG, TAKEN
from landform.storage.pages.scheduling import next_version
from landform.storage.rows import Row, to_columns
from landform.storage.search_text import fold
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# How many rows are written at once, and how many characters they have, if one has not more.
ROWS, CHARACTERS = 250, 1_000_000
UPSERT = "INSERT INTO {table} ({columns}) VALUES {rows} ON CONFLICT (id) DO UPDATE SET {changes}"


# The versions of rows by their ids, for each table.
Known = Mapping[str, dict[int, int]]
WRITTEN = "{} {} was written here while the import ran"


class _Stored(NamedTuple):
    """What is to be known of a row that is there: `next_version` is that of what replaces it."""

    id: int
    slug: str
    version: int
    next_version: int
    is_same: bool


class BatchWriter:
    """Takes rows with the numbers of their lines; writes those that differ from what is there.

    `by` and `known`: see `transfer.import_rows`. `flush` writes the rest.
    """

    def __init__(self, store: Store, by: str, bulk: BulkWrite, known: Known | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: list[tuple[int, str]] = []
        self._store, self._by, self._bulk, self._known = store, by, bulk, known
        self._model: type[Table] = Page
        self._batch: dict[object, tuple[int, Row]] = {}
        self._characters = 0
        self._ids: dict[str, int] = {}

    def put(self, number: int, model: type[Table], row: Row) -> None:
        """Take a row."""
        try:
            row = _prepared(model, row, self._by)
        except (ImportRefused, TextRefused) as reason:
            self.refused.append((number, str(reason)))
            return
        key = self._key(model, row)
        if model is not self._model or key in self._batch:
            self.flush()
            self._model = model
        self._batch[key] = number, row
        self._characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._batch) == ROWS or self._characters > CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what was taken."""
        model, batch = self._model, self._batch
        self._batch, self._characters = {}, 0
        if not batch:
            return
        stored = dict(self._find(model, batch))
        slugs = _slugs(self._store, batch) if model is Page and self._by == "id" else {}
        rows, texts = [], []
        for key, (number, row) in batch.items():
            old = stored.get(key)
            if old and old.is_same:
                self.counts["unchanged"] += 1
                continue
            row["id"] = self._id(model, row, old)
            try:
                self._refuse_written(model, row, old)
                _refuse_twin(slugs, row)
                if model is Page:
                    texts.append(pages.searched_text(row))
            except (ImportRefused, TextRefused) as reason:
                self.refused.append((number, str(reason)))
                continue
            if old:
                row["version"] = max(row["version"], old.next_version)
                slugs.pop(old.slug, None)
            slugs[row.get("slug", "")] = row["id"]
            if self._known is not None:
                self._known[model._meta.table_name][row["id"]] = row["version"]
            rows.append(row)
            self.counts["changed" if old else "created"] += 1
        self._bulk.expect(len(batch), len(rows))
        _write(self._store.database, model, rows)
        _write(self._store.database, PageText, texts)

    def _refuse_written(self, model: type[Table], row: Row, old: _Stored | None) -> None:
        """Raise `ImportRefused` where a row is not, or no longer, what it was at the beginning."""
        name, found = model._meta.table_name, old.version if old else None
        if self._known is not None and self._known[name].get(row["id"]) != found:
            raise ImportRefused(WRITTEN.format(name, row["id"]))

    def _names(self, model: type[Table]) -> tuple[str, ...]:
        return ("id",) if self._by == "id" else model.traits.exported_by

    def _key(self, model: type[Table], row: Mapping[str, Any]) -> object:
        return tuple(row[name] for name in self._names(model))

    def _find(
        self, model: type[Table], batch: Mapping[object, tuple[int, Row]]
    ) -> Iterator[tuple[object, _Stored]]:
        """Yield the keys of the rows that are there, one row after the other: they may be large."""
        columns = [field.name for field in model._meta.sorted_fields]
        names = self._names(model)
        if len(names) == 1:
            keys = json.dumps([row[names[0]] for _, row in batch.values()])
            asked: list[Row] = [{"keys": keys}]
        else:
            asked = [row for _, row in batch.values()]
        for values in asked:
            for record in _by_columns(model, names).run(self._store, values):
                old = dict(zip(columns, record, strict=True))
                key = self._key(model, old)
                _, row = batch[key]
                same = _is_same(old, {**row, "id": old["id"], "version": old["version"]})
                yield (
                    key,
                    _Stored(
                        old["id"], old.get("slug", ""), old["version"], next_version(old), same
                    ),
                )

    def _id(self, model: type[Table], row: Row, old: _Stored | None) -> int:
        if old or self._by == "id":
            return old.id if old else row["id"]
        if not self._ids:
            given, highest = self._store.database.last_ids(), highest_ids(self._store.database)
            self._ids = {name: max(given[name], highest[name]) for name in given}
        name = model._meta.table_name
        self._ids[name] += 1
        return self._ids[name]


def _prepared(model: type[Table], row: Row, by: str) -> Row:
    """Return all columns of a row; `ImportRefused` or `TextRefused` where there can be none."""
    if model is Page:
        if by == "slug" and not row["slug"]:
            raise ImportRefused("a page without a slug cannot be found by it")
        key = {"title_key": fold(row["title_raw"], "title_raw")}
        row = {**row, **key, **meta_columns(row["meta"])}
    return to_columns(row)


@lru_cache
def _by_columns(model: type[Table], names: tuple[str, ...]) -> Prepared:
    """Return the query of the rows with one of `keys`, or of the one that has all these values."""
    fields = [getattr(model, name) for name in names]
    query = model.select(*model._meta.sorted_fields)
    if len(fields) > 1:
        found = query.where(*(field == Parameter(field.name) for field in fields))
        return Prepared(found.order_by(model._meta.primary_key).limit(1))
    if (model, names) == (Page, ("slug",)):
        query = query.where(HAS_SLUG)
    return Prepared(query.where(expressions.in_list(fields[0], Parameter("keys"))))


def _slugs(store: Store, batch: Mapping[object, tuple[int, Row]]) -> dict[str, int]:
    """Return whose the slugs are that pages of a batch want, where they are somebody's."""
    wanted = json.dumps([row["slug"] for _, row in batch.values() if row["slug"]])
    return {slug: owner for owner, slug in TAKEN.run(store, {"slugs": wanted}).fetchall()}


def _refuse_twin(slugs: Mapping[str, int], row: Row) -> None:
    slug = row.get("slug")
    if slug and slugs.get(slug, row["id"]) != row["id"]:
        raise ImportRefused(f"the slug {slug} is that of page {slugs[slug]}")


def _is_same(old: Row, new: Row) -> bool:
    return all(
        old[name] == value or (name == "meta" and _parsed(old[name]) == _parsed(value))
        for name, value in new.items()
    )


def _parsed(meta: str) -> object:
    """Return what JSON text says; what is none says itself."""
    try:
        return json.loads(meta)
    except (ValueError, TypeError, RecursionError):
        return meta


def _write(db: EngineDatabase, model: type[Table], rows: list[Row]) -> None:
    """Write rows one after the other, over those with the same ids."""
    if rows:
        names = [field.name for field in model._meta.sorted_fields]
        values = [row[name] for row in rows for name in names]
        db.execute_sql(_upsert(model, len(rows), db.param), values)


@lru_cache(8)
def _upsert(model: type[Table], rows: int, param: str) -> str:
    # Peewee takes longer to make such a statement than the database to execute it.
    names = [field.name for field in model._meta.sorted_fields]
    row = f"({', '.join([param] * len(names))})"
    changes = ", ".join(f"{name} = excluded.{name}" for name in names if name != "id")
    return UPSERT.format(
        table=model._meta.table_name, columns=", ".join(names),
        rows=", ".join([row] * rows), changes=changes,
    )  # fmt: skip
