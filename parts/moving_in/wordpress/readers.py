"""Read every page, form, feed and entry of a site, including unlisted ones.

Pages: first all ids, then the pages by their ids. Pages may be created or deleted meanwhile, so
the ids are listed again until two lists are equal.

Forms and feeds: the lists of Gravity Forms show active ones only, and nothing says which ids exist.
So each id up to the highest known one is requested, and some beyond.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import count
from typing import Any

from landform.parts.moving_in.wordpress.client import BUSY, FEW_BYTES, MAX_BYTES, NoAnswer
from landform.parts.moving_in.wordpress.convert import KNOWN_STATUSES
from landform.parts.moving_in.wordpress.site import PER_PAGE, Answer, Site, SlugKeepers, has_id
from landform.parts.moving_in.wordpress.values import parse_integer, storable
from landform.storage.rows import Row

PAGES, BLOCKS, FEEDS = "/wp/v2/pages", "/wp/v2/blocks", "/gf/v2/feeds"
# The route of each resource of Gravity Forms, and the right that a user needs for it.
GRAVITY_FORMS = {
    "form": ("/gf/v2/forms", "gravityforms_edit_forms"),
    "feed": (FEEDS, "gravityforms_edit_forms"),
    "entry": ("/gf/v2/entries", "gravityforms_view_entries"),
}
# Nothing that is rendered: rendering is slow, and plugins break it.
PAGE_FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
# Drafts that nobody saved, revisions, and requests for personal data.
SKIPPED_STATUSES = re.compile("auto-draft|inherit|request-.*")
# The length of a list on a site that refuses `PER_PAGE`.
SMALL_PER_PAGE = 10
# The statuses of a response if one page breaks the list, or the server behind a proxy.
BREAKING_STATUSES = (200, 500, 502, 504)
# How often the ids are listed at most.
MAX_LISTS = 5


class PageReader:
    """Reads the pages of a site, some by their `statuses` or modified `since` a time.

    `seen_ids` returns those of some ids that this import has read before. `ids` has the status of
    each page, `total` the number of pages that the site names, or None.
    """

    def __init__(
        self, site: Site, seen_ids: Callable[[Collection[int]], Collection[int]],
        statuses: Collection[str] = (), since: str = "",
    ) -> None:  # fmt: skip
        self._site, self._seen_ids, self._since = site, seen_ids, since
        self._statuses = [*statuses] or registered_statuses(site)
        self._list_statuses = self._statuses if statuses else [*self._statuses, "any"]
        self.reads_all = not (statuses or since)
        self.ids: dict[int, str] = {}
        self.total: int | None = None
        # Whether pages were created or deleted meanwhile.
        self.has_changed = False
        self.slug_keepers = SlugKeepers()

    @property
    def hidden(self) -> int:
        """The number of pages that the user must not see."""
        return 0 if self._since else max(0, (self.total or 0) - len(self.ids))

    def list_ids(self) -> None:
        """List the ids of all pages."""
        narrowed = {"modified_after": self._since} if self._since else {}
        self.ids, self.total = self._list(status=self._list_statuses, **narrowed)

    def read(self, started: str) -> Iterator[list[Row]]:
        """Yield the listed pages in batches, then pages that changed meanwhile.

        Published pages come first, so that they keep a slug that others have too.
        """
        for _ in range(MAX_LISTS):
            ids = sorted(number for number in self.ids if self.ids[number] in KNOWN_STATUSES)
            yield from self._read_pages(sorted(ids, key=lambda n: self.ids[n] != "publish"))
            before = self.ids.keys()
            self.list_ids()
            if self.ids.keys() == before:
                break
            self.has_changed = True
        unknown = [n for n, status in self.ids.items() if status not in KNOWN_STATUSES]
        yield [{"id": number, "status": self.ids[number]} for number in unknown]
        if not self._since:
            changed, _ = self._list(status=self._statuses, modified_after=started)
            yield from self._read_pages([*changed], reread=True)

    def _list(self, **params: Any) -> tuple[dict[int, str], int | None]:
        """Return the status of each page in a list, and their number, if the site names it.

        Without a number the list ends after `PER_PAGE` places without a new page: pages in between
        may be hidden.
        """
        ids, totals = dict[int, str](), set[int | None]()
        offset, end, empty_places = 0, 1, 0
        while offset < end:
            answer = self._get_list("id,status,slug,parent", offset=offset, **params)
            rows = {int(row["id"]): row for row in rows_of(answer.body)}
            for number, row in rows.items():
                self.slug_keepers.add(number, row)
            size = self._site.per_page
            empty_places = 0 if rows.keys() - ids.keys() else empty_places + size
            ids |= {number: str(row.get("status")) for number, row in rows.items()}
            totals.add(answer.total)
            offset += size
            end = offset + (empty_places < PER_PAGE) if answer.total is None else answer.total
        return ids, None if None in totals else max(total or 0 for total in totals)

    def _get_list(self, fields: str, max_bytes: int = FEW_BYTES, **params: Any) -> Answer:
        """Request a list of pages by id, a shorter one if the site refuses its length."""
        size = self._site.per_page
        try:
            answer = self._site.get(
                PAGES, max_bytes, context="edit", orderby="id", order="asc", _fields=fields,
                per_page=size, **params,
            )  # fmt: skip
        except NoAnswer as error:
            refuses_size = "per_page" in (error.params or ("per_page",))
            # A shorter list would not have all included pages.
            if error.status != 400 or size == 1 or not refuses_size or "include" in params:
                raise
            self._site.per_page = SMALL_PER_PAGE if size > SMALL_PER_PAGE else size // 2
            return self._get_list(fields, max_bytes, **params)
        if not isinstance(answer.body, list):
            raise NoAnswer("The list of pages is no list.", 200)
        return answer

    def _read_pages(self, ids: list[int], *, reread: bool = False) -> Iterator[list[Row]]:
        """Yield the pages with some ids; `reread` includes pages that were read before.

        A part that breaks its response is halved, up to the page at fault.
        """
        for part, rows in self._site.map(self._read_part, self._parts(ids, reread)):
            if rows is None:
                for half in (part[: len(part) // 2], part[len(part) // 2 :]):
                    yield from self._read_pages(half, reread=reread)
            else:
                yield sorted(rows, key=lambda row: row.get("status") != "publish")

    def _parts(self, ids: list[int], reread: bool) -> Iterator[list[int]]:
        """Yield the ids for each request, without those of pages that were read before."""
        size = self._site.per_page
        for part in (ids[start : start + size] for start in range(0, len(ids), size)):
            skipped = () if reread else self._seen_ids(part)
            if unread := [number for number in part if number not in skipped]:
                yield unread

    def _read_part(self, part: list[int]) -> tuple[list[int], list[Row] | None]:
        """Return some ids with their pages, or None if one of these breaks the response."""
        try:
            return part, rows_of(self._get_pages(part).body)
        except NoAnswer as error:
            if error.status not in BREAKING_STATUSES:
                raise
            return part, self._read_single(part) if len(part) == 1 else None

    def _get_pages(self, ids: list[int], fields: str = PAGE_FIELDS, max_bytes: int = 0) -> Answer:
        max_bytes = max_bytes or self._site.client.max_bytes
        return self._get_list(fields, max_bytes, include=ids, status=self._statuses)

    def _read_single(self, ids: list[int]) -> list[Row]:
        """Return a page that breaks a response; alone it may be larger."""
        try:
            return rows_of(self._get_pages(ids, max_bytes=MAX_BYTES).body)
        except NoAnswer as error:
            # Raises if not the page is at fault, but the site is down.
            self._get_pages(ids, "id")
            return [{"id": ids[0], "unreadable": str(error)}]


def registered_statuses(site: Site) -> list[str]:
    """Return the statuses that pages of a site may have."""
    try:
        body = site.get("/wp/v2/statuses").body
    except NoAnswer:
        body = {}
    names = [*body] if isinstance(body, dict) else []
    names = [name for name in names if not SKIPPED_STATUSES.fullmatch(name)]
    return list(dict.fromkeys([*KNOWN_STATUSES, *names]))


def read_pattern(site: Site, number: int) -> str | None:
    """Return the content of a public synced pattern, or None."""
    fields = "id,status,password,content.raw"
    max_bytes = site.client.max_bytes
    try:
        answer = site.get(f"{BLOCKS}/{number}", max_bytes, context="edit", _fields=fields)
    except NoAnswer as error:
        if not error.status or error.status in BUSY:
            # The site is down: the import is continued later.
            raise
        return None
    pattern = answer.body if isinstance(answer.body, dict) else {}
    content = pattern.get("content")
    is_public = pattern.get("status") == "publish" and not pattern.get("password")
    raw = content.get("raw") if isinstance(content, dict) and is_public else None
    return str(storable(raw)) if isinstance(raw, str) else None


def rows_of(body: Any) -> list[Row]:
    """Return the rows of a list that have an id."""
    rows = body if isinstance(body, list) else []
    return [row for row in rows if isinstance(row, dict) and has_id(row)]


class FeedReader:
    """Reads the feeds of a site, or its forms.

    `highest`: the highest known id. `probe`: how many ids beyond the last one are requested.
    `count` is the number of requested ids, `total` the last id to request, `hits` how many exist.
    """

    def __init__(self, site: Site, route: str, highest: int, probe: int) -> None:
        self._site, self._route, self.probe = site, route, probe
        self.count, self.total, self.hits = 0, highest + probe, 0

    def read(self) -> Iterator[list[Row]]:
        """Yield the feeds in batches."""
        # Without feeds the list is an object of errors.
        body = self._site.get(self._route, self._site.client.max_bytes).body
        rows = rows_of([*body.values()] if isinstance(body, dict) else body)
        self.total = max([self.total, *(int(row["id"]) + self.probe for row in rows)])
        # The list of forms has only their titles.
        listed = rows if self._route == FEEDS else []
        yield from (listed[start : start + PER_PAGE] for start in range(0, len(listed), PER_PAGE))
        ids = {int(row["id"]) for row in listed}
        last = 0
        while last < self.total:
            first, last = last + 1, min(last + PER_PAGE, self.total)
            unlisted = [number for number in range(first, last + 1) if number not in ids]
            bodies = dict(zip(unlisted, self._site.map(self._get, unlisted), strict=True))
            hits = [number for number in unlisted if bodies[number] is not None]
            self.count, self.hits = self.count + len(unlisted), self.hits + len(hits)
            self.total = max([self.total, *(number + self.probe for number in hits)])
            yield rows_of([bodies[number] for number in hits])

    def _get(self, number: int) -> Any:
        """Return the feed with an id, or None."""
        try:
            return self._site.get(f"{self._route}/{number}").body
        except NoAnswer as error:
            if error.status != 404:
                raise
            return None


class EntryReader:
    """Reads the entries of a site. `count`: how many were read, `total`: how many there are."""

    def __init__(self, site: Site) -> None:
        self._site, self.count, self.total = site, 0, 0

    def read(self) -> Iterator[list[Row]]:
        """Yield the entries in batches, by status and id."""
        for status in ("active", "spam", "trash"):
            first = None
            for body in self._site.map(partial(self._get, status), count(1)):
                rows = rows_of(body.get("entries"))
                if not rows or rows[0]["id"] == first:
                    # The end, or a site that shows the same entries for ever.
                    break
                if first is None:
                    self.total += parse_integer(body.get("total_count")) or 0
                first = rows[0]["id"]
                self.count += len(rows)
                yield rows

    def _get(self, status: str, page: int) -> dict[str, Any]:
        params = {
            "search": json.dumps({"status": status}),
            "sorting[key]": "id",
            "sorting[direction]": "ASC",
            "paging[page_size]": PER_PAGE,
            "paging[current_page]": page,
        }
        body = self._site.get(GRAVITY_FORMS["entry"][0], self._site.client.max_bytes, **params).body
        return body if isinstance(body, dict) else {}
