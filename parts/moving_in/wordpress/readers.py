"""Reads every page and every feed of a site, whatever its lists show.

Pages: first the ids of all, then the pages by their ids. Since pages come and go meanwhile, the ids
are listed again until two lists are the same.

Feeds: Gravity Forms' lists show active ones only, and nothing says which other ids there are. So
each id between those that are known is asked for, and some beyond.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from typing import Any

from landform.parts.moving_in.wordpress.client import BUSY, LARGEST, SMALL, NoAnswer
from landform.parts.moving_in.wordpress.convert import KNOWN
from landform.parts.moving_in.wordpress.site import PER_PAGE, Answer, Site, SlugOwners, has_id
from landform.parts.moving_in.wordpress.values import storable
from landform.storage.rows import Row

PAGES, BLOCKS, FEEDS = "/wp/v2/pages", "/wp/v2/blocks", "/gf/v2/feeds"
# Nothing that is rendered: that is slow, and breaks with any plugin.
FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
# Pages that nobody made, and those that belong to something else.
SKIPPED = {"auto-draft", "inherit"}
REQUESTS = "request-"
# A site that does not take as many pages at a time takes so many.
FEWER = 10
# The statuses of a response where one page breaks a list, or the server behind a proxy.
BREAKING = (200, 500, 502, 504)
# How often the ids are listed, where they go on changing meanwhile.
LISTS = 5


class PageReader:
    """Reads the pages of a site.

    `statuses`: only those, where some are given. `since`: only what was modified after that.
    `is_seen` returns which of some ids this import has seen. `ids`: the status of each page.
    """

    def __init__(
        self, site: Site, is_seen: Callable[[Collection[int]], Collection[int]],
        statuses: Collection[str] = (), since: str = "",
    ) -> None:  # fmt: skip
        self._site, self._is_seen, self._since = site, is_seen, since
        self._statuses = [*statuses] or registered_statuses(site)
        # Whether all pages of the site are looked at.
        self.is_whole = not (statuses or since)
        self._all = self._statuses if statuses else [*self._statuses, "any"]
        self.ids: dict[int, str] = {}
        # How many pages there are, as the site says; None where it does not.
        self.total: int | None = None
        # Whether some came or went meanwhile.
        self.has_moved = False
        self.slugs = SlugOwners()

    @property
    def hidden(self) -> int:
        """The number of pages that the user may not see."""
        return 0 if self._since else max(0, (self.total or 0) - len(self.ids))

    def list_ids(self) -> None:
        """List the ids of all pages."""
        narrowed = {"modified_after": self._since} if self._since else {}
        self.ids, self.total = self._list(status=self._all, **narrowed)

    def read(self, started: str) -> Iterator[list[Row]]:
        """Yield the pages whose ids are listed, some at a time, and then what came or changed.

        What is published comes first: where pages share a slug, those keep it.
        """
        for _ in range(LISTS):
            held = [one for one in self.ids if self.ids[one] in KNOWN]
            yield from self._pages(sorted(held, key=lambda one: self.ids[one] != "publish"))
            before = self.ids.keys()
            self.list_ids()
            if self.ids.keys() == before:
                break
            self.has_moved = True
        yield [
            {"id": number, "status": status} for number, status in self.ids.items()
            if status not in KNOWN
        ]  # fmt: skip
        if not self._since:
            changed, _ = self._list(status=self._statuses, modified_after=started)
            yield from self._pages([*changed], again=True)

    def _list(self, **params: Any) -> tuple[dict[int, str], int | None]:
        """Return the ids of a list with the statuses, and their number, if the site tells it.

        Where a site does not say how many there are, the list ends where nothing comes any more: in
        as many places as the longest list has, since some may be hidden.
        """
        found, totals = dict[int, str](), set[int | None]()
        offset, end, idle = 0, 1, 0
        while offset < end:
            answer = self._ask("id,status,slug,parent", offset=offset, **params)
            for row in rows_of(answer.body):
                self.slugs.add(int(row["id"]), row)
            rows = {int(row["id"]): str(row.get("status")) for row in rows_of(answer.body)}
            size = self._site.per_page
            idle = 0 if rows.keys() - found.keys() else idle + size
            found |= rows
            totals.add(answer.total)
            offset += size
            end = offset + (idle < PER_PAGE) if answer.total is None else answer.total
        return found, None if None in totals else max(one or 0 for one in totals)

    def _ask(self, fields: str, most: int = SMALL, **params: Any) -> Answer:
        """Ask for a list of pages by id; for fewer, where the site takes no more at a time."""
        size = self._site.per_page
        try:
            answer = self._site.get(
                PAGES, most, context="edit", orderby="id", order="asc", _fields=fields,
                per_page=size, **params,
            )  # fmt: skip
        except NoAnswer as refused:
            is_size = "per_page" in (refused.params or ("per_page",))
            # Fewer than are named would leave some out.
            if refused.status != 400 or size == 1 or not is_size or "include" in params:
                raise
            self._site.per_page = FEWER if size > FEWER else size // 2
            return self._ask(fields, most, **params)
        if not isinstance(answer.body, list):
            raise NoAnswer("The list of pages is no list.", 200)
        return answer

    def _pages(self, ids: list[int], *, again: bool = False) -> Iterator[list[Row]]:
        """Yield the pages with some ids; one that breaks each response is told as unreadable.

        `again`: also those that this import has seen.
        """
        size = self._site.per_page
        parts = deque(ids[at : at + size] for at in range(0, len(ids), size))
        asked = deque[tuple[list[int], Future[Answer]]]()
        while parts or asked:
            if parts and len(asked) < self._site.client.at_once:
                part = parts.popleft()
                seen = () if again else self._is_seen(part)
                if part := [number for number in part if number not in seen]:
                    asked.append((part, self._site.pool.submit(self._shown, part)))
                continue
            part, future = asked.popleft()
            try:
                rows = rows_of(future.result().body)
            except NoAnswer as refused:
                if refused.status not in BREAKING:
                    raise
                if len(part) > 1:
                    parts += (part[: len(part) // 2], part[len(part) // 2 :])
                    continue
                rows = self._alone(part)
            yield sorted(rows, key=lambda row: row.get("status") != "publish")

    def _shown(self, part: list[int], fields: str = FIELDS, most: int = 0) -> Answer:
        """Return what the site shows of some pages."""
        most = most or self._site.client.largest
        return self._ask(fields, most, include=part, status=self._statuses)

    def _alone(self, part: list[int]) -> list[Row]:
        """Return a page that breaks a response: it may be larger where no other is read."""
        try:
            return rows_of(self._shown(part, most=LARGEST).body)
        except NoAnswer as refused:
            # It is the page that is at fault, and not the site that is down.
            self._shown(part, "id")
            return [{"id": part[0], "unreadable": str(refused)}]


def registered_statuses(site: Site) -> list[str]:
    """Return the statuses that a site names, and that pages may have."""
    try:
        named = site.get("/wp/v2/statuses").body
    except NoAnswer:
        named = {}
    found = [*named] if isinstance(named, dict) else []
    kept = [one for one in found if one not in SKIPPED and not one.startswith(REQUESTS)]
    return list(dict.fromkeys([*KNOWN, *kept]))


def read_pattern(site: Site, number: int) -> str | None:
    """Return the content of a synced pattern; None where the site shows none."""
    fields = "id,status,password,content.raw"
    try:
        found = site.get(f"{BLOCKS}/{number}", site.client.largest, context="edit", _fields=fields)
    except NoAnswer as refused:
        if not refused.status or refused.status in BUSY:
            # The site is out of reach: the import goes on later.
            raise
        return None
    body = found.body if isinstance(found.body, dict) else {}
    content = body.get("content")
    is_public = body.get("status") == "publish" and not body.get("password")
    raw = content.get("raw") if isinstance(content, dict) and is_public else None
    return str(storable(raw)) if isinstance(raw, str) else None


def rows_of(body: Any) -> list[Row]:
    """Return the rows of a list that have an id; none where it is no list."""
    rows = body if isinstance(body, list) else []
    return [row for row in rows if isinstance(row, dict) and has_id(row)]


class FeedReader:
    """Reads the feeds of a site.

    `highest`: the highest id of a feed that is known. `probe`: how many ids beyond the last one are
    asked for.
    """

    def __init__(self, site: Site, highest: int, probe: int) -> None:
        self._site, self._probe = site, probe
        # The highest id that is asked for, and how many were asked for and found.
        self.total, self.asked, self.found = highest + probe, 0, 0

    def read(self) -> Iterator[list[Row]]:
        """Yield the feeds, some at a time."""
        # Where there is none, it is an object of errors.
        listed = rows_of(self._site.get(FEEDS, self._site.client.largest).body)
        yield from (listed[at : at + PER_PAGE] for at in range(0, len(listed), PER_PAGE))
        ids = {int(row["id"]) for row in listed}
        self.total, last = max(self.total, max(ids, default=0) + self._probe), 0
        while last < self.total:
            first, last = last + 1, min(last + PER_PAGE, self.total)
            unlisted = [number for number in range(first, last + 1) if number not in ids]
            found = [one for one in self._site.pool.map(self._unlisted, unlisted) if one]
            self.asked += len(unlisted)
            self.found += len(found)
            self.total = max([self.total, *(number + self._probe for number, _ in found)])
            yield rows_of([body for _, body in found])

    def _unlisted(self, number: int) -> tuple[int, Any] | None:
        """Return a feed that no list shows; None where there is none."""
        try:
            return number, self._site.get(f"{FEEDS}/{number}").body
        except NoAnswer as refused:
            if refused.status != 404:
                raise
            return None
