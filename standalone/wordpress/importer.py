"""Brings what a site has into a store: batch by batch, each whole, and listed what became of it."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from landform.standalone.wordpress.access import missing_rights
from landform.standalone.wordpress.convert import Converter, far_id
from landform.standalone.wordpress.errors import CannotBegin, NoAnswer, Stopped
from landform.standalone.wordpress.feed_reader import FeedReader
from landform.standalone.wordpress.notes import note
from landform.standalone.wordpress.page_reader import ROUTE, PageReader
from landform.standalone.wordpress.report import Report
from landform.standalone.wordpress.site import Site
from landform.standalone.wordpress.values import storable
from landform.storage import Store
from landform.storage.maintenance import origins
from landform.storage.maintenance.incoming import Incoming, IncomingWriter
from landform.storage.maintenance.origins import Origin, Run

NO_FORMS = (
    "No feeds were read: Gravity Forms' REST API is not there. Switch it on at Forms, Settings, "
    "REST API."
)
REFUSED_FORMS = (
    "No feeds were read: {user} may not read them ({code}). The right gravityforms_edit_forms "
    "lets a user do so."
)
REFUSED_PAGES = "No pages were read: {user} may not edit pages ({code}). {rights}"
HIDDEN = (
    "{hidden:,} of {total:,} pages are hidden from {user}, and were not read. {rights}"
    "An administrator sees all of them."
)
UNCOUNTED = (
    "The site does not say how many pages there are: something on the way removes the header "
    "X-WP-Total. So it is not known whether pages are hidden from {user}."
)
MOVED = "Pages were created or deleted there meanwhile; their list was read again."
Progress = Callable[[str, int, int], None]
Row = dict[str, Any]
BROKEN = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked of an import, see the options of `landform import-wordpress`."""

    resources: frozenset[str] = frozenset(("page", "feed"))
    statuses: tuple[str, ...] = ()
    since: str = ""
    requests: int = 4
    probe: int = 200
    force: bool = False
    delete: bool = False
    new_ids: bool = False
    keep: bool = True


