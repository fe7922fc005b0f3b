"""How many pages there are of each status, and which authors and forms they name."""

from collections import Counter
from collections.abc import Sequence

from landform.storage.models import Page, PageCount
from landform.storage.pages import scheduling
from landform.storage.rows import MAX_INTEGER
from landform.storage.store import Store


def count_by_status(store: Store) -> Counter[str]:
    """Return the number of pages by status; one whose date has come counts as published."""
    with store.connection() as db:
        counted = PageCount.select(PageCount.status, PageCount.pages).tuples()
        counts = Counter(dict(counted.execute(db)))
        due = scheduling.count_due(store)
    if due:
        counts.update({"publish": due, "future": -due})
    return counts


def list_authors(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the numbers of the authors of pages with one of the statuses, in order."""
    found = Page.select(Page.author).where(Page.status.in_(statuses)).distinct()
    with store.connection() as db:
        return sorted(author for (author,) in found.tuples().execute(db))


def list_forms(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the forms that pages with one of the statuses name by a number, in order.

    0 stands for no form or for all of them, and is left out.
    """
    found = Page.select(Page.form).where(Page.status.in_(statuses)).distinct()
    with store.connection() as db:
        named = [form for (form,) in found.tuples().execute(db)]
    forms = [int(form) for form in named if form.isascii() and form.isdigit()]
    return sorted(form for form in forms if 0 < form <= MAX_INTEGER)
