"""Who has written pages, for clients that ask for authors."""

from collections.abc import Sequence

from landform.storage.models import PageCount
from landform.storage.store import Store


def list_authors(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the numbers of the authors of pages with one of the statuses, in order."""
    counted = PageCount.select(PageCount.value).where(
        PageCount.counted == "author", PageCount.status.in_(statuses), PageCount.pages > 0
    )
    with store.connection() as db:
        return sorted({int(author) for (author,) in counted.tuples().execute(db)})
