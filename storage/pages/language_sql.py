"""The filter by language: a condition on each page, or the index that pages are found by.

`page_language` has the status and the date of each page too. Where its index leads, a list in the
order of the dates and its total need no row of a page but those that are shown.
"""

from operator import eq
from typing import Any

from peewee import SQL, ColumnBase, fn

from landform.storage.engines import expressions
from landform.storage.models import Page, PageLanguage
from landform.storage.sql.prepared import Parameter

FILTERS: dict[str, expressions.Comparison] = {
    "one_language": eq,
    "language": expressions.in_list,
}
# The columns of a page that a row of `page_language` has too.
OWN: dict[str, Any] = {
    "id": PageLanguage.page_id,
    "status": PageLanguage.status,
    "date": PageLanguage.date,
}
# The filters that need no more of a page than these columns.
COVERED = {*FILTERS, "after", "before", "exclude"}


def own_column(column: ColumnBase) -> ColumnBase:
    """Return the column of `page_language` that is the same as one of a page, if there is one."""
    own: ColumnBase = OWN.get(getattr(column, "name", ""), column)
    return own


def condition(name: str, leads: bool) -> ColumnBase:
    """Return the condition of a filter by language: for the index that leads, or for a page."""
    wanted: Any = FILTERS[name](PageLanguage.language, Parameter(name))
    if leads:
        return wanted  # type: ignore[no-any-return]
    listed = PageLanguage.select(SQL("1")).where(PageLanguage.page_id == Page.id, wanted)
    return fn.EXISTS(listed)
