"""The order of a form's feeds, which is that of their processing, set as one act."""

from collections.abc import Sequence

from landform.storage import feeds
from landform.storage.errors import OrderIncomplete
from landform.storage.rows import Row
from landform.storage.sql import versions
from landform.storage.sql.versions import Versions
from landform.storage.store import Store, transactional

# How many ids a refusal names at most, of each kind.
MOST_NAMED = 100


@transactional
def set_order(
    store: Store,
    form_id: int,
    ids: Sequence[int],
    *,
    partial: bool,
    expected: Versions,
    columns: Sequence[str],
) -> tuple[list[Row], int]:
    """Give the feeds of a form the orders 1, 2, 3 ...; return them, and the version of all feeds.

    With `partial`, feeds that are not among the ids follow after the others, in the order that they
    have now. Raises `OrderIncomplete` where an id is of no feed of the form, or one is missing, and
    `VersionConflict` where the feeds are at none of the versions expected.
    """
    versions.check_list_version(store, "feed", expected)
    found = feeds.list_feeds(store, {"form_id": [form_id]}, ("id", "feed_order"))
    places = {feed["id"]: feed["feed_order"] for feed in found}
    given = set(ids)
    missing = [number for number in places if number not in given]
    unknown = [number for number in ids if number not in places]
    if unknown or (missing and not partial):
        raise OrderIncomplete({"missing": missing[:MOST_NAMED], "unknown": unknown[:MOST_NAMED]})
    for place, number in enumerate((*ids, *missing), 1):
        if places[number] != place:
            feeds.update(store, number, {"feed_order": place})
    version, _ = versions.current_version(store, "feed")
    return feeds.list_feeds(store, {"form_id": [form_id]}, columns), version
