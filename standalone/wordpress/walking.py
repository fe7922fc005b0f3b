"""Walks along a list of pages by id, so that none is missed while others come and go."""

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import Any

from landform.standalone.wordpress.errors import NoAnswer
from landform.standalone.wordpress.site import PER_PAGE, Answer, Site

Page = dict[str, Any]
ROUTE = "/wp/v2/pages"
# A site that declares another bound than it has takes as many.
FEWER = 10
# What a list answers where one of its pages breaks it, or the server behind a proxy.
BREAKING = (200, 500, 502, 504)


@dataclass
class Position:
    """How far a walk is: so many places of the list are passed, and this is the last id.

    `total` and `seen` count the places and the pages that were shown; `moved` is whether the list
    changed on the way. `idle` counts the places since the last page that was new.
    """

    passed: int = 0
    last: int = 0
    total: int = 0
    seen: int = 0
    moved: bool = False
    done: bool = False
    idle: int = 0

    def as_state(self) -> dict[str, int | bool]:
        """Return it as JSON."""
        return asdict(self)


class Walk:
    """A walk along the pages with some statuses, by id.

    Each part begins with the last page of the one before. Where that is not so, a page before it
    was deleted, and everything behind has moved up: then the walk steps back. What is created has
    a higher id than all others, so that it comes at the end.
    """

    def __init__(
        self, site: Site, requests: int, position: Position, fields: str, **params: object
    ) -> None:
        self._site, self._requests, self.position = site, requests, position
        self._params = {
            "context": "edit", "orderby": "id", "order": "asc", "_fields": fields, **params,
        }  # fmt: skip
        self._size = site.per_page
        self._asked: dict[int, Future[Answer]] = {}

    def __iter__(self) -> Iterator[list[Page]]:
        """Yield the pages of each part that were in none before; the position is beyond them."""
        at = self.position
        while not at.done:
            try:
                offset, rows, total = self._next_part(max(0, at.passed - self._overlap))
            except NoAnswer as refused:
                if not self._takes_fewer(refused):
                    raise
                continue
            new = [row for row in rows if int(row["id"]) > at.last]
            at.passed = offset + self._size
            at.seen += len(new)
            at.last = max([at.last, *(int(row["id"]) for row in new)])
            self._count(len(new), total)
            # Parts of one page share none: then only a second look tells what was missed.
            at.moved |= not (self._overlap or at.done)
            if not at.done:
                self._ask_ahead(max(0, at.passed - self._overlap), total)
            yield new
        self._forget()

    def _count(self, new: int, total: int | None) -> None:
        """Find out whether the list is at its end.

        Where a site does not say how many there are, it is where nothing new comes any more: in as
        many places as the longest list has, since some may be hidden.
        """
        at = self.position
        at.idle = 0 if new else at.idle + self._size
        at.total = at.seen if total is None else total
        at.done = at.idle >= PER_PAGE if total is None else at.passed >= total

    @property
    def _overlap(self) -> int:
        return min(1, self._size - 1)

    def _takes_fewer(self, refused: NoAnswer) -> bool:
        """Ask for fewer pages from now on, where the site refuses as many; return whether."""
        if refused.status != 400 or self._size == 1:
            return False
        self._size = self._site.most = FEWER if self._size > FEWER else self._size // 2
        self._forget()
        return True

    def _next_part(self, offset: int) -> tuple[int, list[Page], int | None]:
        """Return the part at an offset; or one before, where pages may lie between.

        Where none of those before has the last page, that is hidden now, or so are all between.
        """
        rows, total = self._part(offset)
        if not self._overlap or not self._has_gap(rows, total, offset):
            return offset, rows, total
        self.position.moved = True
        self._forget()
        back, before, whole = 1, rows, total
        # No further: each part has to reach beyond the one before.
        while back < self._size - 1 and offset >= back:
            before, whole = self._part(offset - back)
            if before and not self._has_gap(before, whole, offset - back):
                return offset - back, before, whole
            back *= 2
        return offset, rows, total or whole

    def _has_gap(self, rows: list[Page], total: int | None, offset: int) -> bool:
        """Return whether pages may lie between the last one and this part."""
        if not self.position.last:
            return False
        if not rows:
            # All of them are hidden, or the list has become shorter.
            return total is not None and offset >= total
        return int(rows[0]["id"]) > self.position.last

    def _part(self, offset: int) -> tuple[list[Page], int | None]:
        asked = self._asked.pop(offset, None) or self._ask(offset)
        try:
            answer = asked.result()
        except NoAnswer as refused:
            if refused.status not in BREAKING:
                raise
            return self._in_pieces(offset, self._size, refused)
        return rows_of(answer), answer.total

    def _ask(self, offset: int) -> "Future[Answer]":
        return self._site.submit(ROUTE, **self._params, per_page=self._size, offset=offset)

    def _ask_ahead(self, offset: int, total: int | None) -> None:
        for _ in range(self._requests):
            if total is not None and offset >= total:
                return
            if offset not in self._asked:
                self._asked[offset] = self._ask(offset)
            offset += self._size - self._overlap

    def _forget(self) -> None:
        for asked in self._asked.values():
            asked.cancel()
        self._asked = {}

    def _in_pieces(
        self, offset: int, size: int, refused: NoAnswer
    ) -> tuple[list[Page], int | None]:
        """Return a part that cannot be read at once: all but the pages that break it."""
        if size == 1:
            only = {**self._params, "_fields": "id", "per_page": 1, "offset": offset}
            answer = self._site.get(ROUTE, **only)
            rows = [{"id": row["id"], "unreadable": str(refused)} for row in rows_of(answer)]
            return rows, answer.total
        rows, totals = list[Page](), list[int]()
        for start, count in ((offset, size // 2), (offset + size // 2, size - size // 2)):
            try:
                answer = self._site.get(ROUTE, **self._params, per_page=count, offset=start)
                part, whole = rows_of(answer), answer.total
            except NoAnswer as broken:
                if broken.status not in BREAKING:
                    raise
                part, whole = self._in_pieces(start, count, broken)
            rows += part
            totals += [] if whole is None else [whole]
        return rows, max(totals, default=None)


def rows_of(answer: Answer) -> list[Page]:
    """Return the pages of a list; `NoAnswer` where it is none."""
    if not isinstance(answer.body, list):
        raise NoAnswer("The list of pages is no list.", 200)
    return [row for row in answer.body if isinstance(row, dict) and is_number(row.get("id"))]


def is_number(value: object) -> bool:
    """Return whether a value is a whole number; other ids no site has."""
    is_text = isinstance(value, str) and value.isdecimal() and len(value) <= 20
    return is_text or isinstance(value, int)
