"""Which forms pages name, for clients that ask for forms."""

from collections.abc import Sequence

from landform.storage.models import PageCount
from landform.storage.sql.numbers import MAX_INTEGER
from landform.storage.store import Store

NAMED = (PageCount.counted == "form") & (PageCount.pages > 0)


def list_forms(store: Store, statuses: Sequence[str]) -> list[int]:
    """Return the forms that pages with one of the statuses name by a number, in order.

    0, which stands for no form or for all of them, is none.
    """
    values = PageCount.select(PageCount.value).where(NAMED, PageCount.status.in_(statuses))
    with store.connection() as db:
        named = {value for (value,) in values.distinct().tuples().execute(db)}
    forms = {int(value) for value in named if value.isascii() and value.isdigit()}
    return sorted(form for form in forms if 0 < form <= MAX_INTEGER)


def names_form(store: Store, form: int, statuses: Sequence[str]) -> bool:
    """Return whether a page with one of the statuses names a form."""
    if not 0 < form <= MAX_INTEGER:
        return False
    found = PageCount.select().where(
        NAMED, PageCount.status.in_(statuses), PageCount.value == str(form)
    )
    with store.connection() as db:
        return bool(found.count(db))
