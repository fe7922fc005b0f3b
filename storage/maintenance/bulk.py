"""Writing many pages at once: what follows from all of them is made again at the end.

To make an index or a count of all pages takes far less time than to keep it up to date with each.
"""

from peewee import fn

from landform.storage.engines.database import Schema
from landform.storage.maintenance import repair, schema
from landform.storage.models import Page, PageCount, ResourceVersion
from landform.storage.sql.prepared import Prepared
from landform.storage.store import Store

# It pays from so many pages on, and where there are not so many times as many already.
LEAST, TIMES = 2_000, 2
PAGES = Prepared(PageCount.select(fn.SUM(PageCount.pages)))


class BulkWrite:
    """The end of a transaction that writes pages. `rows`: how many it will look at, if known.

    On a server nothing is dropped, since its readers would have to wait.
    """

    def __init__(self, store: Store, rows: int) -> None:
        self._store, self._rows = store, rows
        self._seen = self._written = 0
        self._dropped: Schema = {}

    def expect(self, seen: int, written: int) -> None:
        """Say how many more rows were looked at, and how many of them will be written now."""
        self._seen += seen
        self._written += written
        expected = self._written * self._rows // self._seen
        if self._dropped or expected < LEAST or self._store.database.on_server:
            return
        if expected * TIMES >= (PAGES.row(self._store)[0] or 0):
            self._dropped = schema.drop_derived(self._store.database)

    def finish(self) -> None:
        """Make what was dropped, from the rows as they are now."""
        db = self._store.database
        if not self._dropped:
            return
        for sql in self._dropped.values():
            db.execute_sql(sql)
        self._store.engine.rebuild_search_index(db)
        repair.count_pages(db)
        ResourceVersion.update(version=ResourceVersion.version + 1).where(
            ResourceVersion.name == Page._meta.table_name
        ).execute(db)
