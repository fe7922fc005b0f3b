"""What `landform diff` compares: a database, an export, or a live WordPress, each as rows by id."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from landform.standalone.commands._access import EXTRA, NotBegun, read_access, read_rules
from landform.standalone.commands._files import DATABASES, SITES
from landform.standalone.commands._lines import LOADERS, Line, LinesFile, WrongLine
from landform.standalone.commands._tools import open_store
from landform.storage import Store
from landform.storage.maintenance import transfer
from landform.storage.maintenance.origins import COMPARED

# What counts writes, or is made of other columns in a way that may differ by version.
COUNTED = ("version",)


class Source(NamedTuple):
    """Rows by resource and id. `live`: of a site, which has no more columns than it shows."""

    name: str
    rows: Iterable[Line]
    live: bool = False


@contextmanager
def opened(name: str, given: Mapping[str, Any]) -> Iterator[Source]:
    """Yield the source that a name stands for; an empty one is the database of the settings."""
    if name.startswith(SITES):
        with _site(name, given) as source:
            yield source
        return
    if name and not name.startswith(DATABASES):
        yield Source(name, _file_rows(Path(name)))
        return
    store = open_store(name or None)
    store.check(current=True)
    try:
        yield Source(store.engine.name, transfer.rows(store, _resources(given)))
    finally:
        store.dispose()


def _resources(given: Mapping[str, Any]) -> tuple[str, ...]:
    return {"pages": ("page",), "feeds": ("feed",)}.get(given["only"], tuple(LOADERS))


def _file_rows(file: Path) -> Iterator[Line]:
    if not file.is_file():
        raise click.UsageError(f"{file} is no URL, and no file.")
    last, order = (0, 0), tuple(LOADERS)
    try:
        for number, row in LinesFile(file).rows():
            key = order.index(row["resource"]), row["id"]
            if key <= last:
                raise WrongLine(f"line {number}: the lines are not in the order of an export")
            last = key
            yield row
    except WrongLine as wrong:
        raise NotBegun(f"{file}: {wrong}.") from wrong


@contextmanager
def _site(url: str, given: Mapping[str, Any]) -> Iterator[Source]:
    """Yield a live WordPress as an import would store it."""
    try:
        from landform.standalone.wordpress import errors, listing, moving  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise NotBegun(EXTRA) from missing
    resources, rules = frozenset(_resources(given)), read_rules(given)
    clock: Store = open_store()
    try:
        with moving.opened(read_access(url, given), resources) as site:
            converter = moving.make_converter(site.index, clock, rules)
            rows = listing.list_rows(site, converter, resources, given["requests"], given["probe"])
            yield Source(url, rows, live=True)
    except (errors.CannotBegin, errors.NoAnswer) as reason:
        raise NotBegun(str(reason)) from reason


def compared_columns(resource: str, live: bool, row: Line) -> Iterable[str]:
    """Return the columns that two rows have to share."""
    if live:
        return COMPARED[resource]
    return [name for name in row if name not in ("resource", "id", *COUNTED)]
