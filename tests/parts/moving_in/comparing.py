"""Compare imported rows with the expected rows of the recorded site."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent / "standin/sites/campaigns"
Row = dict[str, Any]


def expected() -> dict[str, Any]:
    return json.loads((SITE / "expected.json").read_text("utf-8"))


def differences(
    rows: Iterable[Row], resources: Iterable[str] = ("page", "feed"), hidden: Iterable[int] = ()
) -> list[str]:
    """Return the differences from the expected pages and feeds, without hidden pages."""
    rows = list(rows)
    texts: list[str] = []
    for resource in resources:
        imported = {row["id"]: row for row in rows if row["resource"] == resource}
        wanted = {row["id"]: row for row in expected()[f"{resource}s"] if row["id"] not in hidden}
        texts += [f"{resource} {number} is missing" for number in wanted.keys() - imported.keys()]
        texts += [f"{resource} {number} is too much" for number in imported.keys() - wanted.keys()]
        for number in wanted.keys() & imported.keys():
            compared = _compare(wanted[number], imported[number])
            texts += [f"{resource} {number} {text}" for text in compared]
    slugs = {row["id"]: row["slug"] for row in rows if row["resource"] == "page" and row["slug"]}
    texts += [f"{slug} twice" for slug in {*slugs.values()} if [*slugs.values()].count(slug) > 1]
    for slug, ids in expected()["slug_groups"].items() if "page" in resources else ():
        if slug not in {slugs.get(number) for number in ids}:
            texts.append(f"none of {ids} has the slug {slug}")
    return texts


def _compare(wanted: Row, row: Row) -> Iterable[str]:
    either = wanted.get("either", {})
    for name, value in wanted["stored"].items():
        if name in wanted.get("free", {}):
            if name == "slug" and not re.fullmatch("[%a-z0-9_-]{1,200}", row["slug"]):
                yield f"has the slug {row['slug']!r}"
        elif name == "meta" and isinstance(value, dict):
            for key in value.keys() | row["meta"].keys():
                allowed = either.get(f"meta.{key}", [value.get(key, "missing")])
                if json.dumps(row["meta"].get(key)) not in map(json.dumps, allowed):
                    yield f"meta.{key}: {row['meta'].get(key)!r} is none of {allowed!r}"
        else:
            allowed = either.get(name, [value])
            if json.dumps(row[name]) not in map(json.dumps, allowed):
                yield f"{name}: {row[name]!r:.99} is none of {allowed!r:.99}"
