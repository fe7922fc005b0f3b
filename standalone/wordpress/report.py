"""What an import did, and what it did not: as sentences, and as JSON."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from landform.standalone.wordpress.notes import sentence
from landform.storage.maintenance.origins import Origin

OUTCOMES = ("created", "updated", "unchanged", "kept", "conflict", "left-out", "deleted")
# So many ids stand in one sentence.
SHOWN = 20
NOT_ALL = ("left-out", "conflict")


@dataclass
class Report:
    """The outcome of each row, and what concerns all of them.

    `problems`: why something was not read at all. `hidden`: how many pages the user may not see.
    `gone`: what was deleted there, and is still here.
    """

    site: str
    is_dry: bool = False
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    meta: dict[str, dict[str, int]] = field(default_factory=dict)
    hidden: int = 0
    requests: int = 0
    seconds: float = 0.0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    notes: dict[tuple[str, str, str], list[int | str]] = field(default_factory=dict)
    keepers: dict[int, list[int]] = field(default_factory=dict)
    gone: list[dict[str, Any]] = field(default_factory=list)

    def add(self, origins: Iterable[Origin]) -> None:
        """Take what became of some rows."""
        for one in origins:
            self.counts.setdefault(one.resource, Counter())[one.outcome] += 1
            for told in one.notes:
                text = sentence(dict(told))
                self.notes.setdefault((one.resource, _code(told), text), []).append(
                    _json_id(one.source_id)
                )
                if "other" in told:
                    self.keepers.setdefault(told["other"], []).append(one.source_id)
            if one.outcome not in ("created", "updated", "unchanged"):
                why = [{"code": _code(told), "text": sentence(dict(told))} for told in one.notes]
                self.rows.setdefault(one.outcome, []).append(
                    {"resource": one.resource, "id": _json_id(one.source_id), "why": why}
                )

    def end(self) -> None:
        """Say which page has the slug that others have there, too."""
        for owner, others in self.keepers.items():
            text = f"keeps its slug, which page {_numbers(others)} has there, too"
            self.notes.setdefault(("page", "slug-shared", text), []).append(owner)

    @property
    def exit_code(self) -> int:
        """1 where something was not brought that is there."""
        return int(bool(self.problems or self.hidden or any(self.rows.get(x) for x in NOT_ALL)))

    def as_json(self) -> dict[str, Any]:
        """Return all of it."""
        listed = self._listed()
        return {
            "site": self.site,
            "dry_run": self.is_dry,
            "exit_code": self.exit_code,
            "counts": {name: dict(counts) for name, counts in self.counts.items()},
            "left_out": self.rows.get("left-out", []),
            "conflicts": self.rows.get("conflict", []),
            "kept": self.rows.get("kept", []),
            "deleted": self.rows.get("deleted", []),
            "gone_there": self.gone,
            "notes": [
                {"resource": resource, "code": code, "text": text, "ids": ids}
                for (resource, code, text), ids in self.notes.items()
                if not listed.issuperset((resource, number) for number in ids)
            ],
            "hidden_pages": self.hidden,
            "meta": self.meta,
            "problems": self.problems,
            "warnings": self.warnings,
            "requests": self.requests,
            "seconds": round(self.seconds, 1),
        }

    def lines(self) -> Iterable[str]:
        """Yield it for somebody to read."""
        for resource, counts in self.counts.items():
            told = ", ".join(f"{counts[name]:,} {name}" for name in OUTCOMES if counts[name])
            yield f"{resource.capitalize()}s: {told}{' (not kept)' if self.is_dry else ''}"
        for key, sources in self.meta.items():
            told = ", ".join(f"{source} ({pages:,} pages)" for source, pages in sources.items())
            yield f"Meta {key} is read from {told or 'nowhere'}."
        for outcome in ("left-out", "conflict", "kept", "deleted"):
            for row in self.rows.get(outcome, []):
                why = "; ".join(told["text"] for told in row["why"])
                yield f"{outcome}: {row['resource']} {row['id']} {why}".rstrip()
        for row in self.gone:
            yield f"gone there: {row['resource']} {row['id']} is still here (--delete removes it)"
        listed = self._listed()
        for (resource, code, text), ids in self.notes.items():
            shown = [number for number in ids if (resource, number) not in listed]
            if shown:
                yield f"{code}: {text}: {resource} {_numbers(shown)}"
        yield from self.warnings
        yield from self.problems

    def _listed(self) -> set[tuple[str, int | str]]:
        """Return the rows that are listed with what is said of them."""
        return {(row["resource"], row["id"]) for rows in self.rows.values() for row in rows}


def _json_id(number: int) -> int | str:
    """Return an id as JSON has it: as a text where it has more than 64 bits."""
    return number if -(2**63) <= number < 2**64 else str(number)


def _code(told: Any) -> str:
    name = told.get("name")
    return f"{told['code']} {name}" if name and told["code"] in FAMILIES else str(told["code"])


FAMILIES = ("lost", "meta-missing", "meta-unreadable", "replaced")


def _numbers(ids: Sequence[int | str]) -> str:
    shown = ", ".join(map(str, ids[:SHOWN]))
    return f"{shown} and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else shown
