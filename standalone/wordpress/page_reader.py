"""Reads every page of a site: each status in turn, and then what has changed meanwhile."""

from array import array
from collections.abc import Callable, Collection, Iterator
from typing import Any

from landform.standalone.wordpress.convert import KNOWN, far_id
from landform.standalone.wordpress.errors import NoAnswer
from landform.standalone.wordpress.site import Site
from landform.standalone.wordpress.walking import ROUTE, Page, Position, Walk, rows_of

# Nothing that is rendered: that is slow, and breaks with any plugin.
FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
# Pages that nobody made, and those that belong to something else.
SKIPPED = {"auto-draft", "inherit"}
REQUESTS = "request-"
IDS = "id,status"
# What a site answers where there is no such page.
GONE = "rest_post_invalid_id"
# So many of the last pages are asked for: some may be hidden, or have ids that no row can have.
LAST = 10
# How often all ids are looked at, where they go on changing meanwhile.
LOOKS = 3
Seen = Callable[[Collection[int]], Collection[int]]


class PageReader:
    """Reads the pages of a site, and records in `state` how far it is.

    `statuses`: only those, where some are given. `since`: only what was modified after that.
    `is_seen` returns which of some ids this import has seen.
    """

    def __init__(
        self, site: Site, state: dict[str, Any], is_seen: Seen, *, requests: int,
        statuses: Collection[str] = (), since: str = "",
    ) -> None:  # fmt: skip
        self._site, self._state, self._requests = site, state, requests
        self._only, self._since, self._is_seen = tuple(statuses), since, is_seen
        self.ids, self._far = array("q"), 0
        self.hidden = 0
        self.total = 0
        # Whether the site says how many pages there are.
        self.is_counted = True

    @property
    def is_whole(self) -> bool:
        """Whether all pages of the site are looked at."""
        return not self._only and not self._since

    @property
    def _statuses(self) -> Collection[str]:
        found: Collection[str] = self._state.get("statuses") or self._only
        return found or self._state.setdefault("statuses", registered_statuses(self._site))

    def highest(self) -> int:
        """Return the highest id that a page of the site has and a row can have; 0 for none."""
        params = {"context": "edit", "_fields": "id", "status": [*self._statuses, "any"]}
        params |= {"orderby": "id", "order": "desc"}
        # Every site allows one; whoever may not ask for that is told when pages are read.
        for size in (min(LAST, self._site.per_page), 1):
            try:
                rows = rows_of(self._site.get(ROUTE, **params, per_page=size))
            except NoAnswer as refused:
                if refused.status not in (400, 401, 403):
                    raise
                continue
            ids = [int(row["id"]) for row in rows]
            return max((number for number in ids if not far_id(number)), default=0)
        return 0

    def read(self) -> Iterator[list[Page]]:
        """Yield the pages, some at a time; a page that has changed meanwhile twice."""
        statuses = self._statuses
        # What is published first: where pages share a slug, those keep it.
        lists = {"publish": [one for one in statuses if one == "publish"]}
        lists["others"] = [one for one in statuses if one != "publish"]
        narrowed = {"modified_after": self._since} if self._since else {}
        for name, wanted in lists.items():
            if wanted:
                yield from self._walk(name, FIELDS, status=wanted, **narrowed)
        if self._since:
            return
        yield from self._second_look(statuses)
        yield from self._compare(statuses if self._only else [*statuses, "any"])

    def _walk(self, name: str, fields: str, **params: object) -> Iterator[list[Page]]:
        position = Position(**self._state.get(name, {}))
        for rows in Walk(self._site, self._requests, position, fields, **params):
            self._state[name] = position.as_state()
            self.total = sum(self._at(other).total for other in ("publish", "others"))
            yield rows

    def _at(self, name: str) -> Position:
        return Position(**self._state.get(name, {}))

    def _second_look(self, statuses: Collection[str]) -> Iterator[list[Page]]:
        """Yield what was created or changed since the import began."""
        params = {"context": "edit", "_fields": FIELDS, "status": statuses}
        last = max(self._at("publish").last, self._at("others").last)
        size, offset = min(10, self._site.per_page), 0
        while True:
            newest = self._site.get(
                ROUTE, **params, orderby="id", order="desc", per_page=size, offset=offset
            )
            rows = rows_of(newest)
            new = [row for row in rows if int(row["id"]) > last]
            if new:
                self._state["moved"] = True
                yield new[::-1]
            offset += size
            end = offset if newest.total is None and not rows else newest.total
            if len(new) < len(rows) or (end is not None and offset >= end):
                break
        if started := self._state.get("started"):
            self._state.pop("changed", None)
            yield from self._walk("changed", FIELDS, status=statuses, modified_after=started)

    def _compare(self, statuses: Collection[str]) -> Iterator[list[Page]]:
        """Yield what the totals say is missing, and learn how many pages are hidden.

        Where the totals of the lists are that of all together, nothing has moved: then there is no
        need to look at each id.
        """
        only = self._site.get(
            ROUTE, context="edit", _fields="id", status=statuses, per_page=1, orderby="id"
        )
        lists, self.total = [self._at("publish"), self._at("others")], only.total or 0
        self.is_counted = only.total is not None
        moved = self._state.get("moved") or any(one.moved for one in lists)
        if not moved and only.total == sum(one.total for one in lists):
            self.hidden = sum(one.total - one.seen for one in lists)
            return
        for _ in range(LOOKS):
            position, before = Position(), self.ids
            yield from self._missed(position, statuses)
            self.hidden = max(0, position.total - len(self.ids) - self._far)
            if not position.moved or self.ids == before:
                break

    def _missed(self, position: Position, statuses: Collection[str]) -> Iterator[list[Page]]:
        """Yield the pages that were not seen, and collect the ids of all."""
        self.ids, self._far = array("q"), 0
        for rows in Walk(self._site, self._requests, position, IDS, status=statuses):
            ids = [int(row["id"]) for row in rows]
            self.ids.extend(number for number in ids if not far_id(number))
            self._far += sum(1 for number in ids if far_id(number))
            seen = self._is_seen(ids)
            missed = [row for row in rows if int(row["id"]) not in seen]
            foreign = [row for row in missed if row.get("status") not in KNOWN]
            if foreign:
                yield foreign
            if len(foreign) < len(missed):
                wanted = [int(row["id"]) for row in missed if row not in foreign]
                yield self._by_ids(wanted, statuses)

    def _by_ids(self, ids: list[int], statuses: Collection[str]) -> list[Page]:
        params = {"context": "edit", "_fields": FIELDS, "status": statuses, "orderby": "id"}
        found: list[Page] = []
        size = self._site.per_page
        for start in range(0, len(ids), size):
            part = ids[start : start + size]
            found += rows_of(self._site.get(ROUTE, **params, include=part, per_page=size))
        return found

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
