"""Writing what another site has: only what changed there, and never over what changed here."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from landform.parts.moving_in import origins
from landform.parts.moving_in.origins import Origin, Run, digest
from landform.storage import feeds, pages
from landform.storage.errors import ImportRefused, NotFound, TextRefused
from landform.storage.maintenance.tables import EXPORTED, RowWriter, find
from landform.storage.maintenance.transfer import reserve_ids
from landform.storage.pages import revisions, slugs
from landform.storage.rows import Row
from landform.storage.store import Store

DELETES = {"page": pages.delete, "feed": feeds.delete}
WRITTEN = ("created", "updated")
# What is here is then as it is there.
SAME = (*WRITTEN, "unchanged")
Note = Mapping[str, Any]
# Returns whose the slugs are that belong to other pages.
Owners = Callable[[Collection[str]], Mapping[str, int]]


class Incoming(NamedTuple):
    """A row of another site: its id there, and what it would be here.

    `row`: its columns, but for the id and those that `finish` adds; None where it cannot be held.
    `finish` may raise `ImportRefused`. `slug` and `link` are those there, `status` what the row
    counts as when it is compared with the last import. What the site does not show of the meta is
    in `unknown`: it stays as it is here. `revisions` of a page, the oldest first, replace those
    that are here where it is written.
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
    revisions: tuple[Row, ...] = ()


class IncomingWriter:
    """Takes batches of one resource; each is written, with what became of it, or none of it.

    `force`: also over what was changed here. `new_ids`: rows get ids of their own. Without `keep`
    each batch is rolled back.
    """

    def __init__(
        self, store: Store, run: Run, *, force: bool = False, new_ids: bool = False,
        keep: bool = True,
    ) -> None:  # fmt: skip
        self._store, self._run, self._rows = store, run, RowWriter(store)
        self._force, self._new_ids, self._keep = force, new_ids, keep
        # What has a higher id and came from elsewhere was created since the import began.
        self._last_ids = run.state.setdefault("last_ids", store.database.last_ids())
        # The slugs of pages that were not kept.
        self._claimed: dict[str, int] = {}
        # Which page there keeps its slug here, by its id there.
        self.keepers: Mapping[str, int] = {}

    def reserve(self, resource: str, highest: int) -> None:
        """Let nobody who creates a row here from now on get an id that may come from there."""
        if self._keep and not self._new_ids:
            reserve_ids(self._store, {resource: highest})

    def write(self, resource: str, batch: Iterable[Incoming]) -> list[Origin]:
        """Write a batch and the state of the run; return what became of each row."""
        given = list(batch)
        with self._rows.transaction(keep=self._keep):
            ids = [one.source_id for one in given]
            known = origins.find(self._store, self._run.source, resource, ids)
            found = [self._take(one, known.get(one.source_id)) for one in given]
            origins.save(self._store, self._run.source, found)
            origins.save_run(self._store, self._run)
        return found

    def remove(self, origin: Origin) -> Origin:
        """Delete what is gone there, unless it was changed here; return what became of it."""
        with self._store.transaction():
            here = self._here(origin)
            if here and not self._force and digest(origin.resource, here) != origin.stored:
                note = {"code": "deleted-there", "text": "is gone there, and was changed here"}
                return origin._replace(outcome="conflict", notes=(note,))
            if self._keep:
                with suppress(NotFound):
                    DELETES[origin.resource](self._store, origin.target_id)
                origins.forget(self._store, self._run.source, origin)
        return origin._replace(outcome="deleted", notes=())

    def _take(self, one: Incoming, known: Origin | None) -> Origin:
        before = known or Origin(one.resource, one.source_id)
        if not before.target_id and not self._new_ids:
            before = before._replace(target_id=one.source_id)
        merge = _Merge(one, before, self._here(before))
        merge.decide(self._force, is_new=before.target_id > self._last_ids[one.resource])
        mine = before.target_id or -one.source_id
        merge.find_name(lambda wanted: self._others(wanted, mine, one.source_id))
        if merge.outcome in WRITTEN:
            try:
                row = {"version": 1, **one.finish(merge.row or {}), "id": before.target_id}
                _, number = self._rows.write(EXPORTED[one.resource], row)
                merge.before = before._replace(target_id=number)
                if one.revisions:
                    revisions.replace_all(self._store, number, one.revisions)
            except (ImportRefused, TextRefused) as refused:
                merge.leave("left-out", "refused", str(refused))
        if merge.row and not self._keep and merge.outcome in SAME:
            self._claimed[merge.row.get("slug", "")] = mine
        return merge.origin(self._run.number)

    def _here(self, origin: Origin) -> Row | None:
        return find(self._store, EXPORTED[origin.resource], {"id": origin.target_id})

    def _others(self, wanted: Collection[str], mine: int, source_id: int) -> dict[str, int]:
        """Return to which other pages some slugs belong, or will as soon as those come."""
        keepers = {slug: self.keepers.get(slug, source_id) for slug in wanted}
        owners = {slug: -keeper for slug, keeper in keepers.items() if keeper != source_id}
        owners |= slugs.owners(self._store, wanted)
        owners |= {slug: self._claimed[slug] for slug in wanted if slug in self._claimed}
        return {slug: owner for slug, owner in owners.items() if owner != mine}


