"""Import a site, or files that it exported, into a store."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from landform.parts.moving_in import origins
from landform.parts.moving_in.incoming import IncomingWriter
from landform.parts.moving_in.origins import NOTIFICATION, Origin
from landform.parts.moving_in.wordpress.blocks import ReadPattern
from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer, NotRead
from landform.parts.moving_in.wordpress.convert import Converter
from landform.parts.moving_in.wordpress.export_files import Export, open_export
from landform.parts.moving_in.wordpress.gravity_forms import read_file, read_gravity_forms
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.notifications import LAST_FEED_ID, read_notifications
from landform.parts.moving_in.wordpress.pages import PageReader, read_pattern
from landform.parts.moving_in.wordpress.pictures import Pictures
from landform.parts.moving_in.wordpress.report import PLURALS, Plan, Progress, Report
from landform.parts.moving_in.wordpress.site import ROUTES, Batch, Site, has_id, open_site
from landform.parts.moving_in.wordpress.values import SiteDates, site_address
from landform.storage import Store
from landform.storage.maintenance.transfer import reserve_ids
from landform.storage.models import exported_tables
from landform.storage.rows import Row, batches

FORMS_UNKNOWN = "No forms were read: this landform is without the part that stores them."
OTHER_ZONE = (
    "The site's time zone is {theirs}, landform's is {ours}: local dates were converted. Set "
    "LANDFORM_TIMEZONE to that of the site, and import with --force, to keep them as they are."
)
# What a user needs for each resource.
RIGHTS = {
    "page": "role of an editor",
    "form": "right gravityforms_edit_forms",
    "feed": "right gravityforms_edit_forms",
    "entry": "right gravityforms_view_entries",
}
REFUSED = "No {names} were read: {user} may not read them ({code}). The {right} allows it."
NO_PAGES = "No pages were found in {file}: in WordPress, export all content, or pages."
NO_FEEDS = (
    "No feeds were found in {file}: Gravity Forms exports those of some add-ons only, in the list "
    "feeds of each form."
)
NO_ID = "A {resource} ({title}) was left out: it has no number as its id, or one beyond 2^62."
CONTINUE = "What was read is stored: run the same command again to go on."
# How many rows of a file are written at a time.
BATCH = 100


def import_site(
    store: Store, client: Client, plan: Plan, progress: Progress, *,
    store_picture: Callable[..., Row] | None = None, files_url: str = "",
) -> Report:  # fmt: skip
    """Import the pages, forms, feeds and entries of a live site into an up-to-date store.

    With `plan.media`, pictures too: `files_url` is the start of the addresses of their files.
    """
    with open_site(client, plan.resources) as site, store.connection():
        dates = SiteDates(site.index, store.clock)
        run = origins.begin(store, site.home, plan.key(client.user), keep=plan.keep)
        run.state.setdefault("started", site.time)
        read = partial(read_pattern, site)
        site_import = Import(store, run, dates, read, plan=plan, progress=progress)
        if plan.media and store_picture:
            site_import.pictures = Pictures(
                site, store, run, plan, dates, site_import.report, progress,
                partial(store_picture, store), files_url,
            )  # fmt: skip
        report = site_import.run(site_import.of_site(site))
        report.requests = client.requests
        if not dates.has_same_zone:
            ours = str(store.clock.zone)
            report.warnings.append(OTHER_ZONE.format(theirs=dates.zone_name, ours=ours))
        return report


def import_files(store: Store, files: Sequence[Path], plan: Plan, progress: Progress) -> Report:
    """Import an export of WordPress, and perhaps one of Gravity Forms."""
    with open_export(files[0]) as export, store.connection():
        # An invalid file is refused before anything is written.
        forms, feeds = read_file(files[1]) if len(files) > 1 else ([], [])
        run = origins.begin(store, site_address(export.home), plan.key(""), keep=plan.keep)
        dates = SiteDates({}, store.clock)
        file_import = Import(store, run, dates, export.patterns.get, plan=plan, progress=progress)
        report = file_import.run(file_import.of_files(export, forms, feeds))
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
        # The ids of forms here by those there.
        self._forms = dict(plan.forms)
        meta, now = MetaSources(plan.meta), store.clock.now().utc
        self._converter = Converter(dates, meta, read_pattern, self._forms, now)
        self._writer = IncomingWriter(store, run, plan)
        self.report = Report(run.source, not plan.keep)
        self.pictures: Pictures | None = None

    def run(self, sources: Iterable[tuple[str, Iterator[Batch]]]) -> Report:
        """Write the rows of some resources and return the report, also of a part of them.

        Raises `CannotBegin` if nothing was read.
        """
        started, is_read, problems = time.monotonic(), False, self.report.problems
        try:
            for resource, batches in sources:
                try:
                    self._write_all(resource, batches)
                    is_read = True
                except NotRead as reason:
                    problems += [text for text in [str(reason)] if text not in problems]
            if not is_read and not self._has_read():
                raise CannotBegin("\n".join([*self.report.warnings, *problems]) or FORMS_UNKNOWN)
            self._complete()
        except (CannotBegin, NoAnswer, KeyboardInterrupt) as error:
            text = str(error) or "Interrupted."
            if not self._plan.keep or not self._has_read():
                self._complete()
                raise CannotBegin(text) from error
            problems += [text, CONTINUE]
        self.report.add(origins.of_run(self._store, self._run))
        self.report.sort()
        for (key, source), pages in sorted(self._converter.meta.used.items()):
            self.report.meta.setdefault(key, {})[source] = pages
        self.report.seconds = round(time.monotonic() - started, 1)
        return self.report

    def of_site(self, site: Site) -> Iterator[tuple[str, Iterator[Batch]]]:
        """Yield the resources of a live site with their rows."""
        # With new ids, forms come before what refers to them.
        names = sorted(PLURALS, key=lambda name: name != "form") if self._plan.new_ids else PLURALS
        for name in names:
            if name in self._plan.resources:
                yield name, self._site_rows(site, name)
        self.report.warnings += site.warnings
        if "form" not in exported_tables():
            self.report.warnings.append(FORMS_UNKNOWN)

    def of_files(
        self, export: Export, forms: list[Row], feeds: list[Row]
    ) -> Iterator[tuple[str, Iterator[Batch]]]:
        """Yield the resources of exported files with their rows."""
        self._writer.slug_keepers.update(export.slug_keepers)
        pages = export.read(self._plan.statuses, self._plan.since)
        # What refers to a form comes after it, since it may get a new id.
        files = {"form": (forms, len(forms)), "page": (pages, export.pages)}
        for name, (rows, total) in (files | {"feed": (feeds, len(feeds))}).items():
            if name in self._plan.resources:
                yield name, self._file_rows(name, iter(rows), total)
        if export.error:
            raise CannotBegin(export.error)

    def _site_rows(self, site: Site, resource: str) -> Iterator[Batch]:
        """Yield the rows of a resource, and look for those that were deleted there.

        Raises `NoAnswer` if the site is gone, else `NotRead`.
        """
        try:
            if resource == "page":
                yield from self._pages(site)
            else:
                highest = origins.highest_id(self._store, self._run.source, resource)
                probe = self._plan.probe
                yield from read_gravity_forms(site, self.report, resource, highest, probe)
            if resource != "page" or not (self._plan.statuses or self._plan.since):
                self._find_deleted(site, resource)
        except NoAnswer as error:
            site.check_answers(error)
            text = str(error)
            if error.is_refusal and error.status in (401, 403, 404):
                names, user, right = PLURALS[resource], site.client.user, RIGHTS[resource]
                text = REFUSED.format(names=names, user=user, code=error.code, right=right)
            raise NotRead(text) from error

    def _pages(self, site: Site) -> Iterator[Batch]:
        """Yield the pages of a site."""
        plan, read_before = self._plan, origins.of_run(self._store, self._run, "page")
        reader = PageReader(
            site, self.report, plan, started=self._run.state["started"],
            read_ids={origin.source_id for origin in read_before},
            slug_keepers=self._writer.slug_keepers,
        )  # fmt: skip
        reader.begin()
        if plan.keep and not plan.new_ids:
            # Pages that are created here during the import get higher ids.
            reserve_ids(self._store, {"page": max(reader.ids, default=0)})
        yield from reader.read()

    def _file_rows(self, resource: str, rows: Iterator[Row], total: int) -> Iterator[Batch]:
        """Yield the rows of a file, and report those without a valid id."""
        count = 0
        while batch := [*islice(rows, BATCH)]:
            count += len(batch)
            titles = [str(row.get("title") or "")[:80] for row in batch if not has_id(row)]
            self.report.without_id += len(titles)
            self.report.problems += [NO_ID.format(resource=resource, title=t) for t in titles]
            yield [*filter(has_id, batch)], count, total

    def _write_all(self, resource: str, batches: Iterator[Batch]) -> None:
        # A form that is another one here stays as it is here.
        skipped = self._plan.forms if resource == "form" else ()
        for batch, count, total in batches:
            rows = [
                self._converter.convert(resource, row)
                for row in batch if int(row["id"]) not in skipped
            ]  # fmt: skip
            if self.pictures and resource == "page":
                rows = self.pictures.bring(rows)
            outcomes = self._writer.write(resource, {row.source_id: row for row in rows}.values())
            for origin in outcomes if resource == "form" else ():
                if origin.target_id not in (0, origin.source_id):
                    self._forms[origin.source_id] = origin.target_id
            if resource == "form":
                # Not those of which the id is that of another form here.
                stored = {origin.source_id for origin in outcomes if origin.digest}
                forms = [form for form in batch if int(form["id"]) in stored]
                outcomes += self._write_notifications(forms)
            if not self._plan.keep:
                self.report.add(outcomes)
            self._progress(PLURALS[resource], count, max(total, count))

    def _write_notifications(self, forms: list[Row]) -> list[Origin]:
        """Write the feeds of the notifications of forms; return their outcomes."""
        rows = [
            self._converter.convert("feed", feed)._replace(
                resource=NOTIFICATION, link=f"{ROUTES['form']}/{form['id']}"
            )
            for form in forms for _, _, feed in read_notifications(form) if feed
        ]  # fmt: skip
        if rows and self._plan.keep:
            reserve_ids(self._store, {"feed": LAST_FEED_ID})
        outcomes = [self._writer.write(NOTIFICATION, part) for part in batches(rows, BATCH)]
        return [origin for part in outcomes for origin in part]

    def _find_deleted(self, site: Site, resource: str) -> None:
        """List or delete rows of earlier imports that were deleted there."""

        def check(origin: Origin) -> tuple[Origin, bool]:
            return origin, _is_deleted(site, origin)

        unread = origins.of_earlier_runs(self._store, self._run, resource)
        for origin, is_deleted in site.map(check, unread):
            if is_deleted and self._plan.delete:
                self.report.add([self._writer.remove(origin)])
            elif is_deleted:
                self.report.gone_there.append({"resource": resource, "id": origin.shown_id})
        if resource == "form":
            self._find_deleted(site, NOTIFICATION)

    def _complete(self) -> None:
        """Record that the next import is a new one."""
        if self._plan.keep:
            self._run.state["complete"] = True
            with self._store.transaction():
                origins.save(self._store, self._run)

    def _has_read(self) -> bool:
        """Return whether any row was read, perhaps before an interruption."""
        return bool(self.report.counts) or any(origins.of_run(self._store, self._run))


def _is_deleted(site: Site, origin: Origin) -> bool:
    """Return whether a row was deleted there, and is not only hidden or unreadable."""
    if origin.resource != NOTIFICATION:
        route = ROUTES[origin.resource]
        return site.get_row(route, origin.source_id, context="edit", _fields="id") is None
    route, _, form_id = origin.link.rpartition("/")
    form = site.get_row(route, int(form_id))
    if form is None or "unreadable" in form:
        return form is None
    return origin.source_id not in [number for number, _, _ in read_notifications(form)]
