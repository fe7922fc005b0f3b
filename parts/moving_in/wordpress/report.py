"""The options of an import, and its report, as text and as JSON."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from landform.parts.moving_in.origins import NOTIFICATION, Origin

Note = dict[str, Any]
# Called with a name such as "pages", the number of rows that have been read, and the total.
Progress = Callable[[str, int, int], None]
# Options that may differ when an unfinished import is continued.
CHANGEABLE = ("probe", "delete", "keep")
# The text of each code of a note; `{name}` is the name in the note.
TEXTS = {
    "lost": "landform has no place for {name}",
    "meta-missing": "the site shows no field for {name}",
    "meta-unreadable": (
        "{name} has a value that cannot be read, or of another type than the site declares, so it "
        "is empty"
    ),
    "nul": "characters that no database stores were replaced: NUL, or unpaired surrogates",
    "control-characters": "characters that XML cannot hold, or invalid bytes, were replaced",
    "author-missing": "has no author that landform can store, so author 1 is used",
    "date-missing": "has no date; it is dated 1970-01-01",
    "modified-missing": "has no modification date, so its date is used",
    "replaced": "{name} has a value that landform cannot store, so it is as if there were none",
    "slug-refused": "the slug {name} has characters that landform refuses",
    "slug-missing": "had no slug, and needs one",
    "beyond-bounds": "{name} is larger than a request may send, so a client cannot send it back",
    "shortcode": "visitors see [{name}] as text, since nothing renders it here",
    "block": "visitors see nothing of the block {name}, or a bare address: nothing here renders it",
    "embed": "visitors see an address of {name} as text, where WordPress embeds its content",
    "form-block": "form_id is empty there: a new page here has {name}, as its form block",
    "pattern": "the synced pattern {name} is a part of the page here, and no longer synced",
    "pattern-overrides": "the page has texts of its own for the pattern {name}, which are lost",
    "media": "refers to files below {name}, which stay at the old site",
    "form-not-shown": "visitors do not see this form: {name}",
    "revisions-refused": "the site does not show the revisions ({name})",
    "schedule-missed": "was scheduled, and never published at its date: it is a draft here",
}
# Codes without their names in the report.
UNNAMED = ("status", "slug-refused", "form-not-shown", "revisions-refused")
# In the order of a report.
PLURALS = {
    "page": "pages", "form": "forms", NOTIFICATION: "notifications", "feed": "feeds",
    "entry": "entries", "media": "pictures",
}  # fmt: skip
RESOURCES = [*PLURALS]
WRITE_OUTCOMES = ("created", "updated", "deleted")
OUTCOMES = ("created", "updated", "unchanged", "kept", "conflict", "left-out", "deleted")
# The outcomes with a list of their rows, by its name in JSON.
LISTED = {"left-out": "left_out", "conflict": "conflicts", "kept": "kept", "deleted": "deleted"}
# The code of a row that a later import may read.
UNREADABLE_CODE = "unreadable"
MAX_IDS_IN_TEXT = 20


def note(code: str, name: str = "", text: str = "") -> Note:
    """Return a note; without a text it has that of its code."""
    text = (text or TEXTS[code]).replace("{name}", name)
    return {"code": code if not name or code in UNNAMED else f"{code} {name}", "text": text}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The options of `landform import-wordpress`.

    `meta` has the sources of keys, `forms` the ids of forms here by those there.
    """

    resources: frozenset[str]
    statuses: tuple[str, ...] = ()
    since: str = ""
    probe: int = 200
    force: bool = False
    delete: bool = False
    new_ids: bool = False
    revisions: bool = False
    media: bool = False
    keep: bool = True
    meta: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[int, int] = field(default_factory=dict)

    def key(self, user: str) -> str:
        """Return the options that must be equal to continue an unfinished import."""
        options = {name: value for name, value in vars(self).items() if name not in CHANGEABLE}
        return json.dumps([user, options], default=sorted, sort_keys=True)


@dataclass
class Report:
    """The outcome of each row, and messages about the whole import.

    `problems` are reasons why something was not read, `gone_there` the rows that were deleted there
    and are still here, `without_id` the number of rows of a file without a valid id, each of them
    also a problem.
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
        """Add the outcomes of rows."""
        for origin in origins:
            resource, number = origin.resource, origin.shown_id
            self.counts.setdefault(resource, Counter())[origin.outcome] += 1
            if origin.outcome in LISTED:
                # The last note has the reason. The others matter only if the row is written.
                why = [*origin.notes[-1:]]
                self.rows[origin.outcome].append({"resource": resource, "id": number, "why": why})
                continue
            for note in origin.notes:
                self.notes[resource, note["code"], note["text"]].append(number)
                if "other" in note:
                    text = f"keeps its slug, which page {number} has there, too"
                    self.notes["page", "slug-shared", text].append(note["other"])

    def sort(self) -> None:
        """Put all rows and notes in the order of their ids, once all rows are added."""
        for rows in self.rows.values():
            rows.sort(key=lambda row: (RESOURCES.index(row["resource"]), row["id"]))
        order = sorted(self.notes, key=lambda key: (RESOURCES.index(key[0]), key[1:]))
        self.notes = {key: sorted(self.notes[key]) for key in order}

    @property
    def exit_code(self) -> int:
        """1 if something could not be read, 3 if something was left out.

        Rows that can never be stored count only if others were written, so that an import that a
        timer repeats ends with 0 while nothing changes.
        """
        if len(self.problems) > self.without_id:
            return 1
        has_written = any(set(WRITE_OUTCOMES) & counts.keys() for counts in self.counts.values())
        left_out = self.rows["left-out"]
        codes = {reason["code"] for row in left_out for reason in row["why"]}
        has_left_out = self.hidden_pages or left_out or self.without_id
        is_incomplete = self.rows["conflict"] or UNREADABLE_CODE in codes
        return 3 if is_incomplete or (has_left_out and has_written) else 0

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        report: dict[str, Any] = {**vars(self), "exit_code": self.exit_code}
        report |= {LISTED[outcome]: rows for outcome, rows in report.pop("rows").items()}
        report["notes"] = [
            {"resource": resource, "code": code, "text": text, "ids": ids}
            for (resource, code, text), ids in self.notes.items()
        ]
        return report

    def lines(self) -> Iterator[str]:
        """Yield the report as lines of text."""
        for resource, counts in self.counts.items():
            texts = [
                f"{counts[name]:,} {'would be ' * (self.dry_run and name in WRITE_OUTCOMES)}{name}"
                for name in OUTCOMES if counts[name]
            ]  # fmt: skip
            yield f"{PLURALS[resource].capitalize()}: {', '.join(texts)}"
        for key, sources in self.meta.items():
            texts = [f"{source} ({pages:,} pages)" for source, pages in sources.items()]
            yield f"Meta {key} is read from {', '.join(texts)}."
        for outcome, rows in self.rows.items():
            for row in rows:
                why = "".join(f" {reason['text']}" for reason in row["why"])
                yield f"{outcome}: {row['resource']} {row['id']}{why}"
        for row in self.gone_there:
            named = f"{row['resource']} {row['id']}"
            yield f"gone there: {named} is still here (--delete removes it)"
        for (resource, code, text), ids in self.notes.items():
            listed, hidden = ", ".join(map(str, ids[:MAX_IDS_IN_TEXT])), len(ids) - MAX_IDS_IN_TEXT
            more = f" and {hidden:,} more" if hidden > 0 else ""
            yield f"{code}: {text}: {resource} {listed}{more}"
        yield from self.warnings
        yield from self.problems
