"""`landform diff`."""

import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from heapq import merge
from itertools import groupby
from json import dumps
from pathlib import Path
from typing import Any

import click

from landform.standalone.commands import tools
from landform.standalone.commands.transfer import Line, WrongLine, read_lines
from landform.storage.maintenance import transfer
from landform.storage.models import exported_tables

# `version` counts writes; each key of `meta` is compared on its own.
NOT_COMPARED = ("resource", "id", "side", "version", "meta")
PLACES = list(tools.RESOURCES.values())
MAX_VALUE_LENGTH = 60
# A field with its two values, or a row that only one side has.
Difference = dict[str, Any]


@click.command("diff")
@click.argument("left", type=tools.File(is_url=True))
@click.argument("right", default="", type=tools.File(is_url=True))
@tools.ONLY
@tools.ENTRIES
@tools.REPORT
def diff(left: str, right: str, only: str | None, entries: bool, report_file: Path | None) -> None:
    """Compare databases or exports, by resource and field.

    LEFT and RIGHT are each the URL of a database or a file of `landform export`; without RIGHT it
    is the database of the settings. Exit code 0: the same; 1: something differs.
    """
    counts, reported = Counter[str](), list[Difference]()
    resources = tools.resources(only, entries=entries)
    left_name, left_rows = _open(left, resources)
    right_name, right_rows = _open(right, resources)
    progress = tools.Progress("Comparing")
    # Else a snapshot of a database would stay open after an error of a file.
    with progress, closing(left_rows), closing(right_rows):
        rows = progress.count(left_rows), progress.count(right_rows)
        for difference in find_differences(*rows, counts):
            progress.say(_line(difference))
            if report_file:
                reported.append(difference)
    tools.say(
        f"{counts['same']:,} are the same, {counts['differ']:,} differ, {counts['left']:,} are "
        f"only in {left_name}, {counts['right']:,} only in {right_name}."
    )
    tools.write_report(report_file, {"counts": counts, "differences": reported})
    sys.exit(1 if counts.total() > counts["same"] else 0)


def _open(name: str, resources: tuple[str, ...]) -> tuple[str, Generator[Line, None, None]]:
    """Return the name of a source, and its rows by resource and id."""
    if name and not name.startswith(tools.DATABASES):
        return name, _file_rows(Path(name), resources)
    store = tools.open_store(name or None)
    store.check(current=True)
    return store.database.name, transfer.rows(store, resources)


def _file_rows(file: Path, resources: tuple[str, ...]) -> Generator[Line, None, None]:
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
        raise tools.NotBegun(f"{file}: {wrong}.") from wrong


def find_differences(
    left: Iterable[Line], right: Iterable[Line], counts: Counter[str]
) -> Iterator[Difference]:
    """Yield the differences between two sources, and count rows."""
    sides = ({**row, "side": "left"} for row in left), ({**row, "side": "right"} for row in right)
    for _, rows in groupby(merge(*sides, key=_key), key=_key):
        row, *pair = rows
        if not pair:
            counts[row["side"]] += 1
            yield {"resource": row["resource"], "id": row["id"], "field": "", "only": row["side"]}
            continue
        differences = list(_compare(row, pair[0]))
        counts["differ" if differences else "same"] += 1
        yield from differences


def _key(row: Line) -> tuple[int, int]:
    """Return the place of a row in an export."""
    return PLACES.index(row["resource"]), row["id"]


def _compare(left: Line, right: Line) -> Iterator[Difference]:
    """Yield the fields in which two rows differ."""
    left, right = (
        {**row, **{f"meta.{key}": value for key, value in row.get("meta", {}).items()}}
        for row in (left, right)
    )
    # As JSON, where true is not 1.
    texts = [{name: dumps(row[name], sort_keys=True) for name in row} for row in (left, right)]
    for name in sorted((left.keys() | right.keys()).difference(NOT_COMPARED)):
        if texts[0].get(name) != texts[1].get(name):
            difference = {"resource": left["resource"], "id": left["id"], "field": name}
            values = {"left": left.get(name), "right": right.get(name)}
            is_hidden = name == "password" or exported_tables()[left["resource"]].personal
            # Passwords and entries are never printed.
            yield difference if is_hidden else difference | values


def _line(row: Difference) -> str:
    named = f"{row['resource']} {row['id']}"
    if "only" in row:
        return f"{named} is only on the {row['only']}"
    if "left" not in row:
        return f"{named} {row['field']} differs"
    return f"{named} {row['field']}: {_shorten(row['left'])} | {_shorten(row['right'])}"


def _shorten(value: Any) -> str:
    text = repr(value)
    if len(text) <= MAX_VALUE_LENGTH:
        return text
    return f"{text[:MAX_VALUE_LENGTH]}... ({len(text):,} characters)"
