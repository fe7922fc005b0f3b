"""Read every page of a site: first all ids, then the pages by their ids.

Pages may be created or deleted meanwhile, so the ids are listed again until two lists are equal.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from landform.parts.moving_in.incoming import SlugKeepers
from landform.parts.moving_in.wordpress.client import FEW_BYTES, MAX_BYTES, NoAnswer, NotRead
from landform.parts.moving_in.wordpress.convert import KNOWN_STATUSES
from landform.parts.moving_in.wordpress.report import Plan, Report
from landform.parts.moving_in.wordpress.site import PER_PAGE, ROUTES, Answer, Batch, Site, rows_of
from landform.parts.moving_in.wordpress.values import storable
from landform.storage.rows import Row, batches

PAGES, BLOCKS, STATUSES = ROUTES["page"], "/wp/v2/blocks", "/wp/v2/statuses"
# Nothing that is rendered: rendering is slow, and plugins break it.
PAGE_FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
REVISION_FIELDS = "id,author,modified,modified_gmt,title.raw,content.raw"
# Drafts that nobody saved, revisions, and requests for personal data.
SKIPPED_STATUSES = re.compile("auto-draft|inherit|request-.*")
# The length of a list on a site that refuses `PER_PAGE`.
SMALL_PER_PAGE = 10
# How often the ids are listed at most.
MAX_LISTS = 5
HIDDEN = (
    "{hidden:,} of {total:,} pages are hidden from {user}, and were not read. An editor sees all "
    "but those that only administrators may edit, such as that of the privacy policy."
)
UNCOUNTED = (
    "The site does not say how many pages there are: something on the way removes the header "
    "X-WP-Total. So it is not known whether pages are hidden from {user}."
)
CHANGED = "Pages were created or deleted there meanwhile; their list was read again."


class PageReader:
    """Reads the pages of a site that a plan selects. `ids` has the status of each of them.

    `read_ids` are the pages that the import, which began at `started`, has read before.
    `slug_keepers` gets the pages that keep their slugs.
    """

    def __init__(
        self, site: Site, report: Report, plan: Plan, *, started: str, read_ids: set[int],
        slug_keepers: SlugKeepers,
    ) -> None:  # fmt: skip
        self._site, self._report, self._plan, self._started = site, report, plan, started
        self._read_ids, self._slug_keepers = read_ids, slug_keepers
        self._statuses = [*plan.statuses]
        self.ids: dict[int, str] = {}
        # The number of pages that the site names, or None.
        self._total: int | None = None

    def begin(self) -> None:
        """List the ids of all pages."""
        # WordPress refuses this to users who must not edit pages.
        self._site.get(PAGES, context="edit", _fields="id", per_page=1)
        self._statuses = self._statuses or self._registered_statuses()
        self._list_ids()

    def read(self) -> Iterator[Batch]:
        """Yield the listed pages, then pages that changed meanwhile, with their numbers.

        Raises `NotRead` if all pages are hidden.
        """
        count = 0
        for rows in self._read_all():
            count += len(rows)
            revised = self._site.map(self._add_revisions, rows) if self._plan.revisions else rows
            yield [*revised], count, self._total or 0
        user, total = self._site.client.user, self._total or 0
        hidden = 0 if self._plan.since else max(0, total - len(self.ids))
        text = HIDDEN.format(hidden=hidden, total=total, user=user)
        if hidden and not self.ids:
            raise NotRead(text)
        self._report.hidden_pages = hidden
        if self._total is None:
            self._report.warnings.append(UNCOUNTED.format(user=user))
        if hidden:
            self._report.warnings.append(text)

    def _read_all(self) -> Iterator[list[Row]]:
        """Yield all pages; published ones first, so that they keep a slug that others have too."""
        for turn in range(MAX_LISTS):
            known = [number for number in self.ids if self.ids[number] in KNOWN_STATUSES]
            known.sort(key=lambda number: (self.ids[number] != "publish", number))
            yield from self._read_pages([n for n in known if n not in self._read_ids])
            self._read_ids.update(known)
            before = self.ids.keys()
            self._list_ids()
            if self.ids.keys() == before:
                break
            if not turn:
                self._report.warnings.append(CHANGED)
        unknown = [n for n, status in self.ids.items() if status not in KNOWN_STATUSES]
        yield [{"id": number, "status": self.ids[number]} for number in unknown]
        if not self._plan.since:
            changed, _ = self._list(status=self._statuses, modified_after=self._started)
            # A dry run has counted them.
            counted = () if self._plan.keep else self.ids
            for rows in self._read_pages([number for number in changed if number not in counted]):
                yield [{**row, "is_repeated": int(row["id"]) in self.ids} for row in rows]

    def _registered_statuses(self) -> list[str]:
        """Return the statuses that pages of the site may have."""
        with suppress(NoAnswer):
            body = self._site.get(STATUSES).body
            names = [*body] if isinstance(body, dict) else []
            names = [name for name in names if not SKIPPED_STATUSES.fullmatch(name)]
            return list(dict.fromkeys([*KNOWN_STATUSES, *names]))
        return [*KNOWN_STATUSES]

    def _list_ids(self) -> None:
        plan = self._plan
        statuses = self._statuses if plan.statuses else [*self._statuses, "any"]
        narrowed = {"modified_after": plan.since} if plan.since else {}
        self.ids, self._total = self._list(status=statuses, **narrowed)

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
                self._slug_keepers.add(number, row)
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

    def _read_pages(self, ids: list[int]) -> Iterator[list[Row]]:
        """Yield pages by their ids."""
        for rows in self._site.map(self._read_part, batches(ids, self._site.per_page)):
            yield sorted(rows, key=lambda row: row.get("status") != "publish")

    def _read_part(self, part: list[int]) -> list[Row]:
        """Return some pages; if one of them breaks the response, each one is requested.

        A single page may be larger.
        """
        site, selected = self._site, {"include": part, "status": self._statuses}
        try:
            return rows_of(self._get_list(PAGE_FIELDS, site.client.max_bytes, **selected).body)
        except NoAnswer as error:
            if error.is_refusal and error.status in (400, 401):
                raise
            site.check_answers(error)
        get_page = partial(site.get_row, PAGES, max_bytes=MAX_BYTES, context="edit")
        pages = (get_page(number, _fields=PAGE_FIELDS) for number in part)
        return [page for page in pages if page]

    def _add_revisions(self, page: Row) -> Row:
        """Return a page with its revisions, or with the reason why they are refused."""
        if "content" not in page:
            # It cannot be stored.
            return page
        route, max_bytes = f"{PAGES}/{page['id']}/revisions", self._site.client.max_bytes
        params = {"context": "edit", "per_page": 100, "_fields": REVISION_FIELDS}
        try:
            answer = self._site.get(route, max_bytes, **params)
        except NoAnswer as error:
            self._site.check_answers(error)
            return {**page, "refused_revisions": error.code or str(error.status)}
        return {**page, "revisions": rows_of(answer.body)}


def read_pattern(site: Site, number: int) -> str | None:
    """Return the content of a public synced pattern, or None."""
    fields = "id,status,password,content.raw"
    max_bytes = site.client.max_bytes
    pattern = site.get_row(BLOCKS, number, max_bytes, context="edit", _fields=fields) or {}
    content = pattern.get("content")
    is_public = pattern.get("status") == "publish" and not pattern.get("password")
    raw = content.get("raw") if isinstance(content, dict) and is_public else None
    return str(storable(raw)) if isinstance(raw, str) else None
