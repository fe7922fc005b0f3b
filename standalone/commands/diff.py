"""`landform diff`."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from json import dumps
from pathlib import Path
from typing import Any

import click

from landform.standalone.commands.tools import (
    DATABASES,
    ONLY,
    REPORT,
    RESOURCES,
    File,
    NotBegun,
    Progress,
    open_store,
    say,
    write_report,
)
from landform.standalone.commands.transfer import Line, WrongLine, read_lines
from landform.storage.maintenance import transfer

# The version counts writes.
NOT_COMPARED = ("resource", "id", "side", "version", "meta")
SHOWN = 60
# What differs: a field and its two values, or a whole row that is on one side only.
Difference = dict[str, Any]


@click.command("diff")
@click.argument("left", type=File(is_url=True))
@click.argument("right", default="", type=File(is_url=True))
@ONLY
@REPORT
def diff(left: str, right: str, only: str | None, report_file: Path | None) -> None:
    """Compare databases or exports, by resource and field.

    LEFT and RIGHT are each the URL of a database or a file of `landform export`; without RIGHT it
    is the database of the settings. Exit code 0: the same; 1: something differs.
    """
    counts, told = Counter[str](), list[Difference]()
    (one, mine), (other, others) = (_open(name, RESOURCES[only]) for name in (left, right))
    with Progress("Comparing") as progress:
        for row in differences(progress.count(mine), progress.count(others), counts):
            progress.say(_line(row))
            if report_file:
                told.append(row)
    say(
        f"{counts['same']:,} are the same, {counts['differ']:,} differ, {counts['left']:,} are "
        f"only in {one}, {counts['right']:,} only in {other}."
    )
    write_report(report_file, {"counts": counts, "differences": told})
    sys.exit(1 if counts.total() > counts["same"] else 0)


def _open(name: str, resources: tuple[str, ...]) -> tuple[str, Iterable[Line]]:
    """Return what an argument is called, and its rows by resource and id."""
    if name and not name.startswith(DATABASES):
        return name, _file_rows(Path(name), resources)
    store = open_store(name or None)
    store.check(current=True)
    return store.database.name, transfer.rows(store, resources)


def _file_rows(file: Path, resources: tuple[str, ...]) -> Iterator[Line]:
    if not file.is_file():
        raise click.UsageError(f"{file} is no URL of a database, and no file.")
    last = (0, 0)
    try:
        for number, row in read_lines(file):
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
    sides = ({**row, "side": "left"} for row in left), ({**row, "side": "right"} for row in right)
    for _, rows in groupby(merge(*sides, key=_key), key=_key):
        row, *others = rows
        if not others:
            counts[row["side"]] += 1
            yield {"resource": row["resource"], "id": row["id"], "field": "", "only": row["side"]}
            continue
        found = list(_fields(row, others[0]))
        counts["differ" if found else "same"] += 1
        yield from found


def _key(row: Line) -> tuple[int, int]:
    """Return where a row stands in an export."""
    return RESOURCES[None].index(row["resource"]), row["id"]


def _fields(left: Line, right: Line) -> Iterator[Difference]:
    """Yield what differs between two rows."""
    one, other = (
        {**row, **{f"meta.{key}": value for key, value in row["meta"].items()}}
        for row in (left, right)
    )
    # As JSON, where true is not 1.
    texts = [{name: dumps(row[name], sort_keys=True) for name in row} for row in (one, other)]
    for name in sorted((one.keys() | other.keys()).difference(NOT_COMPARED)):
        if texts[0].get(name) != texts[1].get(name):
            row = {"resource": left["resource"], "id": left["id"], "field": name}
            # The values of passwords are shown nowhere.
            values = {"left": one.get(name), "right": other.get(name)}
            yield row if name == "password" else row | values


def _line(row: Difference) -> str:
    named = f"{row['resource']} {row['id']}"
    if "only" in row:
        return f"{named} is only on the {row['only']}"
    if "left" not in row:
        return f"{named} {row['field']} differs"
    return f"{named} {row['field']}: {_shown(row['left'])} | {_shown(row['right'])}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text):,} characters)"
