"""Which pages of a file an import wants: what a live site is asked for by parameters."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]


def selected(pages: Iterable[Row], statuses: Collection[str], since: str) -> Iterator[Row]:
    """Yield the pages with some statuses, if any are given, that were modified after a moment.

    As WordPress does it, `since` is compared with the local date, or with UTC if it has a zone.
    """
    wanted = {word for text in statuses for word in text.replace(",", " ").split()}
    column, moment = _bound(since)
    for page in pages:
        is_wanted = not wanted or "any" in wanted or page["status"] in wanted
        if is_wanted and (not since or page[column] > moment):
            yield page


def _bound(since: str) -> tuple[str, str]:
    """Return the column that has to be greater than a text, and that text."""
    if not since:
        return "", ""
    after = datetime.fromisoformat(since)
    column = "modified"
    if after.tzinfo:
        column, after = "modified_gmt", after.astimezone(UTC).replace(tzinfo=None)
    return column, after.isoformat(" ", "seconds")
