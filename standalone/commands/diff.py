"""`landform diff`."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from landform.standalone.commands._files import REPORT, File, UrlOrFile, write_report
from landform.standalone.commands._lines import LOADERS, Line
from landform.standalone.commands._sources import Source, compared_columns, opened
from landform.storage.pages import slugs

ORDER = {name: place for place, name in enumerate(LOADERS)}
SHOWN = 60
# Their values are shown nowhere.
SECRET = ("password",)
MISSING = object()


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
@click.option("--user", help="Of a live WordPress: who reads.")
@click.option("--password-file", type=File(), help="Where the application password is.")
@click.option("--meta", multiple=True, metavar="KEY=SOURCE", help="As for import-wordpress.")
@click.option("--map-form", "forms", multiple=True, metavar="OLD=NEW", help="Change a form's id.")
@click.option("--requests", default=4, type=click.IntRange(1, 32), help="Requests at a time.")
@click.option("--probe", default=200, type=click.IntRange(0), help="Ids beyond the last feed.")
@click.option("--timeout", default=60.0, type=click.FloatRange(0.01), help="Seconds to wait.")
def command(left: str, right: str, **given: Any) -> None:
    """Compare LEFT with RIGHT, or with the database of the settings, by resource and field.

    Each is the URL of a database, a file of `landform export`, or the URL of a live WordPress,
    which is taken as an import would store it. Exit code 0: the same; 1: something differs.
    """
    counts, told = Counter[str](), list[Difference]()
    with opened(left, given) as one, opened(right, given) as other:
        for row in differences(one, other, counts):
            click.echo(_line(row))
            if given["report_file"]:
                told.append(row)
    click.echo(
        f"{counts['same']:,} are the same, {counts['differ']:,} differ, {counts['left']:,} are "
        f"only in {one.name}, {counts['right']:,} only in {other.name}."
    )
    if file := given["report_file"]:
        _write(file, counts, told)
    sys.exit(1 if counts.total() > counts["same"] else 0)


def differences(left: Source, right: Source, counts: Counter[str]) -> Iterator[Difference]:
    """Yield what differs between two sources, and count rows."""
    sides = left.live, right.live
    for mine, other in _pairs(left.rows, right.rows):
        if mine is None or other is None:
            row = mine or other or {}
            counts["left" if mine else "right"] += 1
            yield Difference(row["resource"], row["id"], "", mine, other)
            continue
        found = list(_fields(mine, other, sides))
        counts["differ" if found else "same"] += 1
        yield from found


def _pairs(
    left: Iterable[Line], right: Iterable[Line]
) -> Iterator[tuple[Line | None, Line | None]]:
    """Yield the rows with the same id together, and others alone."""
    mine, others = iter(left), iter(right)
    one, other = next(mine, None), next(others, None)
    while one or other:
        first, second = _key(one), _key(other)
        if first == second:
            yield one, other
        else:
            yield (one, None) if first < second else (None, other)
        if first <= second:
            one = next(mine, None)
        if second <= first:
            other = next(others, None)


def _key(row: Line | None) -> tuple[int, int]:
    return (ORDER[row["resource"]], row["id"]) if row else (len(ORDER), 0)


def _fields(one: Line, other: Line, sides: tuple[bool, bool]) -> Iterator[Difference]:
    """Yield what differs between two rows; `sides`: which of them is that of a live site."""
    resource, number, live = one["resource"], one["id"], any(sides)
    if "unheld" in one or "unheld" in other:
        yield Difference(resource, number, "", one, other)
        return
    unknown = {*one.get("unknown", ()), *other.get("unknown", ())}
    for name in compared_columns(resource, live, one):
        left, right = one[name], other[name]
        if name == "meta":
            for key in sorted(left.keys() | right.keys()):
                values = left.get(key, MISSING), right.get(key, MISSING)
                if key not in unknown and not _same(*values):
                    shown = [None if value is MISSING else value for value in values]
                    yield Difference(resource, number, f"meta.{key}", *shown)
        elif not _same(left, right) and not _is_as_imported(name, left, right, sides):
            yield Difference(resource, number, name, left, right)


def _same(left: Any, right: Any) -> bool:
    """Return whether two values are the same JSON: true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(_same(*pair) for pair in pairs)
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _is_as_imported(name: str, left: Any, right: Any, sides: tuple[bool, bool]) -> bool:
    """Return whether an import makes that of it: a number behind a slug, a page that came due."""
    if name == "status":
        return any(sides) and {left, right} <= {"future", "publish"}
    if name != "slug" or sides[0] == sides[1]:
        return False
    there, here = (left, right) if sides[0] else (right, left)
    return slugs.is_numbered(here, there)


def _line(row: Difference) -> str:
    named = f"{row.resource} {row.id}"
    if not row.field:
        one, other = row.left or {}, row.right or {}
        if why := one.get("unheld") or other.get("unheld"):
            return f"{named} cannot be stored: it {why}"
        return f"{named} is only {'on the left' if row.left else 'on the right'}"
    if row.field in SECRET:
        return f"{named} {row.field} differs"
    return f"{named} {row.field}: {_shown(row.left)} | {_shown(row.right)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text):,} characters)"


def _write(file: Path, counts: Counter[str], told: list[Difference]) -> None:
    rows = [
        {"resource": row.resource, "id": row.id, "field": row.field}
        | ({"left": row.left, "right": row.right} if row.field not in ("", *SECRET) else {})
        | ({"only": "left" if row.right is None else "right"} if not row.field else {})
        for row in told
    ]
    write_report(file, {"counts": counts, "differences": rows})
