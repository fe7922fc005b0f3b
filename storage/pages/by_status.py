"""How many pages there are of each status, for metrics."""

from collections import Counter

from landform.storage.models import PageCount
from landform.storage.pages import scheduling
from landform.storage.store import Store


def count_by_status(store: Store) -> Counter[str]:
    """Return the number of pages by status; one whose date has come counts as published."""
    counted = PageCount.select(PageCount.status, PageCount.pages).where(
        PageCount.counted == "status"
    )
    with store.connection() as db:
        counts = Counter(dict(counted.tuples().execute(db)))
        _, due = scheduling.waiting(store)
    if due:
        counts.update({"publish": due, "future": -due})
    return counts
