"""One page as readers see it, and how long it stays so, in one query where no page is due."""

from collections.abc import Sequence
from functools import lru_cache

from landform.storage.errors import PageNotFound
from landform.storage.models import Page, StoreInfo
from landform.storage.pages import scheduling
from landform.storage.pages.naming import HAS_SLUG
from landform.storage.pages.scheduling import Validity
from landform.storage.rows import Row
from landform.storage.sql.numbers import MAX_INTEGER
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# What tells who may see a page, and which version it is at.
GUARDS = ("id", "status", "date_utc", "password", "version", "modified_utc")


def read_page(store: Store, key: int | str, columns: Sequence[str]) -> tuple[Row, Validity]:
    """Return a page by its id or its slug with the columns asked for, and until when it is so.

    `status` and `date_utc` have to be among the columns. Raises `PageNotFound`.
    """
    if isinstance(key, int) and key > MAX_INTEGER:
        raise PageNotFound
    rows = _by_key(tuple(columns), isinstance(key, str)).rows(store, {"key": key})
    if not rows:
        raise PageNotFound
    page = rows[0]
    generation, first = page.pop("generation"), page.pop("first_future")
    if not scheduling.is_due(first, store.clock.now().utc):
        return page, scheduling.validity(generation, first)
    until = scheduling.collection_state(store).until
    # Not what was stored just now, but the same: this page as it is published.
    return scheduling.as_shown(page, store.clock.now().utc), Validity(generation, until)


@lru_cache(256)
def _by_key(columns: tuple[str, ...], by_slug: bool) -> Prepared:
    wanted = [getattr(Page, name) for name in dict.fromkeys(columns)]
    generation = StoreInfo.select(StoreInfo.generation).alias("generation")
    first = scheduling.FIRST.alias("first_future")
    key = Parameter("key")
    found = [Page.slug == key, HAS_SLUG] if by_slug else [Page.id == key]
    return Prepared(Page.select(*wanted, generation, first).where(*found))
