"""The lines of an export: what each may be, and how they are read."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import orjson
from marshmallow import ValidationError

from landform.schemas.export import FeedLine, PageLine
from landform.service.json_codec import loads
from landform.standalone.commands._tools import progress_bar

Line = dict[str, Any]
SCHEMAS = {"page": PageLine(), "feed": FeedLine()}
ID = PageLine().fields["id"]


class WrongLine(ValueError):
    """A line is no row; the text says what is wrong with it."""


class LinesFile:
    """A file of lines, which is read several times."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def highest_ids(self) -> dict[str, int]:
        """Return the highest id of each resource, in lines that need not be checked yet."""
        highest = dict.fromkeys(SCHEMAS, 0)
        for _, line in self._numbered():
            with suppress(ValueError, TypeError, KeyError, ValidationError):
                row = _read_quickly(line)
                number = ID.deserialize(row["id"])
                highest[row["resource"]] = max(highest[row["resource"]], number)
        return highest

    def check(self) -> Iterator[str]:
        """Yield what is wrong with each line that is no row."""
        for number, line in self._numbered():
            try:
                _row(line)
            except WrongLine as wrong:
                yield f"line {number}: {wrong}"

    def rows(self) -> Iterator[tuple[int, Line]]:
        """Yield the number of each line and its row, `resource` in it; `WrongLine` for no row."""
        for number, line in self._numbered():
            try:
                row = _row(line)
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
                    yield number, line.removeprefix(b"\xef\xbb\xbf")


def check_stored(row: Line) -> None:
    """Raise `WrongLine` for a row that is stored, its meta as text, and would be no line."""
    try:
        meta = loads(row["meta"].encode())
    except ValueError as error:
        raise WrongLine("meta is no JSON") from error
    _load({**row, "meta": meta})


def _read_quickly(line: bytes) -> Any:
    """Return the value of a line that need not be exact."""
    try:
        return orjson.loads(line)
    except ValueError:
        # It has an integer beyond 64 bits, for example.
        return loads(line)


def _row(line: bytes) -> Line:
    """Return the row that a line holds."""
    try:
        return _load(loads(line))
    except WrongLine:
        raise
    except ValueError as error:
        raise WrongLine("this is no JSON") from error


def _load(given: Any) -> Line:
    resource = given.get("resource") if isinstance(given, dict) else None
    if not isinstance(resource, str) or resource not in SCHEMAS:
        raise WrongLine("this is neither a page nor a feed")
    columns = {name: value for name, value in given.items() if name != "resource"}
    try:
        return {"resource": resource, **SCHEMAS[resource].load(columns)}
    except ValidationError as error:
        messages = cast(dict[str, object], error.messages)
        what = "; ".join(f"{name}: {text}" for name, text in messages.items())
        raise WrongLine(what) from error
