"""Reads the file that Gravity Forms exports: forms, and in them the feeds of some add-ons."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from landform.standalone.wordpress.errors import CannotBegin
from landform.standalone.wordpress.site import is_number

Row = dict[str, Any]
NO_EXPORT = "{file} is no export of Gravity Forms: {reason}."


def read_forms(file: Path) -> Iterator[Row]:
    """Yield the feeds in an export of Gravity Forms: those of add-ons that export theirs."""
    try:
        forms = json.loads(file.read_bytes(), parse_int=_integer)
    except (OSError, ValueError, RecursionError) as error:
        raise CannotBegin(NO_EXPORT.format(file=file, reason="it is no JSON")) from error
    if not isinstance(forms, dict):
        raise CannotBegin(NO_EXPORT.format(file=file, reason="it holds no forms"))
    for form in forms.values():
        if isinstance(form, dict):
            for feed in _feeds(form.get("feeds"), ""):
                yield _identified({"form_id": form.get("id"), **feed})


def _feeds(found: Any, slug: str) -> Iterator[Row]:
    """Yield feeds: of a list, by their add-ons, or by their ids."""
    if isinstance(found, list):
        yield from ({"addon_slug": slug, **feed} for feed in found if isinstance(feed, dict))
    elif isinstance(found, dict):
        for name, inner in found.items():
            is_feed = isinstance(inner, dict) and ("id" in inner or "meta" in inner)
            yield from _feeds([inner], slug) if is_feed else _feeds(inner, name)


def _identified(feed: Row) -> Row:
    """Return a feed, or what is to be said of one that has no id."""
    number = feed.get("id")
    if is_number(number):
        return feed
    return {"id": 0, "unreadable": f"has the id {str(number)[:40]!r}, which is no number"}


def _integer(text: str) -> int | str:
    """Return a number; one of more digits than Python reads stays a text."""
    try:
        return int(text)
    except ValueError:
        return text
