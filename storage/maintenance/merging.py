"""What is to be done with a row of another site: nothing, a write, or a word about a conflict."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from landform.storage.maintenance import origins
from landform.storage.maintenance.origins import Origin
from landform.storage.pages import slugs
from landform.storage.rows import Row

Note = Mapping[str, Any]
WRITTEN = ("created", "updated")


class Incoming(NamedTuple):
    """A row of another site: its id there, and what it would be here.

    `row`: its columns, but for the id and those that `finish` adds; None where it cannot be held.
    `finish` may raise `ImportRefused`. `slug` and `link` are those there, `status` what the row
    counts as when it is compared with the last import. What the site does not show of the meta is
    in `unknown`: it stays as it is here.
    """

    resource: str
    source_id: int
    row: Row | None
    finish: Callable[[Row], Row] = dict
    slug: str = ""
    link: str = ""
    status: str = ""
    unknown: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()


class Plan:
    """What is to be done with one row."""

    def __init__(self, one: Incoming, before: Origin, here: Row | None, is_known: bool) -> None:
        self.incoming, self.before, self.here = one, before, here
        self.row = self._completed()
        self.outcome, self.notes = "left-out", list(one.notes)
        # The last import brought it.
        self._is_known = is_known
        self._digest = self._of_source(one.row) if one.row else before.digest

    @property
    def is_written(self) -> bool:
        """Whether the row is to be written."""
        return self.outcome in WRITTEN

    def decide(self, force: bool, is_new: bool) -> None:
        """Find out whether the row is written, and why not.

        `is_new`: whether a row here has an id from after the beginning of the import: what is not
        the import's own then stays, also with `force`.
        """
        if self.row is None:
            return
        changed_there = self._digest != self.before.digest
        if self.here and self._is_as_there(self.row, self.here):
            self.outcome = "unchanged"
        elif not self._is_known:
            self.outcome = "updated" if self.here else "created"
            if self.here and (is_new or not force):
                self._keep("id-taken", "exists here, and did not come from there", True)
        elif self.here is None:
            self.outcome = "created"
            if not force:
                self._keep("deleted-here", "was deleted here", changed_there)
        elif not self._is_as_stored:
            self.outcome = "updated"
            if not force:
                self._keep("changed-here", "was changed here since the last import", changed_there)
        else:
            self.outcome = "updated" if changed_there else "unchanged"

    def _keep(self, code: str, text: str, changed_there: bool) -> None:
        self.outcome = "conflict" if changed_there else "kept"
        self.notes.append({"code": code, "text": text})

    def find_name(
        self, owners: Mapping[str, int], taken: slugs.Taken, claimed: dict[str, int]
    ) -> None:
        """Choose the slug of a page; one that was given a number before keeps it."""
        row, mine = self.row, self.before.target_id
        if row is None or self.outcome not in ("created", "updated", "unchanged"):
            return
        wanted, now = row["slug"], self.here["slug"] if self.here else ""
        if self.outcome == "unchanged" and now == wanted:
            return
        is_numbered = slugs.is_numbered(now, wanted)
        if taken([wanted]):
            row["slug"] = now if is_numbered else slugs.numbered(wanted, taken)
            owner = claimed.get(wanted, owners.get(wanted, 0))
            text = f"has the slug {row['slug']} here, since {wanted} is that of page {abs(owner)}"
            self.notes.append({"code": "slug-shared", "text": text, "other": abs(owner)})
        elif self.outcome == "unchanged" and is_numbered and self._is_as_stored:
            # Nobody has it any more.
            self.outcome = "updated"
        elif self.outcome == "unchanged":
            row["slug"] = now
        claimed[row["slug"]] = mine or -self.before.source_id

    def finished(self) -> Row:
        """Return all columns."""
        row = self.incoming.finish(self.row or {})
        return {**row, "id": self.before.target_id, "version": row.get("version", 1)}

    def leave_out(self, reason: str) -> None:
        """Say why the row was not written after all."""
        self.outcome = "left-out"
        self.notes.append({"code": "refused", "text": reason})

    def origin(self, run: int) -> Origin:
        """Return what is to be remembered."""
        old, one = self.before, self.incoming
        outcome = self.outcome
        if old.run == run and self.outcome in ("updated", "unchanged") and old.outcome in WRITTEN:
            # Seen a second time: what the import did first is what it did.
            outcome = old.outcome
        new = old._replace(run=run, outcome=outcome, notes=tuple(self.notes))
        stored = self.here if self.outcome == "unchanged" else self.row
        if stored and self.outcome in (*WRITTEN, "unchanged"):
            written = origins.digest(old.resource, stored)
            return new._replace(digest=self._digest, stored=written, slug=one.slug, link=one.link)
        if not self._is_known:
            # Nothing of it is here.
            new = new._replace(target_id=0)
        return new._replace(slug=one.slug, link=one.link)

    def _completed(self) -> Row | None:
        """Return the row, with the meta that is here where the site shows none."""
        row = self.incoming.row
        if row is None or not self.incoming.unknown or not self.here:
            return dict(row) if row else None
        meta = json.loads(self.here["meta"])
        kept = {key: meta[key] for key in self.incoming.unknown if key in meta}
        return {**row, "meta": {**row["meta"], **kept}}

    def _of_source(self, row: Row) -> str:
        unknown = self.incoming.unknown
        replaced: Row = {"status": self.incoming.status} if self.incoming.status else {}
        replaced["meta"] = {key: row["meta"][key] for key in row["meta"] if key not in unknown}
        return origins.digest(self.before.resource, row, **replaced)

    @property
    def _is_as_stored(self) -> bool:
        """Whether the row here is still as the last import stored it."""
        resource, here = self.before.resource, self.here
        return bool(here) and origins.digest(resource, here or {}) == self.before.stored

    def _is_as_there(self, row: Row, here: Row) -> bool:
        """Return whether the row here says what it says there, but for a number of its slug.

        A number that an import did not give is a change of its own.
        """
        resource, replaced = self.before.resource, {}
        is_numbered = resource == "page" and slugs.is_numbered(here["slug"], row["slug"])
        if is_numbered and (self._is_as_stored or not self._is_known):
            replaced["slug"] = row["slug"]
        return origins.digest(resource, here, **replaced) == origins.digest(resource, row)
