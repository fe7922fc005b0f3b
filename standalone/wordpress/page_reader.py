"""Reads every page of a site: first the ids of all, then the pages by their ids.

The ids are listed again until a list brings none that is new, so that nothing is missed while
pages come and go.
"""

from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from landform.standalone.wordpress.convert import KNOWN, far_id
from landform.standalone.wordpress.errors import NoAnswer
from landform.standalone.wordpress.site import PER_PAGE, Answer, Site, is_number

Page = dict[str, Any]
ROUTE = "/wp/v2/pages"
# Nothing that is rendered: that is slow, and breaks with any plugin.
FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
# Pages that nobody made, and those that belong to something else.
SKIPPED = {"auto-draft", "inherit"}
REQUESTS = "request-"
# What a site answers where there is no such page.
GONE = "rest_post_invalid_id"
# A site that declares another bound than it has takes as many.
FEWER = 10
# The statuses of a response where one page breaks a list, or the server behind a proxy.
BREAKING = (200, 500, 502, 504)
# How often the ids are listed, where they go on changing meanwhile.
LISTS = 4
Seen = Callable[[Collection[int]], Collection[int]]


class Ids(NamedTuple):
    """The ids of a list of pages: the published ones, the others, and rows that cannot be held."""

    published: "array[int]"
    others: "array[int]"
    unheld: list[Page]

    @classmethod
    def empty(cls) -> "Ids":
        """Return a list of no pages."""
        return cls(array("q"), array("q"), [])

    @property
    def number(self) -> int:
        """The number of all of them."""
        return len(self.published) + len(self.others) + len(self.unheld)

    def take(self, row: Page) -> None:
        """Take a row with its id and status."""
        number, status = int(row["id"]), row.get("status")
        if far_id(number) or status not in KNOWN:
            self.unheld.append(row)
        else:
            (self.published if status == "publish" else self.others).append(number)


