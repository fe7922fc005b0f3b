"""Store where each imported row came from, and the progress of each import.

Imports are repeated until the day of the switch. The origin of a row says what the last import
stored, so that changes made there and changes made here can be told apart.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import orjson
from peewee import BooleanField, fn

from landform.parts.moving_in.models import ImportOrigin, ImportRun
from landform.service.pipeline.call import LINKED, Urls
from landform.storage.models import Page, Table, exported_tables
from landform.storage.rows import Row, json_text
from landform.storage.store import Store

# How many origins are read at a time.
BATCH = 500
# Other links may be formulas of a spreadsheet, or scripts.
HTTP_URL = re.compile(r"https?://[^\x00-\x20\x7f-\x9f]+")
# The resource of notifications of forms. They are feeds here, which no site has.
NOTIFICATION = "notification"
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

    @property
    def shown_id(self) -> int:
        """The id in a report: that of the site, or of the feed of a notification."""
        return self.target_id if self.resource == NOTIFICATION else self.source_id


class Run(NamedTuple):
    """One import from a site: its number and its progress."""

    source: str
    number: int
    state: dict[str, Any]


def table_of(resource: str) -> type[Table]:
    """Return the table that has the rows of a resource here."""
    return exported_tables()["feed" if resource == NOTIFICATION else resource]


def digest(resource: str, row: Row, **replaced: object) -> str:
    """Return the digest of the compared columns, some of them `replaced`.

    A scheduled page counts as published, since it becomes so by itself.
    """
    model, values = table_of(resource), dict[str, object]()
    json_names, fields = model.json_names(), model._meta.fields
    for name in model.content_columns():
        field = fields.get(name)
        default = field.default if field else None
        value = replaced.get(name, row.get(name, default))
        if name in json_names and isinstance(value, str):
            value = json.loads(value)
        if isinstance(field, BooleanField):
            value = bool(value)
        if name == "status" and value == "future":
            value = "publish"
        # A new column with its default changes no stored digest.
        if value not in (default, []):
            values[name] = value
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
            save(store, run)
    return run


def save(store: Store, run: Run, origins: Iterable[Origin] = ()) -> None:
    """Record the progress of an import, and some origins, in the open transaction."""
    row = {"source": run.source, "run": run.number, "state": json_text(run.state)}
    query = ImportRun.insert(row).on_conflict(
        conflict_target=[ImportRun.source], preserve=[ImportRun.run, ImportRun.state]
    )
    query.execute(store.database)
    columns = {"source": run.source}
    rows = [origin._asdict() | columns | {"notes": json_text(origin.notes)} for origin in origins]
    if rows:
        changed = [ImportOrigin._meta.fields[name] for name in Origin._fields[2:]]
        query = ImportOrigin.insert_many(rows).on_conflict(conflict_target=KEY, preserve=changed)
        query.execute(store.database)


def find(store: Store, source: str, resource: str, ids: Iterable[int]) -> dict[int, Origin]:
    """Return the known origins of some ids of another site."""
    condition = ImportOrigin.source_id.in_(list(ids))
    return {origin.source_id: origin for origin in _select(store, source, resource, condition)}


def highest_id(store: Store, source: str, resource: str) -> int:
    """Return the highest known id of the rows of another site, or 0."""
    query = ImportOrigin.select(fn.MAX(ImportOrigin.source_id)).where(
        ImportOrigin.source == source, ImportOrigin.resource == resource
    )
    return query.scalar(store.database) or 0


def of_run(store: Store, run: Run, *resources: str) -> Iterator[Origin]:
    """Yield the origins of all rows of some or all resources that an import has read."""
    for resource in resources or (*exported_tables(), NOTIFICATION):
        yield from _select(store, run.source, resource, ImportOrigin.run == run.number)


def of_earlier_runs(store: Store, run: Run, resource: str) -> Iterator[Origin]:
    """Yield the origins of rows that earlier imports have stored and this one has not read."""
    condition = (ImportOrigin.run != run.number) & (ImportOrigin.target_id != 0)
    yield from _select(store, run.source, resource, condition)


def _select(store: Store, source: str, resource: str, condition: Any) -> Iterator[Origin]:
    """Yield origins by id, of which some are read at a time; the caller may write in between."""
    chosen = (ImportOrigin.source == source) & (ImportOrigin.resource == resource) & condition
    columns, number = [getattr(ImportOrigin, name) for name in Origin._fields], 0
    query = ImportOrigin.select(*columns).where(chosen).order_by(ImportOrigin.source_id)
    following = query.limit(BATCH).tuples()
    while rows := list(following.where(ImportOrigin.source_id > number).execute(store.database)):
        for row in map(Origin._make, rows):
            number = row.source_id
            yield row._replace(notes=tuple(json.loads(str(row.notes))))


def redirects(store: Store, source: str, urls: Urls) -> Iterator[tuple[str, str]]:
    """Yield the old and the new link of each imported public page with another address.

    The site's domain leads here after the switch. So no old link is the home page, the address of a
    page here, or there twice: a redirect from it would be a loop, or hide a page.
    """
    host = f"https://{source.partition('/')[0]}"
    is_linked, columns = Page.status.in_(LINKED), (Page.id, Page.slug, Page.status)
    linked = Page.select(*columns).where(is_linked).dicts()
    is_of_site = (ImportOrigin.source == source) & (ImportOrigin.resource == "page")
    imported = ImportOrigin.select(ImportOrigin.link, *columns).where(is_of_site, is_linked).dicts()
    imported = imported.join(Page, on=(Page.id == ImportOrigin.target_id))
    # Public pages come first.
    imported = imported.order_by(Page.status != "publish", ImportOrigin.source_id)
    used = {url_key(f"https://{source}", host), url_key("/", host)}
    used.update(url_key(urls.page_link(row), host) for row in linked.execute(store.database))
    for row in imported.execute(store.database):
        link, new = row["link"], urls.page_link(row)
        # landform finds pages by their ids too.
        by_id = url_key(f"{urls.public}/?page_id={row['id']}", host)
        old = url_key(link, host) if HTTP_URL.fullmatch(link) else by_id
        if old not in used and old != by_id:
            used.add(old)
            yield link, new


def url_key(url: str, host: str) -> str:
    """Return the same text for all spellings of a URL; `host` is that of a path."""
    try:
        parts = urlsplit(urljoin(host, url))
    except ValueError:
        return url
    place = parts.netloc.lower().removeprefix("www.") + unquote(parts.path).rstrip("/")
    return f"{place}?{parts.query}" if parts.query else place
