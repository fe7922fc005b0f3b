"""Every row of a site by id, as an import would store it: what a comparison needs."""

from collections.abc import Iterator

from landform.standalone.wordpress.convert import Converter
from landform.standalone.wordpress.feed_reader import FeedReader
from landform.standalone.wordpress.page_reader import FIELDS, registered_statuses
from landform.standalone.wordpress.site import Site
from landform.standalone.wordpress.walking import Position, Walk
from landform.storage.maintenance.merging import Incoming
from landform.storage.rows import Row


def list_rows(
    site: Site, converter: Converter, resources: frozenset[str], requests: int, probe: int
) -> Iterator[Row]:
    """Yield pages, then feeds, each by id. `unheld` in a row says why landform has no place for it.

    `unknown` has the keys of the meta that the site does not show. Raises `NoAnswer`.
    """
    if "page" in resources:
        statuses = [*registered_statuses(site), "any"]
        for rows in Walk(site, requests, Position(), FIELDS, status=statuses):
            yield from (_row(converter.page(one)) for one in rows)
    if "feed" in resources and site.has_forms:
        reader = FeedReader(site, {}, seen=(), known=(), requests=requests, probe=probe)
        feeds = [one for batch in reader.read() for one in batch]
        for one in sorted(feeds, key=lambda feed: int(feed["id"])):
            yield _row(converter.feed(one))


def _row(one: Incoming) -> Row:
    row: Row = {"resource": one.resource, "id": one.source_id, "unknown": one.unknown}
    if one.row is None:
        return {**row, "unheld": "; ".join(str(told.get("text", "")) for told in one.notes)}
    return {**row, **one.row}
