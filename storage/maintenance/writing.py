"""Rows of another store, written as they are: with their ids, versions and dates."""

import json
from collections.abc import Mapping
from functools import lru_cache

from landform.storage import pages
from landform.storage.errors import ImportRefused
from landform.storage.models import Page, Table
from landform.storage.pages.meta_keys import meta_columns
from landform.storage.pages.scheduling import next_version
from landform.storage.pages.slugs import HAS_SLUG
from landform.storage.rows import Row, to_columns
from landform.storage.search_text import fold
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# The versions of rows by their ids, for each table.
Known = Mapping[str, dict[int, int]]


class RowWriter:
    """Writes rows in the transaction that is open, where they are not there already.

    `by`: `id`, or `slug` for rows that are found by what identifies them otherwise
    (`Traits.exported_by`), and then get ids of their own. `known`: what was there when the import
    began (see `transfer.known_rows`); what was written since is not replaced.
    """

    def __init__(self, store: Store, by: str = "id", known: Known | None = None) -> None:
        self._store, self._by, self._known = store, by, known

    def write(self, model: type[Table], row: Row) -> tuple[str, int]:
        """Return what became of a row, `created`, `changed` or `unchanged`, and its id.

        Without an id it gets a new one. Raises `ImportRefused` or `TextRefused`.
        """
        row, name = self._complete(model, row), model._meta.table_name
        old = self._find(model, row)
        if self._by == "slug":
            row["id"] = old["id"] if old else None
        if old and _is_same(old, row):
            return "unchanged", old["id"]
        self._refuse_written(name, row, old)
        self._refuse_twin(row)
        text = pages.searched_text(row) if model is Page else None
        if old:
            row["version"] = max(row["version"], next_version(old))
            _update(model).run(self._store, row)
        else:
            row["id"] = _insert(model, bool(row["id"])).row(self._store, row)[0]
        if text:
            written = pages.REPLACE_TEXT if old else pages.INSERT_TEXT
            written.run(self._store, {**text, "id": row["id"]})
        if self._known is not None:
            self._known[name][row["id"]] = row["version"]
        return "changed" if old else "created", row["id"]

    def _complete(self, model: type[Table], row: Row) -> Row:
        """Return all columns of a row."""
        if model is Page:
            if self._by == "slug" and not row["slug"]:
                raise ImportRefused("a page without a slug cannot be found by it")
            key = fold(row["title_raw"], "title_raw")
            row = {**row, "title_key": key, **meta_columns(row["meta"])}
        return {**to_columns(row)}

    def _find(self, model: type[Table], row: Row) -> Row | None:
        names = ("id",) if self._by == "id" else model.traits.exported_by
        found = _by_columns(model, names).rows(self._store, row)
        return found[0] if found else None

    def _refuse_written(self, name: str, row: Row, old: Row | None) -> None:
        """Raise `ImportRefused` where a row is not, or no longer, what it was at the beginning."""
        version = old["version"] if old else None
        if self._known and row["id"] and self._known[name].get(row["id"]) != version:
            raise ImportRefused(f"{name} {row['id']} was written here while the import ran")

    def _refuse_twin(self, row: Row) -> None:
        """Raise `ImportRefused` where the slug of a page is that of another one."""
        found = _by_columns(Page, ("slug",)).rows(self._store, row) if row.get("slug") else []
        for owner in found:
            if owner["id"] != row["id"]:
                raise ImportRefused(f"the slug {row['slug']} is that of page {owner['id']}")


@lru_cache
def _by_columns(model: type[Table], names: tuple[str, ...]) -> Prepared:
    fields = [model._meta.fields[name] for name in names]
    same = [field == Parameter(field.name) for field in fields]
    if (model, names) == (Page, ("slug",)):
        same.append(HAS_SLUG)
    return Prepared(model.select().where(*same).order_by(model._meta.primary_key).limit(1))


@lru_cache
def _insert(model: type[Table], has_id: bool) -> Prepared:
    names = [name for name in model._meta.fields if has_id or name != "id"]
    query = model.insert({name: Parameter(name) for name in names})
    return Prepared(query.returning(model._meta.primary_key))


@lru_cache
def _update(model: type[Table]) -> Prepared:
    changes = {name: Parameter(name) for name in model._meta.fields if name != "id"}
    return Prepared(model.update(changes).where(model._meta.primary_key == Parameter("id")))


def _is_same(old: Row, new: Row) -> bool:
    """Return whether a row says what the stored one says, apart from its version."""
    names = new.keys() - {"version", "meta"}
    return all(old[name] == new[name] for name in names) and (
        old["meta"] == new["meta"] or _parsed(old["meta"]) == _parsed(new["meta"])
    )


def _parsed(meta: str) -> object:
    """Return what JSON text says; damaged text stands for itself."""
    try:
        return json.loads(meta)
    except (ValueError, TypeError, RecursionError):
        return meta
