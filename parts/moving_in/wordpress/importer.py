"""Import a site, or files that it exported, into a store."""

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
from landform.parts.moving_in.wordpress import readers
from landform.parts.moving_in.wordpress.access import open_site
from landform.parts.moving_in.wordpress.blocks import ReadPattern
from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer
from landform.parts.moving_in.wordpress.convert import Converter
from landform.parts.moving_in.wordpress.export_files import Export, read_forms
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.report import PLURALS, Report
from landform.parts.moving_in.wordpress.site import Site, has_id
from landform.parts.moving_in.wordpress.values import SiteDates, site_address
from landform.storage import Store
from landform.storage.maintenance.transfer import reserve_ids
from landform.storage.part import exported_tables
from landform.storage.rows import Row

NO_FORMS = (
    "No forms or feeds were read: Gravity Forms' REST API is not there. Switch it on at "
    "Forms, Settings, REST API."
)
REFUSED = "No {names} were read: {user} may not read them ({code}). The right {right} allows it."
FORMS_UNKNOWN = "No forms were read: this landform is without the part that stores them."
PAGES_REFUSED = "No pages were read: {user} may not edit pages ({code}). An editor may."
HIDDEN = (
    "{hidden:,} of {total:,} pages are hidden from {user}, and were not read. An editor sees all "
    "but those that only administrators may edit, such as that of the privacy policy."
)
UNCOUNTED = (
    "The site does not say how many pages there are: something on the way removes the header "
    "X-WP-Total. So it is not known whether pages are hidden from {user}."
)
CHANGED = "Pages were created or deleted there meanwhile; their list was read again."
PROBED = (
    "Inactive {names} are in no list of Gravity Forms: {count:,} ids up to {total:,} were "
    "asked for one by one, and {hits:,} {names} found so. One beyond was not looked for "
    "(--probe {probe})."
)
REVISION_FIELDS = "id,author,modified,modified_gmt,title.raw,content.raw"
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
CONTINUE = "What was read is stored: run the same command again to go on."
BATCH = 100
# Options that may differ when an unfinished import is continued.
CHANGEABLE = ("probe", "delete", "keep")
# Called with a name such as "pages", the number of rows that have been read, and the total.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The options of `landform import-wordpress`.

    `meta` has the sources of keys, `forms` the ids of forms here by those there.
    """

    resources: frozenset[str]
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
        """Return the options that must be equal to continue an unfinished import."""
        options = {name: value for name, value in vars(self).items() if name not in CHANGEABLE}
        return json.dumps([user, options], default=sorted, sort_keys=True)


def import_site(store: Store, client: Client, plan: Plan, progress: Progress) -> Report:
    """Import the pages and feeds of a live site into an up-to-date store."""
    with open_site(client, plan.resources) as site, store.connection():
        dates = SiteDates(site.index, store.clock)
        read_pattern = partial(readers.read_pattern, site)
        run = origins.begin(store, site.home, plan.key(client.user), keep=plan.keep)
        run.state.setdefault("started", site.time)
        site_import = Import(store, run, dates, read_pattern, plan=plan, progress=progress)
        report = site_import.run(lambda: site_import.read_site(site))
        report.requests = client.requests
        if not dates.has_same_zone:
            ours = str(store.clock.zone)
            report.warnings.append(OTHER_ZONE.format(theirs=dates.zone_name, ours=ours))
        return report


def import_files(store: Store, files: Sequence[Path], plan: Plan, progress: Progress) -> Report:
    """Import an export of WordPress, and perhaps one of Gravity Forms."""
    export = Export(files[0])
    pages = export.read(plan.statuses, plan.since)
    # An invalid file is refused before anything is written.
    first = list(islice(pages, 1))
    forms, feeds = read_forms(files[1]) if len(files) > 1 else ([], [])
    with store.connection():
        run = origins.begin(store, site_address(export.home), plan.key(""), keep=plan.keep)
        dates = SiteDates({}, store.clock)
        file_import = Import(store, run, dates, export.patterns.get, plan=plan, progress=progress)

        def read() -> None:
            file_import.writer.slug_keepers = export.slug_keepers
            # What refers to a form comes after it, since it may get a new id.
            file_import.read_rows("form", iter(forms), len(forms))
            file_import.read_rows("page", chain(first, pages), export.pages)
            file_import.read_rows("feed", iter(feeds), len(feeds))
            if export.error:
                raise CannotBegin(export.error)

        report = file_import.run(read)
        if not export.pages and "page" in plan.resources:
            report.warnings.append(NO_PAGES.format(file=files[0]))
        if len(files) > 1 and "feed" in plan.resources and "feed" not in report.counts:
            report.warnings.append(NO_FEEDS.format(file=files[1]))
        return report


class Import:
    """One import into a store; inside `connection()`."""

    def __init__(
        self, store: Store, run: origins.Run, dates: SiteDates, read_pattern: ReadPattern, *,
        plan: Plan, progress: Progress,
    ) -> None:  # fmt: skip
        self._store, self._run, self._plan, self._progress = store, run, plan, progress
        now = store.clock.now().utc
        self._converter = Converter(
            dates, MetaSources(plan.meta), read_pattern, dict(plan.forms), now
        )
        self.writer = IncomingWriter(
            store, run, force=plan.force, new_ids=plan.new_ids, keep=plan.keep
        )
        # The pages that a dry run has read, which no database has.
        self._dry_run_pages = set[int]()
        self.report = Report(run.source, not plan.keep)

    def run(self, read: Callable[[], None]) -> Report:
        """Read rows and return the report, also of a part of them; `CannotBegin` if of none."""
        started = time.monotonic()
        try:
            read()
        except (CannotBegin, NoAnswer, KeyboardInterrupt) as error:
            text = str(error) or "Interrupted."
            if not self._plan.keep or not self._has_read():
                self._complete()
                raise CannotBegin(text) from error
            self.report.problems += [text, CONTINUE]
        else:
            self._complete()
        self.report.add(origins.of_run(self._store, self._run))
        self.report.sort()
        for (key, source), pages in sorted(self._converter.meta.used.items()):
            self.report.meta.setdefault(key, {})[source] = pages
        self.report.seconds = round(time.monotonic() - started, 1)
        return self.report

    def read_site(self, site: Site) -> None:
        """Import a live site, or raise `CannotBegin` if nothing may be read."""
        # With new ids, forms come before what refers to them.
        names = sorted(PLURALS, key=lambda name: name != "form") if self._plan.new_ids else PLURALS
        reasons = [
            self._read_pages(site) if name == "page" else self._read_gravity_forms(site, name)
            for name in names if name in self._plan.resources
        ]  # fmt: skip
        if all(reasons) and not self._has_read():
            raise CannotBegin("\n".join([*site.warnings, *reasons]))
        self.report.problems += filter(None, dict.fromkeys(reasons))
        self.report.warnings += site.warnings
        if "form" not in exported_tables():
            self.report.warnings.append(FORMS_UNKNOWN)

    def read_rows(self, resource: str, rows: Iterator[Row], total: int) -> None:
        """Import the rows of a file."""
        count = 0
        while resource in self._plan.resources and (batch := [*islice(rows, BATCH)]):
            self._write(resource, [*filter(has_id, batch)])
            titles = [row.get("title", "")[:80] for row in batch if not has_id(row)]
            self.report.without_id += len(titles)
            self.report.problems += [NO_ID.format(resource=resource, title=t) for t in titles]
            count += len(batch)
            self._progress(PLURALS[resource], count, max(total, count))

    def _read_pages(self, site: Site) -> str:
        """Read the pages; return the reason if there are none."""
        plan, report, user, count = self._plan, self.report, site.client.user, 0
        try:
            # Refused to users who must not edit pages.
            site.get(readers.PAGES, context="edit", _fields="id", per_page=1)
        except NoAnswer as error:
            if error.status not in (401, 403):
                raise
            return PAGES_REFUSED.format(code=error.code, user=user)
        reader = readers.PageReader(site, self._seen_pages, plan.statuses, plan.since)
        reader.list_ids()
        self.writer.slug_keepers = reader.slug_keepers
        if plan.keep and not plan.new_ids:
            # Pages that are created here during the import get higher ids.
            reserve_ids(self._store, {"page": max(reader.ids, default=0)})
        for batch in reader.read(self._run.state["started"]):
            count += len(batch)
            self._write("page", self._add_revisions(site, batch))
            self._progress("pages", count, max(reader.total or 0, count))
        hidden = HIDDEN.format(hidden=reader.hidden, total=reader.total or 0, user=user)
        if reader.hidden and not reader.ids:
            return hidden
        report.hidden_pages = reader.hidden
        report.warnings += [UNCOUNTED.format(user=user)] if reader.total is None else []
        report.warnings += [hidden] if reader.hidden else []
        report.warnings += [CHANGED] if reader.has_changed else []
        if reader.reads_all:
            self._find_deleted(site, "page", readers.PAGES)
        return ""

    def _read_gravity_forms(self, site: Site, resource: str) -> str:
        """Read the forms, feeds or entries; return the reason if there are none."""
        if not site.has_forms:
            return NO_FORMS
        names, (route, right) = PLURALS[resource], readers.GRAVITY_FORMS[resource]
        reader: readers.EntryReader | readers.FeedReader = readers.EntryReader(site)
        if resource != "entry":
            highest = origins.highest_id(self._store, self._run.source, resource)
            reader = readers.FeedReader(site, route, highest, self._plan.probe)
        try:
            for batch in reader.read():
                self._write(resource, batch)
                self._progress(names, reader.count, reader.total)
        except NoAnswer as error:
            if error.status not in (401, 403, 404):
                raise
            user = site.client.user
            return REFUSED.format(names=names, user=user, code=error.code, right=right)
        if isinstance(reader, readers.FeedReader):
            self.report.warnings.append(PROBED.format(names=names, **vars(reader)))
        self._find_deleted(site, resource, route)
        return ""

    def _add_revisions(self, site: Site, batch: list[Row]) -> list[Row]:
        """Add the revisions to pages, if the plan has them, or the reason why they are refused."""

        def read(page: Row) -> Row:
            if "content" not in page:
                # It cannot be stored.
                return page
            route, max_bytes = f"{readers.PAGES}/{page['id']}/revisions", site.client.max_bytes
            params = {"context": "edit", "per_page": 100, "_fields": REVISION_FIELDS}
            try:
                answer = site.get(route, max_bytes, **params)
            except NoAnswer as error:
                if not error.status:
                    # The site is down: the import is continued later.
                    raise
                return {**page, "refused_revisions": error.code or str(error.status)}
            return {**page, "revisions": readers.rows_of(answer.body)}

        return list(site.map(read, batch)) if self._plan.revisions else batch

    def _write(self, resource: str, batch: list[Row]) -> None:
        # A form that is another one here stays as it is here.
        skipped = self._plan.forms if resource == "form" else ()
        rows = [
            self._converter.convert(resource, row) for row in batch if int(row["id"]) not in skipped
        ]
        outcomes = self.writer.write(resource, {row.source_id: row for row in rows}.values())
        for origin in outcomes if resource == "form" else ():
            if origin.target_id not in (0, origin.source_id):
                self._converter.map_form(origin.source_id, origin.target_id)
        if not self._plan.keep:
            # A page may be read twice.
            read_ids = self._dry_run_pages if resource == "page" else set[int]()
            self.report.add(row for row in outcomes if row.source_id not in read_ids)
            read_ids.update(row.source_id for row in outcomes)

    def _find_deleted(self, site: Site, resource: str, route: str) -> None:
        """List or delete rows of earlier imports that were deleted there."""

        def check(origin: Origin) -> tuple[Origin, bool]:
            return origin, site.lacks(f"{route}/{origin.source_id}")

        unread = origins.of_earlier_runs(self._store, self._run, resource)
        for origin, is_deleted in site.map(check, unread):
            if is_deleted and self._plan.delete:
                self.report.add([self.writer.remove(origin)])
            elif is_deleted:
                self.report.gone_there.append({"resource": resource, "id": origin.source_id})

    def _complete(self) -> None:
        """Record that the next import is a new one."""
        if self._plan.keep:
            self._run.state["complete"] = True
            with self._store.transaction():
                origins.save_run(self._store, self._run)

    def _has_read(self) -> bool:
        """Return whether any row was read, perhaps before an interruption."""
        return bool(self.report.counts) or any(origins.of_run(self._store, self._run))

    def _seen_pages(self, ids: Collection[int]) -> Collection[int]:
        """Return the ids of pages that this import has read."""
        if not self._plan.keep:
            return self._dry_run_pages.intersection(ids)
        known = origins.find(self._store, self._run.source, "page", ids)
        return {number for number, origin in known.items() if origin.run == self._run.number}
