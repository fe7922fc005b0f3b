"""Numbers as PHP and its plugins write them: as such, as texts, as fractions, or not at all."""

import re
from collections.abc import Mapping
from typing import Any

from landform.standalone.wordpress.notes import Note, note

WHOLE = re.compile(r"\s*(-?[0-9]{1,40})(?:\.0+)?\s*")
YES, NO = ("1", "1.0", "true"), ("0", "0.0", "false", "", "none")


def whole(value: object) -> int | None:
    """Return the whole number that a value is; None where it is none."""
    found = WHOLE.fullmatch(str(value))
    return int(found[1]) if found else None


def feed_numbers(given: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Return the form, the order and the activity of a feed; what is none of them is noted."""
    form, order = whole(given.get("form_id")), whole(given.get("feed_order") or 0)
    active = str(given.get("is_active")).lower()
    wrong = {
        "form_id": form is None, "feed_order": order is None or order < 0,
        "is_active": active not in (*YES, *NO),
    }  # fmt: skip
    notes += [note("replaced", name) for name, is_wrong in wrong.items() if is_wrong]
    return {"form_id": form or 0, "is_active": active in YES, "feed_order": max(0, order or 0)}
