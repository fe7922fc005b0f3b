"""Pages that come due: published for every reader at their date, and stored as soon as possible.

A page is due when its stored status is `future` and its date has come. Readers do not wait until
that is stored: they see a due page as it will be stored, as published and with the next version.
"""

from contextlib import suppress
from math import inf
from time import monotonic, time
from typing import NamedTuple

from peewee import SQL, fn

from landform.storage import events
from landform.storage.clock import epoch
from landform.storage.errors import StorageError
from landform.storage.models import Page, ResourceVersion, StoreInfo
from landform.storage.rows import Row
from landform.storage.sql import Parameter, Prepared
from landform.storage.store import Store

# For so long after a failed attempt to store them readers make no other.
RETRY_SECONDS = 1.0
# A request stores no more pages than this, so that it takes little time; the next one goes on.
MOST_AT_ONCE = 50

# The status as a literal, so that the partial index of these pages is used.
FUTURE = Page.status == SQL("'future'")
FIRST = Page.select(fn.MIN(Page.date_utc)).where(FUTURE)
IS_DUE = Page.date_utc <= Parameter("due")
# The last date that has come, and the first that has not.
STATE = Prepared(
    ResourceVersion.select(
        ResourceVersion.version,
        StoreInfo.select(StoreInfo.generation),
        Page.select(fn.MAX(Page.date_utc)).where(FUTURE, IS_DUE),
        Page.select(fn.MIN(Page.date_utc)).where(FUTURE, Page.date_utc > Parameter("due")),
    ).where(ResourceVersion.name == SQL("'page'"))
)
SOONEST = Page.select(Page.id).where(FUTURE, IS_DUE).order_by(Page.date_utc).limit(MOST_AT_ONCE)
PUBLISH = Prepared(
    Page.update(status="publish", version=Page.version + 1)
    .where(Page.id.in_(SOONEST))
    .returning(Page.id, Page.version, Page.slug, Page.date_utc)
)


class CollectionState(NamedTuple):
    """The state of all pages together: at the same version, generation and `due` they are the same.

    `version` is the stored one in a `generation` of the store (see `identity`); up to the date
    `due` (UTC text) pages are due, none where it is empty. It stays so `until` a time (seconds
    since 1970) unless somebody writes. `turned`: the last bounds of windows that have passed, for
    lists that depend on those.
    """

    version: int
    generation: str
    until: float
    due: str
    turned: str = ""

    @property
    def moments(self) -> list[str]:
        """The texts that tell apart states at one version, as time passes and nobody writes."""
        return [text for text in (self.due, self.turned) if text]


class Validity(NamedTuple):
    """The generation of the store, and until when a page is shown so unless somebody writes."""

    generation: str
    until: float


def is_due(first: str | None, now: str) -> bool:
    """Return whether the date of the first future page has come; both are UTC text."""
    return first is not None and first <= now


def seconds(utc: str | None) -> float:
    """Return UTC text in seconds since 1970; infinite where there is none."""
    return epoch(utc) if utc else inf


def collection_state(store: Store) -> CollectionState:
    """Return the state of all pages together, now.

    Where pages are due it tries to store that first, without waiting for other writers; what cannot
    be stored is left to the next reader or writer.
    """
    now = {"due": store.clock.now().utc}
    version, generation, due, following = STATE.row(store, now)
    if due:
        _try_to_publish(store, now["due"])
        version, generation, due, following = STATE.row(store, now)
    # A response cached for longer would prevent the next attempt.
    until = min(seconds(following), time() + RETRY_SECONDS if due else inf)
    return CollectionState(int(version), generation, until, due or "")


def publish_due(store: Store, now: str) -> None:
    """Store what is due (up to `MOST_AT_ONCE`) as published; `now` is UTC text.

    In the transaction of a write, which must not rely on it for the page that it writes.
    """
    due = sorted(PUBLISH.run(store, {"due": now}).fetchall(), key=lambda row: row[-1])
    for page_id, version, slug, date in due:
        page = {"id": page_id, "version": version, "slug": slug, "status": "publish"}
        data = {"resource": "page", **page, "changed": ["status"]}
        events.write(store, ["page.published"], data, date)


def as_shown(row: Row, due: str) -> Row:
    """Return a row as it will be stored once due. It needs `status` and `date_utc`."""
    if row["status"] != "future" or row["date_utc"] > due:
        return row
    version = {"version": row["version"] + 1} if "version" in row else {}
    return {**row, "status": "publish", **version}


def next_version(row: Row) -> int:
    """Return the version of a row that is written over this one.

    The next one of a future page is reserved for the page as published: where a clock is set back,
    or another machine's is behind, that may have been shown already.
    """
    return int(row["version"]) + (2 if row.get("status") == "future" else 1)


def _try_to_publish(store: Store, now: str) -> None:
    """Store what is due, unless that has just failed or another write is running."""
    if monotonic() < store.publish_again:
        return
    # Other readers need not try at the same time.
    store.publish_again = monotonic() + RETRY_SECONDS
    with suppress(StorageError), store.connection():
        store.try_write(lambda: publish_due(store, now))
        store.publish_again = 0.0
