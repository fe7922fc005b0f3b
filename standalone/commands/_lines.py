"""The lines of an export: what each may be, and how they are read."""

from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import orjson
from marshmallow import ValidationError

from landform.schemas.export import FeedLine, PageLine
from landform.service.json_codec import loads
from landform.standalone.commands._tools import progress_bar

Line = dict[str, Any]
SCHEMAS = {"page": PageLine(), "feed": FeedLine()}
ID = PageLine().fields["id"]
# Of so many lines it is remembered that they need not be checked again; 4 bytes each.
MOST_REMEMBERED = 2_000_000


class WrongLine(ValueError):
    """A line is no row; the text says what is wrong with it."""


class LinesFile:
    """A file of lines, to be checked first and read then.

    Most lines hold their rows just as they are stored; one that did when it was checked, and is
    the same when it is read, is not checked again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        # The checksum of each line, 0 for those that have to be checked again.
        self._plain = array("I")

    def highest_ids(self) -> dict[str, int]:
        """Return the highest id of each resource, in lines that need not be checked yet."""
        highest = dict.fromkeys(SCHEMAS, 0)
        for _, line in self._numbered():
            with suppress(ValueError, TypeError, KeyError, ValidationError):
                row = _loaded(line)
                number = ID.deserialize(row["id"])
                highest[row["resource"]] = max(highest[row["resource"]], number)
        return highest

    def check(self) -> Iterator[str]:
        """Yield what is wrong with each line that is no row."""
        for number, line in self._numbered():
            self.lines = number
            checksum = 0
            try:
                given, row = _row(line)
                checksum = crc32(line) if _is_plain(given, row) else 0
            except WrongLine as wrong:
                yield f"line {number}: {wrong}"
            if number <= MOST_REMEMBERED:
                self._plain.extend([0] * (number - 1 - len(self._plain)))
                self._plain.append(checksum)

    def rows(self) -> Iterator[tuple[int, Line]]:
        """Yield the number of each line and its row, `resource` in it; `WrongLine` for no row."""
        plain = self._plain
        for number, line in self._numbered():
            if number <= len(plain) and plain[number - 1] == crc32(line) != 0:
                yield number, _parse(line)
                continue
            try:
                row = _row(line)[1]
            except WrongLine as wrong:
                raise WrongLine(f"line {number}: {wrong}") from wrong
            yield number, row

    def _numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, and show progress."""
        with progress_bar("bytes read") as progress, self.path.open("rb") as opened:
            done, size = 0, self.path.stat().st_size
            for number, line in enumerate(opened, 1):
                done += len(line)
                progress(done, size)
                if line.strip():
                    yield number, line


def _row(line: bytes) -> tuple[Line, Line]:
    """Return what a line holds, and the row that it is."""
    try:
        given = _parse(line)
    except ValueError as error:
        raise WrongLine("this is no JSON") from error
    resource = given.get("resource") if isinstance(given, dict) else None
    if not isinstance(resource, str) or resource not in SCHEMAS:
        raise WrongLine("this is neither a page nor a feed")
    columns = {name: value for name, value in given.items() if name != "resource"}
    try:
        return given, {"resource": resource, **SCHEMAS[resource].load(columns)}
    except ValidationError as error:
        messages = cast(dict[str, object], error.messages)
        what = "; ".join(f"{name}: {text}" for name, text in messages.items())
        raise WrongLine(what) from error


def _parse(line: bytes) -> Any:
    """Return the value of a line as `loads` does, faster where it is as `landform export` writes.

    What becomes the same bytes again was read exactly; that follows no more than 254 levels.
    """
    line = line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    with suppress(ValueError, TypeError):
        value = orjson.loads(line)
        if orjson.dumps(value) == line:
            return value
    return loads(line)


def _loaded(line: bytes) -> Any:
    """Return the value of a line, whatever is wrong with it."""
    try:
        return orjson.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        # An integer beyond 64 bits, for example.
        return loads(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n"))


def _is_plain(given: Line, row: Line) -> bool:
    """Return whether a row holds the very values that were given; 1 is not true, nor 1.0."""
    meta, stored = given["meta"], row["meta"]
    return (
        given.keys() == row.keys()
        and meta.keys() == stored.keys()
        and all(stored[name] is value for name, value in meta.items())
        and all(row[name] is value for name, value in given.items() if name != "meta")
    )
