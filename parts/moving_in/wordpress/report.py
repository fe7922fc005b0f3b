"""What an import did, and what it did not: as sentences, and as JSON."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from landform.parts.moving_in.origins import Origin

Note = dict[str, Any]
# What is said about all rows with the same note at once; `{name}` is what stands behind the code.
TEXTS = {
    "lost": "landform has no place for {name}",
    "meta-missing": "the site shows no field for {name}",
    "meta-unreadable": (
        "{name} has a value that cannot be read, or of another type than the site declares, so it "
        "is empty"
    ),
    "nul": "characters that no database holds were replaced: NUL, or halves of others",
    "control-characters": (
        "characters that no XML may hold, or bytes that are no characters, were replaced"
    ),
    "author-missing": "has no author that landform can hold; author 1 is taken for it",
    "date-missing": "has no date; it is dated 1970-01-01",
    "modified-missing": "was never modified as far as the site knows; its date is taken for it",
    "replaced": "{name} has a value that landform cannot hold, so it is as if there were none",
    "slug-refused": "the slug {name} has characters that landform refuses",
    "slug-missing": "had no slug, and needs one",
    "beyond-bounds": "{name} is larger than a request may send, so a client cannot send it back",
    "shortcode": "visitors see [{name}] as text, since nothing renders it here",
    "block": "visitors see nothing of the block {name}, or a bare address: nothing here renders it",
    "embed": "visitors see an address of {name} as text, where WordPress embeds what is there",
    "form-block": "form_id is empty there: a new page here has {name}, as its form block",
    "pattern": "the synced pattern {name} is a part of the page here, and no longer synced",
    "pattern-overrides": "the page has texts of its own for the pattern {name}, which are lost",
    "media": "refers to files below {name}, which stay at the old site",
    "schedule-missed": "was scheduled, and never published at its date: it is a draft here",
}
# The codes that the report has once, whatever they name; it has others once for each name.
ONCE = ("status", "slug-refused")
WRITTEN = ("created", "updated", "deleted")
OUTCOMES = ("created", "updated", "unchanged", "kept", "conflict", "left-out", "deleted")
# The outcomes whose rows are listed, with their names in JSON.
LISTED = {"left-out": "left_out", "conflict": "conflicts", "kept": "kept", "deleted": "deleted"}
# Left out for now only, it may be.
UNREAD = "unreadable"
# So many ids stand in one sentence.
SHOWN = 20


def note(code: str, name: str = "", text: str = "") -> Note:
    """Return a note; the text follows from the code where there is none."""
    made = {"code": code, "name": name, "text": text}
    return {key: value for key, value in made.items() if value}


@dataclass
class Report:
    """The outcome of each row, and what concerns all of them.

    `problems`: why something was not read at all. `hidden_pages`: how many the user may not see.
    `gone_there`: what was deleted there, and is still here. `without_id`: how many rows of a file
    have no number; each is a problem.
    """

    site: str
    dry_run: bool = False
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    without_id: int = 0
    meta: dict[str, dict[str, int]] = field(default_factory=dict)
    hidden_pages: int = 0
    requests: int = 0
    seconds: float = 0.0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {outcome: [] for outcome in LISTED}
    )
    notes: dict[tuple[str, str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    gone_there: list[dict[str, Any]] = field(default_factory=list)

    def add(self, origins: Iterable[Origin]) -> None:
        """Take what became of all rows."""
        keepers = defaultdict[int, list[int]](list)
        for one in origins:
            self.counts.setdefault(one.resource, Counter())[one.outcome] += 1
            if one.outcome in LISTED:
                # What was decided is noted last; what else there is to say matters if it is taken.
                why = [{"code": _code(told), "text": _text(told)} for told in one.notes[-1:]]
                row = {"resource": one.resource, "id": one.source_id, "why": why}
                self.rows[one.outcome].append(row)
                continue
            for told in one.notes:
                self.notes[one.resource, _code(told), _text(told)].append(one.source_id)
                if "other" in told:
                    keepers[told["other"]].append(one.source_id)
        for owner, others in keepers.items():
            text = f"keeps its slug, which page {_numbers(others)} has there, too"
            self.notes["page", "slug-shared", text].append(owner)

    @property
    def exit_code(self) -> int:
        """1 where something could not be read, 3 where something was left out.

        What never can be held here counts where something else was written: an import that is
        repeated by a timer ends with 0 where everything else is as it was.
        """
        if len(self.problems) > self.without_id:
            return 1
        is_written = any(counts[name] for counts in self.counts.values() for name in WRITTEN)
        left_out = self.rows["left-out"]
        may_come = [row for row in left_out if any(why["code"] == UNREAD for why in row["why"])]
        out = self.hidden_pages or left_out or self.without_id
        return 3 if self.rows["conflict"] or may_come or (out and is_written) else 0

    def as_json(self) -> dict[str, Any]:
        """Return all of it."""
        told: dict[str, Any] = {**vars(self), "exit_code": self.exit_code}
        told |= {LISTED[outcome]: rows for outcome, rows in told.pop("rows").items()}
        told["notes"] = [
            {"resource": resource, "code": code, "text": text, "ids": ids}
            for (resource, code, text), ids in self.notes.items()
        ]
        return told

    def lines(self) -> Iterator[str]:
        """Yield it for somebody to read."""
        for resource, counts in self.counts.items():
            told = [
                f"{counts[name]:,} {'would be ' * (self.dry_run and name in WRITTEN)}{name}"
                for name in OUTCOMES if counts[name]
            ]  # fmt: skip
            yield f"{resource.capitalize()}s: {', '.join(told)}"
        for key, sources in self.meta.items():
            read = ", ".join(f"{source} ({pages:,} pages)" for source, pages in sources.items())
            yield f"Meta {key} is read from {read}."
        for outcome, rows in self.rows.items():
            for row in rows:
                why = "".join(f" {told['text']}" for told in row["why"])
                yield f"{outcome}: {row['resource']} {row['id']}{why}"
        for row in self.gone_there:
            yield f"gone there: {row['resource']} {row['id']} is still here (--delete removes it)"
        for (resource, code, text), ids in self.notes.items():
            yield f"{code}: {text}: {resource} {_numbers(ids)}"
        yield from self.warnings
        yield from self.problems


def _code(told: Mapping[str, Any]) -> str:
    code = str(told["code"])
    return f"{code} {told['name']}" if code not in ONCE and "name" in told else code


def _text(told: Mapping[str, Any]) -> str:
    text = str(told.get("text") or TEXTS.get(told["code"], told["code"]))
    return text.replace("{name}", str(told.get("name", "")))


def _numbers(ids: list[Any]) -> str:
    shown = ", ".join(map(str, ids[:SHOWN]))
    return f"{shown} and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else shown