class PageReader:
    """Reads the pages of a site.

    `statuses`: only those, where some are given. `since`: only what was modified after that.
    `started`: when the import began. `is_seen` returns which of some ids this import has seen.
    """

    def __init__(
        self, site: Site, is_seen: Seen, *, requests: int, started: str,
        statuses: Collection[str] = (), since: str = "",
    ) -> None:  # fmt: skip
        self._site, self._is_seen, self._requests = site, is_seen, requests
        self._started, self._since = started, since
        self._statuses = [*statuses] or registered_statuses(site)
        # Whether all pages of the site are looked at.
        self.is_whole = not (statuses or since)
        self._all = self._statuses if statuses else [*self._statuses, "any"]
        self.listed = Ids.empty()
        self.total = 0
        # Whether the site says how many pages there are, and whether that changed meanwhile.
        self.is_counted, self.has_moved = True, False

    @property
    def hidden(self) -> int:
        """The number of pages that the user may not see."""
        return 0 if self._since else max(0, self.total - self.listed.number)

    @property
    def highest(self) -> int:
        """The highest id of a page; 0 for none."""
        return max([0, *self.listed.published, *self.listed.others])

    def list_ids(self) -> bool:
        """List the ids of all pages; return whether the list changed meanwhile."""
        narrowed = {"modified_after": self._since} if self._since else {}
        self.listed, totals = self._list(status=self._all, **narrowed)
        self.is_counted = None not in totals
        self.total = max((total for total in totals if total is not None), default=0)
        return len(totals) > 1

    def read(self) -> Iterator[list[Page]]:
        """Yield the pages whose ids are listed, some at a time, and then what came or changed.

        What is published comes first: where pages share a slug, those keep it.
        """
        yield from self._new_pages()
        for _ in range(LISTS):
            has_moved, new = self.list_ids(), False
            for rows in self._new_pages():
                new = new or bool(rows)
                yield rows
            self.has_moved = self.has_moved or has_moved or new
            if not (new or has_moved):
                break
        yield self.listed.unheld
        if not self._since:
            changed, _ = self._list(status=self._statuses, modified_after=self._started)
            ids = [*changed.published, *changed.others]
            size = self._site.per_page
            yield from self._pages(ids[at : at + size] for at in range(0, len(ids), size))

    def _new_pages(self) -> Iterator[list[Page]]:
        """Yield the pages of the list that this import has not seen."""
        for ids in (self.listed.published, self.listed.others):
            yield from self._pages(self._unseen(ids))

    def _list(self, **params: object) -> tuple[Ids, set[int | None]]:
        """Return the ids of a list, and how many pages it was said to have meanwhile.

        Where a site does not say that, the list ends where nothing comes any more: in as many
        places as the longest list has, since some may be hidden.
        """
        found, totals, last = Ids.empty(), set[int | None](), 0
        asked: deque[tuple[int, Future[Answer]]] = deque()
        offset, end, idle = 0, 1, 0
        while asked or offset < end:
            while offset < end and len(asked) < self._requests:
                asked.append((offset, self._ask("id,status", offset=offset, **params)))
                offset += self._site.per_page
            start, future = asked.popleft()
            try:
                answer = future.result()
            except NoAnswer as refused:
                if not self._takes_fewer(refused):
                    raise
                asked.clear()
                offset = start
                continue
            rows = [row for row in rows_of(answer) if int(row["id"]) > last]
            for row in rows:
                found.take(row)
                last = int(row["id"])
            totals.add(answer.total)
            idle = 0 if rows else idle + self._site.per_page
            end = answer.total if answer.total is not None else offset + (idle < PER_PAGE)
        return found, totals

    def _ask(self, fields: str, **params: object) -> "Future[Answer]":
        """Ask for a list of pages by id, in another thread."""
        return self._site.submit(
            ROUTE, context="edit", orderby="id", order="asc", _fields=fields,
            per_page=self._site.per_page, **params,
        )  # fmt: skip

    def _takes_fewer(self, refused: NoAnswer) -> bool:
        """Ask for fewer pages from now on, where the site refuses as many; return whether."""
        size = self._site.per_page
        if refused.status != 400 or size == 1:
            return False
        self._site.most = FEWER if size > FEWER else size // 2
        return True

    def _unseen(self, ids: Sequence[int]) -> Iterator[list[int]]:
        """Yield the ids that this import has not seen, as many at a time as a list may have."""
        for start in range(0, len(ids), self._site.per_page):
            part = ids[start : start + self._site.per_page]
            seen = self._is_seen(part)
            yield [number for number in part if number not in seen]

    def _pages(self, parts: Iterator[list[int]]) -> Iterator[list[Page]]:
        """Yield the pages with some ids; one that breaks each response is told as unreadable."""
        parts, halves = filter(None, parts), deque[list[int]]()
        asked: deque[tuple[list[int], Future[Answer]]] = deque()
        while True:
            while len(asked) < self._requests:
                if not (part := halves.popleft() if halves else next(parts, [])):
                    break
                asked.append((part, self._ask(FIELDS, include=part, status=self._statuses)))
            if not asked:
                return
            part, future = asked.popleft()
            try:
                rows = rows_of(future.result())
            except NoAnswer as refused:
                if refused.status not in BREAKING:
                    raise
                if len(part) > 1:
                    halves += (part[: len(part) // 2], part[len(part) // 2 :])
                    continue
                # It is the page that breaks it, and not the site that is down.
                rows_of(self._ask("id", include=part, status=self._statuses).result())
                rows = [{"id": part[0], "unreadable": str(refused)}]
            yield rows

    def is_gone(self, page_id: int) -> bool:
        """Return whether a page that was there before is deleted, not only hidden."""
        try:
            self._site.get(f"{ROUTE}/{page_id}", context="edit", _fields="id,status")
        except NoAnswer as refused:
            # Other 404s come from something in front of the site.
            return (refused.status, refused.code) == (404, GONE)
        return False


def registered_statuses(site: Site) -> list[str]:
    """Return the statuses that a site names, and that pages may have."""
    try:
        named = site.get("/wp/v2/statuses").body
    except NoAnswer:
        named = {}
    found = [*named] if isinstance(named, dict) else []
    kept = [one for one in found if one not in SKIPPED and not one.startswith(REQUESTS)]
    return list(dict.fromkeys([*KNOWN, *kept]))


def rows_of(answer: Answer) -> list[Page]:
    """Return the pages of a list; `NoAnswer` where it is none."""
    if not isinstance(answer.body, list):
        raise NoAnswer("The list of pages is no list.", 200)
    return [row for row in answer.body if isinstance(row, dict) and is_number(row.get("id"))]