class _Merge:
    """A row as it is there, as it is here, and as the last import left it: what becomes of it."""

    def __init__(self, one: Incoming, before: Origin, here: Row | None) -> None:
        self._incoming, self.before, self._here = one, before, here
        self.outcome, self._notes = "left-out", list(one.notes)
        self.row: Row | None = None
        self._digest = before.digest
        # Whether the row here is still as the last import stored it.
        self._is_as_stored = bool(here) and before.stored == digest(one.resource, here or {})
        if one.row:
            status = {"status": one.status} if one.status else {}
            shown = {key: value for key, value in one.row["meta"].items() if key not in one.unknown}
            self._digest = digest(one.resource, one.row, meta=shown, **status)
            # Where the site shows none of the meta, that which is here stays.
            meta = json.loads(here["meta"]) if here and one.unknown else {}
            kept = {key: meta[key] for key in one.unknown if key in meta}
            self.row = {**one.row, "meta": {**one.row["meta"], **kept}}

    def decide(self, force: bool, is_new: bool) -> None:
        """Find out whether the row is written, and why not.

        `is_new`: whether a row here has an id from after the beginning of the import: what is not
        the import's own then stays, also with `force`.
        """
        here, is_known = self._here, bool(self.before.digest)
        changed_there = self._digest != self.before.digest
        kept = "conflict" if changed_there else "kept"
        if self.row is None:
            return
        if here and self._is_as_there(self.row, here):
            self.outcome = "unchanged"
        elif here and not is_known and (is_new or not force):
            self.leave(kept, "id-taken", "exists here, and did not come from there")
        elif not here and is_known and not force:
            self.leave(kept, "deleted-here", "was deleted here")
        elif here and is_known and not self._is_as_stored and not force:
            self.leave(kept, "changed-here", "was changed here since the last import")
        elif self._is_as_stored and not changed_there:
            self.outcome = "unchanged"
        else:
            self.outcome = "updated" if here else "created"

    def leave(self, outcome: str, code: str, text: str) -> None:
        """Write nothing, and say why."""
        self.outcome = outcome
        self._notes.append({"code": code, "text": text})

    def find_name(self, others: Owners) -> None:
        """Choose the slug of a page, near the one there; one with a number before keeps it."""
        row = self.row
        if not row or not row.get("slug") or self.outcome not in SAME:
            return
        wanted, now = row["slug"], self._here["slug"] if self._here else ""
        if self.outcome == "unchanged" and now == wanted:
            return
        is_numbered = slugs.is_numbered(now, wanted)
        if found := others([wanted]):
            row["slug"] = now if is_numbered else slugs.numbered(wanted, others)
            owner = abs(found[wanted])
            text = f"has the slug {row['slug']} here, since {wanted} is that of page {owner}"
            self._notes.append({"code": "slug-shared", "text": text, "other": owner})
        elif self.outcome == "unchanged" and is_numbered and self._is_as_stored:
            # Nobody has it any more.
            self.outcome = "updated"
        elif self.outcome == "unchanged":
            row["slug"] = now

    def origin(self, run: int) -> Origin:
        """Return what is to be remembered."""
        old, one, outcome = self.before, self._incoming, self.outcome
        if old.run == run and outcome in ("updated", "unchanged") and old.outcome in WRITTEN:
            # Seen a second time: what the import did first is what it did.
            outcome = old.outcome
        new = old._replace(
            run=run, outcome=outcome, notes=tuple(self._notes), slug=one.slug, link=one.link
        )
        stored = self._here if self.outcome == "unchanged" else self.row
        if stored and self.outcome in SAME:
            return new._replace(digest=self._digest, stored=digest(old.resource, stored))
        # Of what no import brought nothing is here.
        return new if old.digest else new._replace(target_id=0)

    def _is_as_there(self, row: Row, here: Row) -> bool:
        """Return whether the row here says what it says there, but for a number of its slug.

        A number that an import did not give is a change of its own. A change that was made on both
        sides is the same one, though at two moments.
        """
        resource, replaced = self.before.resource, {}
        if resource == "page" and not self._is_as_stored:
            moments = ("modified", "date", "date_utc") if row["date_floats"] else ("modified",)
            replaced = {name: row[name] for name in moments}
        is_numbered = resource == "page" and slugs.is_numbered(here["slug"], row["slug"])
        if is_numbered and (self._is_as_stored or not self.before.digest):
            replaced["slug"] = row["slug"]
        return digest(resource, here, **replaced) == digest(resource, row)
