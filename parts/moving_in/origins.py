"""What was imported from another site: what each row came from, and how far each import is.

An import from another site is repeated until the day of the switch. So it has to be known what
became of each page and feed: then what changed there can be told from what changed here.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from peewee import Tuple

from landform.parts.moving_in.models import ImportOrigin, ImportRun
from landform.storage.models import Feed, Page
from landform.storage.rows import Row, json_text
from landform.storage.store import Store

# The columns that are compared, with their defaults.
COMPARED = {
    resource: {name: model._meta.fields[name].default for name in model.content_columns()}
    for resource, model in (("page", Page), ("feed", Feed))
}
ADDRESS_COLUMNS = (Page.id, Page.slug, Page.status)
KEY = (ImportOrigin.source, ImportOrigin.resource, ImportOrigin.source_id)


class Origin(NamedTuple):
    """A row of `ImportOrigin`, without its source; `notes` as it is given to an import."""

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
    """One import from a site: its number, and how far it is."""

    source: str
    number: int
    state: dict[str, Any]


def digest(resource: str, row: Row, **replaced: object) -> str:
    """Return a text that is the same for rows that say the same; some columns may be replaced.

    A future page becomes a published one by itself, so that these two are the same.
    """
    defaults = COMPARED[resource]
    values = {name: row.get(name, default) for name, default in defaults.items()} | replaced
    if isinstance(values["meta"], str):
        values["meta"] = json.loads(values["meta"])
    if values.get("status") == "future":
        values["status"] = "publish"
    for name in ("date_floats", "is_active"):
        if name in values:
            values[name] = bool(values[name])
    # A column that is added later, with its default, changes no digest that is stored.
    values = {name: value for name, value in values.items() if value != defaults.get(name, ...)}
    try:
        data = orjson.dumps(values, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # An integer beyond 64 bits.
        data = json.dumps(values, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()


def begin(store: Store, source: str, options: str, *, keep: bool = True) -> Run:
    """Return the import to go on with, or a new one: where the last is complete, or had others.

    `options` is what the import depends on. Without `keep` it is not recorded.
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
    """Record how far an import is, in the transaction that is open."""
    row = {"source": run.source, "run": run.number, "state": json_text(run.state)}
    changed = [ImportRun.run, ImportRun.state]
    query = ImportRun.insert(row).on_conflict(conflict_target=[ImportRun.source], preserve=changed)
    query.execute(store.database)


def find(store: Store, source: str, resource: str, ids: Iterable[int]) -> dict[int, Origin]:
    """Return what is known of some ids of another site."""
    wanted = (ImportOrigin.resource == resource) & ImportOrigin.source_id.in_(list(ids))
    return {one.source_id: one for one in _all(store, source, wanted)}


def save(store: Store, source: str, origins: list[Origin]) -> None:
    """Record what became of some rows, in the transaction that is open."""
    rows = [{**one._asdict(), "source": source, "notes": json_text(one.notes)} for one in origins]
    if rows:
        changed = [ImportOrigin._meta.fields[name] for name in Origin._fields[2:]]
        query = ImportOrigin.insert_many(rows).on_conflict(conflict_target=KEY, preserve=changed)
        query.execute(store.database)


def forget(store: Store, source: str, origin: Origin) -> None:
    """Remove what is known of a row, in the transaction that is open."""
    key = (source, origin.resource, origin.source_id)
    ImportOrigin.delete().where(Tuple(*KEY) == key).execute(store.database)


def seen(store: Store, run: Run) -> Iterator[Origin]:
    """Yield what an import saw, by resource and id; inside `connection()`."""
    yield from _all(store, run.source, ImportOrigin.run == run.number)


def unseen(store: Store, run: Run, resource: str) -> Iterator[Origin]:
    """Yield what an earlier import brought and this one did not see."""
    condition = (ImportOrigin.run != run.number) & (ImportOrigin.target_id != 0)
    yield from _all(store, run.source, condition & (ImportOrigin.resource == resource))


def imported_pages(
    store: Store, source: str, statuses: Collection[str]
) -> Iterator[tuple[str, Row]]:
    """Yield the link that each page had there, and its id, slug and status; public ones first."""
    columns = (ImportOrigin.link, *ADDRESS_COLUMNS)
    pages = ImportOrigin.select(*columns).join(Page, on=(Page.id == ImportOrigin.target_id))
    pages = pages.where(
        ImportOrigin.source == source, ImportOrigin.resource == "page", Page.status.in_(statuses)
    )
    order = (Page.status != "publish", ImportOrigin.source_id)
    for row in pages.order_by(*order).dicts().execute(store.database):
        yield row.pop("link"), row


def linked_pages(store: Store, statuses: Collection[str]) -> Iterator[Row]:
    """Yield the id, slug and status of all pages with some statuses."""
    pages = Page.select(*ADDRESS_COLUMNS).where(Page.status.in_(statuses))
    yield from pages.dicts().execute(store.database)


def _all(store: Store, source: str, condition: Any) -> Iterator[Origin]:
    found = ImportOrigin.select().where(ImportOrigin.source == source, condition)
    # Pages come first.
    found = found.order_by(ImportOrigin.resource.desc(), ImportOrigin.source_id)
    for row in list(found.dicts().execute(store.database)):
        values = {**row, "notes": tuple(json.loads(row["notes"]))}
        yield Origin(**{name: values[name] for name in Origin._fields})
