"""Brings what a site, or files of it, have into a store, and lists what became of it."""

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path

from landform.parts.moving_in import origins
from landform.parts.moving_in.incoming import IncomingWriter
from landform.parts.moving_in.origins import Origin
from landform.parts.moving_in.wordpress.access import opened
from landform.parts.moving_in.wordpress.blocks import Patterns
from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer
from landform.parts.moving_in.wordpress.convert import Converter
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.readers import (
    FEEDS,
    PAGES,
    FeedReader,
    PageReader,
    read_pattern,
    rows_of,
)
from landform.parts.moving_in.wordpress.report import Report
from landform.parts.moving_in.wordpress.site import Site, has_id
from landform.parts.moving_in.wordpress.values import SiteDates, address
from landform.storage import Store
from landform.storage.rows import Row

NO_FORMS = (
    "No feeds were read: Gravity Forms' REST API is not there. Switch it on at Forms, Settings, "
    "REST API."
)
REFUSED_FORMS = (
    "No feeds were read: {user} may not read them ({code}). The right gravityforms_edit_forms "
    "lets a user do so."
)
REFUSED_PAGES = "No pages were read: {user} may not edit pages ({code}). An editor may."
HIDDEN = (
    "{hidden:,} of {total:,} pages are hidden from {user}, and were not read. An editor sees all "
    "but those that only administrators may edit, such as that of the privacy policy."
)
UNCOUNTED = (
    "The site does not say how many pages there are: something on the way removes the header "
    "X-WP-Total. So it is not known whether pages are hidden from {user}."
)
MOVED = "Pages were created or deleted there meanwhile; their list was read again."
PROBED = (
    "Inactive feeds are in no list of Gravity Forms: {asked:,} ids up to {total:,} were asked for "
    "one by one, and {found:,} feeds found so. One beyond was not looked for (--probe {probe})."
)
NO_REVISIONS = "The revisions of {pages} could not be read ({code})."
OF_REVISION = "id,author,modified,modified_gmt,title.raw,content.raw"
OTHER_ZONE = (
    "The site's time zone is {theirs}, landform's is {ours}: local dates were converted. Set "
    "LANDFORM_TIMEZONE to that of the site, and import with --force, to keep them as they are."
)
NO_PAGES = "No pages were found in {file}: in WordPress, export all content, or pages."
NO_FEEDS = (
    "No feeds were found in {file}: Gravity Forms exports those of some add-ons only, in the list "
    "feeds of each form."
)
NO_ID = "A {resource} ({title}) was left out: it has no number as its id, or one beyond 2^62."
EXTRA = "Files of WordPress need defusedxml: install landform with the extra `wordpress`."
GO_ON = "What was read is stored: run the same command again to go on."
BATCH = 100
# What of a plan may be another one where an unfinished import goes on.
CHANGEABLE = ("probe", "delete", "keep")
# Shows how many of what it names are done, of how many.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked of an import, see the options of `landform import-wordpress`.

    `meta`: where its keys are. `forms`: ids there and here.
    """

    resources: frozenset[str] = frozenset(("page", "feed"))
    statuses: tuple[str, ...] = ()
    since: str = ""
    probe: int = 200
    force: bool = False
    delete: bool = False
    new_ids: bool = False
    revisions: bool = False
    keep: bool = True
    meta: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[int, int] = field(default_factory=dict)

    def key(self, user: str) -> str:
        """Return what an unfinished import has to have in common with one that goes on with it."""
        given = {name: value for name, value in vars(self).items() if name not in CHANGEABLE}
        return json.dumps([user, given], default=sorted, sort_keys=True)


def import_site(store: Store, client: Client, plan: Plan, progress: Progress) -> Report:
    """Bring the pages and feeds of a live site into a store, which is up to date."""
    with opened(client, plan.resources) as site, store.connection():
        dates = SiteDates(site.index, store.clock)
        run = origins.begin(store, site.home, plan.key(client.user), keep=plan.keep)
        run.state.setdefault("started", site.moment)
        patterns = Patterns(partial(read_pattern, site))
        importing = Import(store, run, dates, patterns, plan=plan, progress=progress)
        report = importing.run(lambda: importing.read_site(site))
        report.requests = client.requests
        if not dates.is_same:
            ours = str(store.clock.zone)
            report.warnings.append(OTHER_ZONE.format(theirs=dates.name, ours=ours))
        return report


def import_files(store: Store, files: Sequence[Path], plan: Plan, progress: Progress) -> Report:
    """Bring what WordPress exported, and what an export of Gravity Forms beside it tells."""
    try:
        from landform.parts.moving_in.wordpress.export_files import Export, read_forms  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise CannotBegin(EXTRA) from missing
    export = Export(files[0])
    pages = export.read(plan.statuses, plan.since)
    # The address of the site stands before its pages.
    first = list(islice(pages, 1))
    # So that a file that holds none is refused before anything is written.
    feeds = list(read_forms(files[1])) if len(files) > 1 else []
    with store.connection():
        run = origins.begin(store, address(export.home), plan.key(""), keep=plan.keep)
        patterns, dates = Patterns(export.patterns.get), SiteDates({}, store.clock)
        importing = Import(store, run, dates, patterns, plan=plan, progress=progress)

        def read() -> None:
            importing.know_slugs(export.slugs)
            importing.read_rows("page", chain(first, pages), export.pages)
            importing.read_rows("feed", iter(feeds), len(feeds))
            if export.broken:
                raise CannotBegin(export.broken)

        report = importing.run(read)
        if not export.pages and "page" in plan.resources:
            report.warnings.append(NO_PAGES.format(file=files[0]))
        if len(files) > 1 and "feed" in plan.resources and "feed" not in report.counts:
            report.warnings.append(NO_FEEDS.format(file=files[1]))
        return report


class Import:
    """One import into a store; inside `connection()`."""

    def __init__(
        self,
        store: Store,
        run: origins.Run,
        dates: SiteDates,
        patterns: Patterns,
        *,
        plan: Plan,
        progress: Progress,
    ) -> None:
        self._store, self._run, self._plan, self._progress = store, run, plan, progress
        sources = MetaSources(plan.meta)
        now = store.clock.now().utc
        self._converter = Converter(dates, sources, patterns, plan.forms, now)
        self._writer = IncomingWriter(
            store, run, force=plan.force, new_ids=plan.new_ids, keep=plan.keep
        )
        # The rows of a dry run, of which the store remembers nothing, by resource and id.
        self._unkept: dict[tuple[str, int], Origin] = {}
        self._removed: list[Origin] = []
        self.report = Report(run.source, not plan.keep)

    def run(self, read: Callable[[], None]) -> Report:
        """Read; return what became of it, also where it broke off; `CannotBegin` if of nothing."""
        began = time.monotonic()
        try:
            read()
        except (CannotBegin, NoAnswer, KeyboardInterrupt) as error:
            text = str(error) or "Interrupted."
            if not self._plan.keep or not any(self._all_seen()):
                self._end()
                raise CannotBegin(text) from error
            self.report.problems += [text, GO_ON]
        else:
            self._end()
        self.report.add(chain(self._all_seen(), self._removed))
        for (key, source), pages in sorted(self._converter.meta.used.items()):
            self.report.meta.setdefault(key, {})[source] = pages
        self.report.seconds = round(time.monotonic() - began, 1)
        return self.report

    def read_site(self, site: Site) -> None:
        """Bring the pages and feeds of a live site; `CannotBegin` where it lets nothing be read."""
        readers = {"page": self._read_pages, "feed": self._read_feeds}
        refused = [read(site) for name, read in readers.items() if name in self._plan.resources]
        if all(refused) and not any(self._all_seen()):
            raise CannotBegin("\n".join([*site.warnings, *refused]))
        self.report.problems += filter(None, refused)
        self.report.warnings += site.warnings

    def know_slugs(self, slugs: Mapping[str, int]) -> None:
        """Take which page of the site keeps each slug, by its id there."""
        self._writer.keepers = slugs

    def read_rows(self, resource: str, rows: Iterator[Row], total: int) -> None:
        """Bring what a file holds."""
        done = 0
        while resource in self._plan.resources and (batch := [*islice(rows, BATCH)]):
            self._take(resource, [*filter(has_id, batch)])
            unnumbered = [row.get("title", "")[:80] for row in batch if not has_id(row)]
            self.report.without_id += len(unnumbered)
            self.report.problems += [
                NO_ID.format(resource=resource, title=title) for title in unnumbered
            ]
            done += len(batch)
            self._progress(f"{resource}s", done, max(total, done))

    def _read_pages(self, site: Site) -> str:
        """Read the pages; return why there are none."""
        plan, done, user = self._plan, 0, site.client.user
        try:
            # Who may not edit pages is told so here, before other statuses are asked for.
            site.get(PAGES, context="edit", _fields="id", per_page=1)
        except NoAnswer as refused:
            if refused.status not in (401, 403):
                raise
            return REFUSED_PAGES.format(code=refused.code, user=user)
        reader = PageReader(site, self._seen_pages, plan.statuses, plan.since)
        reader.list_ids()
        self.know_slugs(reader.slugs)
        # What is created here while the import goes on shall have no id of the site's.
        self._writer.reserve("page", max(reader.ids, default=0))
        for batch in reader.read(self._run.state["started"]):
            done += len(batch)
            self._take("page", self._with_revisions(site, batch))
            self._progress("pages", done, max(reader.total or 0, done))
        hidden = HIDDEN.format(hidden=reader.hidden, total=reader.total or 0, user=user)
        if reader.hidden and not reader.ids:
            return hidden
        self.report.hidden_pages = reader.hidden
        self.report.warnings += [UNCOUNTED.format(user=user)] if reader.total is None else []
        self.report.warnings += [hidden] if reader.hidden else []
        self.report.warnings += [MOVED] if reader.has_moved else []
        if reader.is_whole:
            self._look_for_gone("page", lambda number: site.lacks(f"{PAGES}/{number}"))
        return ""

    def _read_feeds(self, site: Site) -> str:
        """Read the feeds; return why there are none."""
        if not site.has_forms:
            return NO_FORMS
        known = chain(origins.unseen(self._store, self._run, "feed"), self._all_seen())
        highest = max((one.source_id for one in known if one.resource == "feed"), default=0)
        reader = FeedReader(site, highest, self._plan.probe)
        try:
            for batch in reader.read():
                self._take("feed", batch)
                self._progress("feeds", reader.asked, reader.total)
        except NoAnswer as refused:
            if refused.status not in (401, 403, 404):
                raise
            return REFUSED_FORMS.format(user=site.client.user, code=refused.code)
        told = {"asked": reader.asked, "total": reader.total, "found": reader.found}
        self.report.warnings.append(PROBED.format(probe=self._plan.probe, **told))
        self._look_for_gone("feed", lambda number: site.lacks(f"{FEEDS}/{number}"))
        return ""

    def _with_revisions(self, site: Site, batch: list[Row]) -> list[Row]:
        """Return pages with their revisions, where those are wanted and may be read."""

        def read(page: Row) -> Row:
            if "content" not in page:
                # It is only told of.
                return page
            route, most = f"{PAGES}/{page['id']}/revisions", site.client.largest
            try:
                found = site.get(route, most, context="edit", per_page=100, _fields=OF_REVISION)
            except NoAnswer as refused:
                if not refused.status:
                    # The site is out of reach: the import goes on later.
                    raise
                unread.setdefault(refused.code or str(refused.status), []).append(page["id"])
                return page
            return {**page, "revisions": rows_of(found.body)}

        unread: dict[str, list[int]] = {}
        rows = list(site.pool.map(read, batch)) if self._plan.revisions else batch
        for code, ids in unread.items():
            pages = f"page {ids[0]}" + f" and {len(ids) - 1} others" * (len(ids) > 1)
            self.report.warnings.append(NO_REVISIONS.format(pages=pages, code=code))
        return rows

    def _take(self, resource: str, batch: list[Row]) -> None:
        rows = [self._converter.row(resource, one) for one in batch]
        found = self._writer.write(resource, {one.source_id: one for one in rows}.values())
        if not self._plan.keep:
            self._unkept |= {(one.resource, one.source_id): one for one in found}

    def _look_for_gone(self, resource: str, is_gone: Callable[[int], bool]) -> None:
        """List or delete what an import brought before, and what is not there any more."""
        for one in origins.unseen(self._store, self._run, resource):
            if is_gone(one.source_id):
                if self._plan.delete:
                    self._removed.append(self._writer.remove(one))
                else:
                    self.report.gone_there.append({"resource": resource, "id": one.source_id})

    def _end(self) -> None:
        """Record that the next import begins anew."""
        if self._plan.keep:
            self._run.state["complete"] = True
            with self._store.transaction():
                origins.save_run(self._store, self._run)

    def _all_seen(self) -> Iterator[Origin]:
        if self._plan.keep:
            return origins.seen(self._store, self._run)
        return iter(sorted(self._unkept.values(), key=lambda one: (one.resource, one.source_id)))

    def _seen_pages(self, ids: Collection[int]) -> Collection[int]:
        """Return which of some pages this import has seen."""
        if not self._plan.keep:
            return {number for number in ids if ("page", number) in self._unkept}
        found = origins.find(self._store, self._run.source, "page", ids)
        return {number for number, one in found.items() if one.run == self._run.number}