class Import:
    """One import into a store; inside `connection()`."""

    def __init__(
        self, store: Store, run: Run, converter: Converter, plan: Plan, progress: Progress
    ) -> None:
        self._store, self._run, self._converter, self._plan = store, run, converter, plan
        self._progress = progress
        self._writer = IncomingWriter(
            store, run, force=plan.force, new_ids=plan.new_ids, keep=plan.keep
        )
        self._unkept: dict[tuple[str, int], Origin] = {}
        self._removed: list[Origin] = []
        self.report = Report(run.source, not plan.keep)

    def read_site(self, site: Site) -> Report:
        """Bring the pages and feeds of a live site; `CannotBegin` where it lets nothing be read."""
        began, self._run.state["started"] = time.monotonic(), self._started(site)
        try:
            refused = self._read(site)
        except (CannotBegin, NoAnswer) as error:
            raise self._ended(error) from error
        if all(refused) and not self._any_seen():
            self._end()
            raise CannotBegin("\n".join([*site.warnings, *filter(None, refused)]))
        self.report.problems += filter(None, refused)
        self.report.warnings += site.warnings
        self.report.requests = site.client.requests
        return self._finish(began)

    def read_rows(self, pages: Iterable[Row], feeds: Iterable[Row]) -> Report:
        """Bring what files hold."""
        began = time.monotonic()
        try:
            for resource, rows in (("page", pages), ("feed", feeds)):
                if resource in self._plan.resources:
                    for batch in _batches(rows):
                        self._take(resource, batch)
        except CannotBegin as error:
            raise self._ended(error) from error
        return self._finish(began)

    def _ended(self, error: Exception) -> Exception:
        """Return what an import ends with that cannot go on: stopped, if there are rows of it."""
        if self._plan.keep and self._any_seen():
            return Stopped(str(error))
        self._end()
        return CannotBegin(self._told(error) if isinstance(error, NoAnswer) else str(error))

    def _read(self, site: Site) -> list[str]:
        """Read what is wanted; return why something is not there, or nothing, for each."""
        readers = {"page": self._read_pages, "feed": self._read_feeds}
        return [read(site) for name, read in readers.items() if name in self._plan.resources]

    def _told(self, refused: NoAnswer) -> str:
        """Return why the site gives nothing, with the option that it refuses."""
        given = {
            "--status": (self._plan.statuses, "status"),
            "--since": (self._plan.since, "modified_after"),
        }
        wrong = [
            name for name, (value, param) in given.items() if value and param in refused.params
        ]
        return f"{refused} The site refuses {' and '.join(wrong)}." if wrong else str(refused)

    def _started(self, site: Site) -> str:
        return str(self._run.state.get("started") or site.moment)

    def _read_pages(self, site: Site) -> str:
        """Read the pages; return why there are none."""
        plan, done = self._plan, 0
        try:
            # Who may not edit pages is told so here, before other statuses are asked for.
            site.get(ROUTE, context="edit", _fields="id", per_page=1)
            reader = PageReader(
                site, lambda ids: self._seen("page", ids), requests=plan.requests,
                started=self._run.state["started"], statuses=plan.statuses, since=plan.since,
            )  # fmt: skip
            reader.list_ids()
            if self._writer.keeps_ids and reader.highest:
                # What is created here while the import goes on shall have no id of the site's.
                self._writer.reserve("page", reader.highest)
            for batch in reader.read():
                done += len(batch)
                self._take("page", batch)
                self._progress("page", done, max(reader.total, done))
        except NoAnswer as refused:
            if refused.status not in (401, 403):
                raise
            rights = missing_rights(site)
            return REFUSED_PAGES.format(user=site.client.user, code=refused.code, rights=rights)
        rights = missing_rights(site)
        told = {"user": site.client.user, "rights": f"{rights} " if rights else ""}
        hidden = HIDDEN.format(hidden=reader.hidden, total=reader.total, **told)
        if reader.hidden and reader.hidden == reader.total:
            return hidden
        self.report.hidden = reader.hidden
        if not reader.is_counted:
            self.report.warnings.append(UNCOUNTED.format(user=site.client.user))
        self.report.warnings += [hidden] if reader.hidden else []
        self.report.warnings += [MOVED] if reader.has_moved else []
        if reader.is_whole:
            listed = {*reader.listed.published, *reader.listed.others}
            self._look_for_gone("page", reader.is_gone, listed)
        return ""

    def _read_feeds(self, site: Site) -> str:
        """Read the feeds; return why there are none."""
        if not site.has_forms:
            return NO_FORMS
        state, plan = self._run.state.setdefault("feed", {}), self._plan
        known = [one.source_id for one in origins.unseen(self._store, self._run, "feed")]
        seen = [one.source_id for one in self._all_seen() if one.resource == "feed"]
        reader = FeedReader(
            site, state, seen=seen, known=known, requests=plan.requests, probe=plan.probe
        )
        try:
            for batch in reader.read():
                self._take("feed", batch)
                self._progress("feed", state.get("probed", 0), reader.total)
        except NoAnswer as refused:
            if refused.status not in (401, 403, 404):
                raise
            return REFUSED_FORMS.format(user=site.client.user, code=refused.code)
        self.report.warnings.append(
            f"Inactive feeds are in no list of Gravity Forms: {reader.asked:,} ids up to "
            f"{reader.total:,} were asked for one by one, and {reader.found:,} feeds found so. "
            "One further away was not found (--probe)."
        )
        self._look_for_gone("feed", reader.is_gone)
        return ""

    def _take(self, resource: str, batch: list[Row]) -> None:
        convert = self._converter.page if resource == "page" else self._converter.feed
        rows = [_converted(convert, resource, one) for one in batch]
        near = {one.source_id: one for one in rows if not far_id(one.source_id)}
        far = self._run.state.setdefault("far", [])
        told = [[resource, one.source_id, *one.notes] for one in rows if far_id(one.source_id)]
        far += [one for one in told if one not in far]
        found = self._writer.write(resource, near.values())
        if not self._plan.keep:
            self._unkept |= {(one.resource, one.source_id): one for one in found}

    def _look_for_gone(
        self, resource: str, is_gone: Callable[[int], bool], ids: Collection[int] = ()
    ) -> None:
        """List or delete what an import brought before, and what is not there any more."""
        missing = list(origins.unseen(self._store, self._run, resource))
        if ids:
            missing += [
                one for one in self._all_seen()
                if one.resource == resource and one.source_id not in ids and one.target_id
            ]  # fmt: skip
        for one in missing:
            if not is_gone(one.source_id):
                continue
            if self._plan.delete:
                self._removed.append(self._writer.remove(one))
            else:
                self.report.gone.append({"resource": resource, "id": one.source_id})

    def _finish(self, began: float) -> Report:
        self._end()
        self.report.add(self._all_seen())
        self.report.add(self._removed)
        self.report.add(self._left_out())
        self.report.end()
        for (key, source), pages in sorted(self._converter.meta.used.items()):
            self.report.meta.setdefault(key, {})[source] = pages
        self.report.seconds = time.monotonic() - began
        return self.report

    def _end(self) -> None:
        """Record that the next import begins anew."""
        if self._plan.keep:
            self._run.state["complete"] = True
            with self._store.transaction():
                origins.save_run(self._store, self._run)

    def _left_out(self) -> Iterator[Origin]:
        """Yield the rows whose ids no database holds."""
        for resource, number, *told in self._run.state.get("far", ()):
            yield Origin(resource, number, outcome="left-out", notes=tuple(told))

    def _all_seen(self) -> Iterator[Origin]:
        if not self._plan.keep:
            yield from sorted(self._unkept.values(), key=lambda one: (one.resource, one.source_id))
            return
        yield from origins.seen(self._store, self._run)

    def _any_seen(self) -> bool:
        return next(self._all_seen(), None) is not None

    def _seen(self, resource: str, ids: Collection[int]) -> Collection[int]:
        if not self._plan.keep:
            return {number for number in ids if (resource, number) in self._unkept}
        far = {number for number in ids if far_id(number)}
        found = origins.find(self._store, self._run.source, resource, {*ids} - far)
        return far | {number for number, one in found.items() if one.run == self._run.number}


def _converted(convert: Callable[[Row], Incoming], resource: str, given: Row) -> Incoming:
    """Return what a row becomes; one that is like no other stops nothing."""
    try:
        return convert(given)
    except BROKEN as error:
        why = storable(f"cannot be read ({type(error).__name__}: {error})")
        told = note("unreadable", text=why)
        return Incoming(resource, int(given["id"]), None, notes=(told,))


def _batches(rows: Iterable[Row], size: int = 100) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch
