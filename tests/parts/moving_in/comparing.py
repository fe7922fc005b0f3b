"""Compares what was imported with what a perfect import makes of a recorded site."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent / "standin/sites/campaigns"
Row = dict[str, Any]


def expected(name: str = "expected") -> dict[str, Any]:
    return json.loads((SITE / f"{name}.json").read_text("utf-8"))


def differences(
    rows: Iterable[Row], resources: Iterable[str] = ("page", "feed"), hidden: Iterable[int] = ()
) -> list[str]:
    """Return what differs from the expected pages and feeds, but for pages that are hidden."""
    rows = list(rows)
    found: list[str] = []
    for resource in resources:
        there = {row["id"]: row for row in rows if row["resource"] == resource}
        wanted = {one["id"]: one for one in expected()[f"{resource}s"] if one["id"] not in hidden}
        found += [f"{resource} {number} is missing" for number in wanted.keys() - there.keys()]
        found += [f"{resource} {number} is too much" for number in there.keys() - wanted.keys()]
        for number in wanted.keys() & there.keys():
            found += [
                f"{resource} {number} {text}" for text in _compared(wanted[number], there[number])
            ]
    slugs = [row["slug"] for row in rows if row["resource"] == "page" and row["slug"]]
    found += [f"{slug} twice" for slug in set(slugs) if slugs.count(slug) > 1]
    for slug, ids in expected()["slug_groups"].items() if "page" in resources else ():
        kept = [row["id"] for row in rows if row["resource"] == "page" and row["slug"] == slug]
        found += [] if kept and kept[0] in ids else [f"none of {ids} has the slug {slug}"]
    return found


def _compared(wanted: Row, row: Row) -> Iterable[str]:
    either = wanted.get("either", {})
    for name, value in wanted["stored"].items():
        if name in wanted.get("free", {}):
            if name == "slug" and not re.fullmatch("[%a-z0-9_-]{1,200}", row["slug"]):
                yield f"has the slug {row['slug']!r}"
            continue
        if name == "meta" and isinstance(value, dict):
            for key in value.keys() | row["meta"].keys():
                allowed = either.get(f"meta.{key}", [value.get(key, "missing")])
                if not any(_same(row["meta"].get(key), one) for one in allowed):
                    yield f"meta.{key}: {row['meta'].get(key)!r} is none of {allowed!r}"
            continue
        allowed = either.get(name, [value])
        if not any(_same(row[name], one) for one in allowed):
            yield f"{name}: {row[name]!r:.99} is none of {allowed!r:.99}"


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)
