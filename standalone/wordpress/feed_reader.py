"""Reads every feed of Gravity Forms: active ones from their list, inactive ones by their ids.

Its lists show active feeds only, and nothing says which other ids there are. So each id between
those that are known is asked for, and some beyond.
"""

from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from typing import Any

from landform.standalone.wordpress.client import NoAnswer
from landform.standalone.wordpress.convert import far_id
from landform.standalone.wordpress.site import Answer, Site, is_number

Feed = dict[str, Any]
ROUTE = "/gf/v2/feeds"
BATCH = 100
# What Gravity Forms answers where there is no such feed.
GONE = ("gf_feed_invalid_id", "not_found")


class FeedReader:
    """Reads the feeds of a site, and records in `state` how far it is.

    `seen`: the ids that this import has seen already, `known` those of earlier ones. `probe`: how
    many ids beyond the last one are asked for.
    """

    def __init__(
        self, site: Site, state: dict[str, Any], *, seen: Collection[int],
        known: Collection[int], probe: int,
    ) -> None:  # fmt: skip
        self._site, self._state, self._probe = site, state, probe
        self._seen, self._known = set(seen), set(known)
        # The highest id that is asked for, and how many were asked for and found.
        self.total = self.asked = self.found = 0

    def read(self) -> Iterator[list[Feed]]:
        """Yield the feeds, some at a time."""
        listed = [] if self._state.get("listed") else self._listed()
        self._seen |= {int(one["id"]) for one in listed}
        near = (number for number in {*self._seen, *self._known} if not far_id(number))
        self.total = max(near, default=0) + self._probe
        for start in range(0, len(listed), BATCH):
            self._state["listed"] = start + BATCH >= len(listed)
            yield listed[start : start + BATCH]
        yield from self._unlisted()

    def _listed(self) -> list[Feed]:
        body = self._site.get(ROUTE, self._site.client.largest).body
        # Where there is none, it is an object of errors.
        rows = body if isinstance(body, list) else []
        return [row for row in rows if isinstance(row, dict) and is_number(row.get("id"))]

    def _unlisted(self) -> Iterator[list[Feed]]:
        """Yield the feeds that no list shows; positions are recorded with each batch."""
        batch: list[Feed] = []
        asked: deque[tuple[int, Future[Answer]]] = deque()
        last = self._state.get("probed", 0)
        while asked or last < self.total:
            if last < self.total and len(asked) < self._site.client.at_once:
                last += 1
                if last not in self._seen:
                    asked.append((last, self._site.submit(f"{ROUTE}/{last}")))
                continue
            number, future = asked.popleft()
            self.asked += 1
            if feed := _feed(future):
                self.found += 1
                self.total = max(self.total, number + self._probe)
                batch.append(feed)
            self._state["probed"] = number
            if self.asked % BATCH == 0:
                yield batch
                batch = []
        yield batch

    def is_gone(self, feed_id: int) -> bool:
        """Return whether a feed that was there before is deleted, not only out of reach."""
        try:
            self._site.get(f"{ROUTE}/{feed_id}")
        except NoAnswer as refused:
            # Other 404s come from something in front of the site.
            return refused.status == 404 and refused.code in GONE
        return False


def _feed(future: "Future[Answer]") -> Feed | None:
    try:
        body = future.result().body
    except NoAnswer as refused:
        if refused.status == 404:
            return None
        raise
    return body if isinstance(body, dict) and is_number(body.get("id")) else None
