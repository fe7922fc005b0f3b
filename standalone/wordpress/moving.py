"""An import from beginning to end: the site or the file is opened, read, and closed."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

from landform.standalone.wordpress.access import open_site
from landform.standalone.wordpress.client import Client
from landform.standalone.wordpress.convert import Converter
from landform.standalone.wordpress.dates import SiteDates
from landform.standalone.wordpress.forms_file import read_forms
from landform.standalone.wordpress.importer import Import, Plan, Progress
from landform.standalone.wordpress.meta import MetaSources
from landform.standalone.wordpress.report import Report
from landform.standalone.wordpress.site import Site
from landform.standalone.wordpress.wxr import Export
from landform.storage import Store
from landform.storage.maintenance import origins

Row = dict[str, Any]
OTHER_ZONE = (
    "The site's time zone is {theirs}, landform's is {ours}: local dates were converted. Set "
    "LANDFORM_TIMEZONE to that of the site, and import with --force, to keep them as they are."
)
NO_FEEDS = (
    "No feeds were found in {file}: Gravity Forms exports those of some add-ons only, in the list "
    "feeds of each form."
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Access:
    """How a site is asked. No repr: it would show the password."""

    url: str
    user: str
    password: str
    agent: str
    requests: int = 4
    timeout: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How rows are converted: where the keys of the meta are, and the ids of forms."""

    meta: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[int, int] = field(default_factory=dict)


@contextmanager
def opened(access: Access, resources: frozenset[str]) -> Iterator[Site]:
    """Yield the site that an access leads to; `CannotBegin` where it leads to none."""
    client = Client(
        access.url, access.user, access.password, requests=access.requests,
        timeout=access.timeout, agent=access.agent,
    )  # fmt: skip
    pool = ThreadPoolExecutor(access.requests)
    try:
        yield open_site(client, pool, resources)
    finally:
        pool.shutdown(cancel_futures=True)
        client.close()


def make_converter(index: dict[str, Any], store: Store, how: Rules) -> Converter:
    """Return what turns rows of a site into those of a store."""
    dates = SiteDates(index, store.clock)
    return Converter(dates, MetaSources(how.meta), how.forms, store.clock.now().utc)


def import_site(store: Store, access: Access, plan: Plan, how: Rules, progress: Progress) -> Report:
    """Bring the pages and feeds of a live site into a store, which is up to date."""
    with opened(access, plan.resources) as site, store.connection():
        converter = make_converter(site.index, store, how)
        key = options_key(access.user, plan, how)
        run = origins.begin(store, site.home, key, keep=plan.keep)
        report = Import(store, run, converter, plan, progress).read_site(site)
        dates = SiteDates(site.index, store.clock)
        if not dates.is_same:
            ours = str(store.clock.zone)
            report.warnings.append(OTHER_ZONE.format(theirs=dates.name, ours=ours))
        return report


def import_files(store: Store, files: Sequence[Path], plan: Plan, rules: Rules) -> Report:
    """Bring what WordPress exported, and what an export of Gravity Forms beside it tells."""
    export = Export(files[0])
    pages = export.read()
    # The address of the site stands before its pages.
    first = list(islice(pages, 1))
    # So that a file that holds none is refused before anything is written.
    feeds = list(read_forms(files[1])) if len(files) > 1 else []
    site = Site.address(export.home)
    with store.connection():
        key = options_key("", plan, rules)
        run = origins.begin(store, site, key, keep=plan.keep)
        moving = Import(store, run, make_converter({}, store, rules), plan, lambda *_: None)
        wanted = selected(chain(first, pages), plan.statuses, plan.since)
        report = moving.read_rows(wanted, feeds)
        if len(files) > 1 and "feed" in plan.resources and "feed" not in report.counts:
            report.warnings.append(NO_FEEDS.format(file=files[1]))
        return report


def options_key(user: str, plan: Plan, how: Rules) -> str:
    """Return what an unfinished import has to have in common with one that goes on with it."""
    return json.dumps(
        [
            user, sorted(plan.resources), plan.statuses, plan.since, plan.force, plan.new_ids,
            sorted(how.meta.items()), sorted(how.forms.items()),
        ]
    )  # fmt: skip


def selected(pages: Iterable[Row], statuses: Collection[str], since: str) -> Iterator[Row]:
    """Yield the pages with some statuses, if any are given, that were modified after a moment.

    As WordPress does it, `since` is compared with the local date, or with UTC if it has a zone.
    """
    wanted = {word for text in statuses for word in text.replace(",", " ").split()}
    column, moment = _bound(since)
    for page in pages:
        is_wanted = not wanted or "any" in wanted or page["status"] in wanted
        if is_wanted and (not since or page[column] > moment):
            yield page


def _bound(since: str) -> tuple[str, str]:
    """Return the column that has to be greater than a text, and that text."""
    if not since:
        return "", ""
    after = datetime.fromisoformat(since)
    column = "modified"
    if after.tzinfo:
        column, after = "modified_gmt", after.astimezone(UTC).replace(tzinfo=None)
    return column, after.isoformat(" ", "seconds")
