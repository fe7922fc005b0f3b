"""Reads every feed of Gravity Forms: active ones from their list, inactive ones by their ids.

Its lists show active feeds only, and nothing says which other ids there are. So each id between
those that are known is asked for, and some beyond.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from itertools import count
from typing import Any

from landform.standalone.wordpress.client import NoAnswer
from landform.standalone.wordpress.convert import far_id
from landform.standalone.wordpress.site import Answer, Site, is_number

Feed = dict[str, Any]
ROUTE = "/gf/v2/feeds"
BATCH = 100


class FeedReader:
    """Reads the feeds of a site.

    `highest`: the highest id of a feed that is known. `probe`: how many ids beyond the last one are
    asked for.
    """

    def __init__(self, site: Site, highest: int, probe: int) -> None:
        self._site, self._probe = site, probe
        # The highest id that is asked for, and how many were asked for and found.
        self.total, self.asked, self.found = highest + probe, 0, 0

    def read(self) -> Iterator[list[Feed]]:
        """Yield the feeds, some at a time."""
        body = self._site.get(ROUTE, self._site.client.largest).body
        # Where there is none, it is an object of errors.
        rows = body if isinstance(body, list) else []
        listed = [row for row in rows if isinstance(row, dict) and is_number(row.get("id"))]
        yield from (listed[at : at + BATCH] for at in range(0, len(listed), BATCH))
        yield from self._unlisted({int(row["id"]) for row in listed})

    def _unlisted(self, listed: set[int]) -> Iterator[list[Feed]]:
        """Yield the feeds that no list shows."""
        near = (number for number in listed if not far_id(number))
        self.total = max(self.total, max(near, default=0) + self._probe)
        batch, last = list[Feed](), 0

        def next_id() -> int | None:
            nonlocal last
            following = next(one for one in count(last + 1) if one not in listed)
            last = following if following <= self.total else last
            return following if following == last else None

        def ask(feed_id: int) -> Answer:
            return self._site.get(f"{ROUTE}/{feed_id}")

        for number, future in self._site.ahead(next_id, ask):
            self.asked += 1
            if feed := _feed(future):
                self.found += 1
                self.total = max(self.total, number + self._probe)
                batch.append(feed)
            if self.asked % BATCH == 0:
                yield batch
                batch = []
        yield batch


def _feed(future: "Future[Answer]") -> Feed | None:
    try:
        body = future.result().body
    except NoAnswer as refused:
        if refused.status == 404:
            return None
        raise
    return body if isinstance(body, dict) and is_number(body.get("id")) else None
