"""Store where each imported row came from, and the progress of each import.

Imports are repeated until the day of the switch. The origin of a row says what the last import
stored, so that changes made there and changes made here can be told apart.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import orjson
from peewee import BooleanField, Tuple, fn

from landform.parts.moving_in.models import ImportOrigin, ImportRun
from landform.storage.models import Page
from landform.storage.part import exported_tables
from landform.storage.rows import Row, json_text
from landform.storage.store import Store

ADDRESS_COLUMNS = (Page.id, Page.slug, Page.status)
# How many origins are read at a time.
BATCH = 500
KEY = (ImportOrigin.source, ImportOrigin.resource, ImportOrigin.source_id)


class Origin(NamedTuple):
    """A row of `ImportOrigin` without its source."""

    resource: str
    source_id: int
    target_id: int = 0
    digest: str = ""
    stored: str = ""
    slug: str = ""
    link: str = ""
    run: int = 0
    outcome: str = ""
    notes: tuple[Mapping[str, Any], ...] = ()


class Run(NamedTuple):
    """One import from a site: its number and its progress."""

    source: str
    number: int
    state: dict[str, Any]


@cache
def compared_columns(resource: str) -> Row:
    """Return the compared columns of a row, with their defaults."""
    model = exported_tables()[resource]
    fields = model._meta.fields
    return {
        name: fields[name].default if name in fields else None for name in model.content_columns()
    }


def digest(resource: str, row: Row, **replaced: object) -> str:
    """Return the digest of the compared columns, some of them `replaced`.

    A scheduled page counts as published, since it becomes so by itself.
    """
    defaults, model = compared_columns(resource), exported_tables()[resource]
    values = {name: row.get(name, default) for name, default in defaults.items()} | replaced
    for name in model.json_names():
        if isinstance(text := values[name], str):
            values[name] = json.loads(text)
    if values.get("status") == "future":
        values["status"] = "publish"
    for name in values:
        if isinstance(model._meta.fields.get(name), BooleanField):
            values[name] = bool(values[name])
    # A new column with its default changes no stored digest.
    values = {name: value for name, value in values.items() if value != defaults.get(name, ...)}
    try:
        data = orjson.dumps(values, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # An integer beyond 64 bits.
        data = json.dumps(values, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()


def begin(store: Store, source: str, options: str, *, keep: bool = True) -> Run:
    """Return the last import, if it is not complete and had the same options, or a new one.

    Without `keep` it is not recorded.
    """
    last = ImportRun.select().where(ImportRun.source == source).first(store.database)
    number, state = (last.run, json.loads(last.state)) if last else (0, {})
    if keep and state.get("options") == options and not state.get("complete"):
        return Run(source, number, state)
    run = Run(source, number + 1, {"options": options})
    if keep:
        with store.transaction():
            save_run(store, run)
    return run


def save_run(store: Store, run: Run) -> None:
    """Record the progress of an import, in the open transaction."""
    row = {"source": run.source, "run": run.number, "state": json_text(run.state)}
    changed = [ImportRun.run, ImportRun.state]
    query = ImportRun.insert(row).on_conflict(conflict_target=[ImportRun.source], preserve=changed)
    query.execute(store.database)


def find(store: Store, source: str, resource: str, ids: Iterable[int]) -> dict[int, Origin]:
    """Return the known origins of some ids of another site."""
    condition = ImportOrigin.source_id.in_(list(ids))
    return {origin.source_id: origin for origin in _select(store, source, resource, condition)}


def save(store: Store, source: str, origins: list[Origin]) -> None:
    """Record origins, in the open transaction."""
    rows = [
        {**origin._asdict(), "source": source, "notes": json_text(origin.notes)}
        for origin in origins
    ]
    if rows:
        changed = [ImportOrigin._meta.fields[name] for name in Origin._fields[2:]]
        query = ImportOrigin.insert_many(rows).on_conflict(conflict_target=KEY, preserve=changed)
        query.execute(store.database)


def forget(store: Store, source: str, origin: Origin) -> None:
    """Delete an origin, in the open transaction."""
    key = (source, origin.resource, origin.source_id)
    ImportOrigin.delete().where(Tuple(*KEY) == key).execute(store.database)


def highest_id(store: Store, source: str, resource: str) -> int:
    """Return the highest known id of the rows of another site, or 0."""
    query = ImportOrigin.select(fn.MAX(ImportOrigin.source_id)).where(
        ImportOrigin.source == source, ImportOrigin.resource == resource
    )
    return query.scalar(store.database) or 0


def of_run(store: Store, run: Run) -> Iterator[Origin]:
    """Yield the origins of all rows that an import has read; inside `connection()`."""
    for resource in exported_tables():
        yield from _select(store, run.source, resource, ImportOrigin.run == run.number)


def of_earlier_runs(store: Store, run: Run, resource: str) -> Iterator[Origin]:
    """Yield the origins of rows that earlier imports have stored and this one has not read."""
    condition = (ImportOrigin.run != run.number) & (ImportOrigin.target_id != 0)
    yield from _select(store, run.source, resource, condition)


def imported_pages(
    store: Store, source: str, statuses: Collection[str]
) -> Iterator[tuple[str, Row]]:
    """Yield the link of each page there, and its id, slug and status here; public ones first."""
    columns = (ImportOrigin.link, *ADDRESS_COLUMNS)
    query = ImportOrigin.select(*columns).join(Page, on=(Page.id == ImportOrigin.target_id))
    query = query.where(
        ImportOrigin.source == source, ImportOrigin.resource == "page", Page.status.in_(statuses)
    ).order_by(Page.status != "publish", ImportOrigin.source_id)
    for row in query.dicts().execute(store.database):
        yield row.pop("link"), row


def linked_pages(store: Store, statuses: Collection[str]) -> Iterator[Row]:
    """Yield the id, slug and status of all pages with some statuses."""
    pages = Page.select(*ADDRESS_COLUMNS).where(Page.status.in_(statuses))
    yield from pages.dicts().execute(store.database)


def _select(store: Store, source: str, resource: str, condition: Any) -> Iterator[Origin]:
    """Yield origins by id, of which some are read at a time; the caller may write in between."""
    chosen = (ImportOrigin.source == source) & (ImportOrigin.resource == resource) & condition
    query = ImportOrigin.select().where(chosen).order_by(ImportOrigin.source_id).limit(BATCH)
    last = 0
    while rows := list(query.where(ImportOrigin.source_id > last).dicts().execute(store.database)):
        last = rows[-1]["source_id"]
        for row in rows:
            del row["source"]
            yield Origin(**{**row, "notes": tuple(json.loads(row["notes"]))})
