"""`landform diff`."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from heapq import merge
from itertools import groupby
from json import dumps
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import click

from landform.standalone.commands._files import DATABASES, REPORT, UrlOrFile, write_report
from landform.standalone.commands._lines import SCHEMAS, Line, LinesFile, WrongLine
from landform.standalone.commands._tools import NotBegun, open_store
from landform.storage.maintenance import transfer

RESOURCES = {None: tuple(SCHEMAS), "pages": ("page",), "feeds": ("feed",)}
# The version counts writes.
NOT_COMPARED = ("resource", "id", "version")
SHOWN = 60
# Their values are shown nowhere.
SECRET = ("password",)


class Difference(NamedTuple):
    """What differs: a field, or a whole row where there is no name of one."""

    resource: str
    id: int
    field: str
    left: Any
    right: Any


@click.command("diff")
@click.argument("left", type=UrlOrFile())
@click.argument("right", default="", type=UrlOrFile())
@click.option("--only", type=click.Choice(["pages", "feeds"]), help="Pages or feeds only.")
@REPORT
def command(left: str, right: str, only: str | None, report_file: Path | None) -> None:
    """Compare LEFT with RIGHT, or with the database of the settings, by resource and field.

    Each is the URL of a database or a file of `landform export`. Exit code 0: the same; 1:
    something differs.
    """
    counts, told = Counter[str](), list[Difference]()
    with ExitStack() as opened:
        (one, mine), (other, others) = (_open(name, only, opened) for name in (left, right))
        for row in differences(mine, others, counts):
            click.echo(_line(row))
            if report_file:
                told.append(row)
    click.echo(
        f"{counts['same']:,} are the same, {counts['differ']:,} differ, {counts['left']:,} are "
        f"only in {one}, {counts['right']:,} only in {other}."
    )
    if report_file:
        differing = [_as_json(row) for row in told]
        write_report(report_file, {"counts": counts, "differences": differing})
    sys.exit(1 if counts.total() > counts["same"] else 0)


def _open(name: str, only: str | None, opened: ExitStack) -> tuple[str, Iterable[Line]]:
    """Return what an argument is called, and its rows by resource and id."""
    if name and not name.startswith(DATABASES):
        return name, _file_rows(Path(name), RESOURCES[only])
    store = open_store(name or None)
    store.check(current=True)
    opened.callback(store.dispose)
    return store.database.name, transfer.rows(store, RESOURCES[only])


def _file_rows(file: Path, resources: tuple[str, ...]) -> Iterator[Line]:
    if not file.is_file():
        raise click.UsageError(f"{file} is no URL of a database, and no file.")
    last: tuple[int, int] = (0, 0)
    try:
        for number, row in LinesFile(file).rows():
            if _key(row) <= last:
                raise WrongLine(f"line {number}: the lines are not in the order of an export")
            last = _key(row)
            if row["resource"] in resources:
                yield row
    except WrongLine as wrong:
        raise NotBegun(f"{file}: {wrong}.") from wrong


def differences(
    left: Iterable[Line], right: Iterable[Line], counts: Counter[str]
) -> Iterator[Difference]:
    """Yield what differs between two sources, and count rows."""
    for mine, other in _pairs(left, right):
        if mine is None or other is None:
            row = mine or other or {}
            counts["left" if mine else "right"] += 1
            yield Difference(row["resource"], row["id"], "", mine, other)
            continue
        found = list(_fields(mine, other))
        counts["differ" if found else "same"] += 1
        yield from found


def _pairs(
    left: Iterable[Line], right: Iterable[Line]
) -> Iterator[tuple[Line | None, Line | None]]:
    """Yield the rows with the same id together, and others alone."""
    both = merge(_keyed(left, 0), _keyed(right, 1), key=itemgetter(0, 1))
    for _, rows in groupby(both, key=itemgetter(0)):
        by_side = {side: row for _, side, row in rows}
        yield by_side.get(0), by_side.get(1)


def _keyed(rows: Iterable[Line], side: int) -> Iterator[tuple[tuple[int, int], int, Line]]:
    return ((_key(row), side, row) for row in rows)


def _key(row: Line) -> tuple[int, int]:
    """Return where a row stands in an export."""
    return RESOURCES[None].index(row["resource"]), row["id"]


def _fields(one: Line, other: Line) -> Iterator[Difference]:
    """Yield what differs between two rows."""
    resource, number = one["resource"], one["id"]
    for name in sorted(one.keys() - {*NOT_COMPARED, "meta"}):
        if not _same(one[name], other[name]):
            yield Difference(resource, number, name, one[name], other[name])
    left, right = one["meta"], other["meta"]
    for key in sorted(left.keys() | right.keys()):
        if key not in left or key not in right or not _same(left[key], right[key]):
            yield Difference(resource, number, f"meta.{key}", left.get(key), right.get(key))


def _same(left: Any, right: Any) -> bool:
    """Return whether two values are the same JSON: true is not 1."""
    return left == right and dumps(left, sort_keys=True) == dumps(right, sort_keys=True)


def _line(row: Difference) -> str:
    named = f"{row.resource} {row.id}"
    if not row.field:
        return f"{named} is only {'on the left' if row.left else 'on the right'}"
    if row.field in SECRET:
        return f"{named} {row.field} differs"
    return f"{named} {row.field}: {_shown(row.left)} | {_shown(row.right)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text):,} characters)"


def _as_json(row: Difference) -> Mapping[str, Any]:
    """Return what a report says of a difference."""
    told: dict[str, Any] = {"resource": row.resource, "id": row.id, "field": row.field}
    if not row.field:
        return {**told, "only": "left" if row.right is None else "right"}
    return told if row.field in SECRET else {**told, "left": row.left, "right": row.right}
