"""The pages that everybody sees, a part at a time: for search engines, who ask for all of them."""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from landform.storage.pages import listing, scheduling, windows
from landform.storage.pages.scheduling import CollectionState
from landform.storage.rows import Row
from landform.storage.store import Store

COLUMNS = ("id", "slug", "status", "modified_utc", "password", *windows.COLUMNS)
QUERY = {"orderby": "id", "order": "asc", "status": ["publish"]}


class Part(NamedTuple):
    """The pages of a part, and how many parts there are."""

    rows: list[Row]
    parts: int


def read_part(
    store: Store, number: int, most: int, is_held: Callable[[CollectionState], bool]
) -> Part | None:
    """Return the pages of a part that everybody sees now, of at most so many published ones.

    None where the caller holds it already, which `is_held` tells from the state of all pages.
    A part may have fewer: those behind a password or outside of their window are not counted
    first, which would mean to look at all pages.
    """
    at = windows.instant(store.clock, store.clock.now().utc)
    state = scheduling.collection_state(store).with_turns(windows.turns(store, at))
    if is_held(state):
        return None
    query = {**QUERY, "page": number, "per_page": most}
    # In a transaction it is no search, which would have a time limit.
    with store.database.snapshot():
        rows, total = listing.list_pages(store, query, COLUMNS, state.due)
    seen = [
        row for row in rows if not row["password"] and windows.state(row, at) == windows.OPEN
    ]  # fmt: skip
    return Part(seen, ceil(total / most))
