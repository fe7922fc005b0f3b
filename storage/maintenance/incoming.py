"""Writing what another site has: only what changed there, and never over what changed here."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from landform.storage import feeds, pages
from landform.storage.errors import ImportRefused, NotFound, TextRefused
from landform.storage.maintenance import origins
from landform.storage.maintenance.origins import Origin, Run
from landform.storage.maintenance.writing import RowWriter
from landform.storage.models import Feed, Page, Table
from landform.storage.pages import slugs
from landform.storage.rows import Row
from landform.storage.sql import identity
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

MODELS: dict[str, type[Table]] = {"page": Page, "feed": Feed}
HERE = {
    name: Prepared(model.select().where(model._meta.primary_key == Parameter("id")))
    for name, model in MODELS.items()
}
WRITTEN = ("created", "updated")
Note = Mapping[str, Any]
# Returns whose the slugs are that belong to other pages.
Owners = Callable[[Collection[str]], Mapping[str, int]]


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

    @property
    def keeps_ids(self) -> bool:
        """Whether rows are stored with the ids that they have there."""
        return self._keep and not self._new_ids

    def reserve(self, resource: str, highest: int) -> None:
        """Let nobody who creates a row here from now on get an id up to this one."""
        with self._store.transaction() as db:
            db.advance_sequences({resource: highest})

    def write(self, resource: str, batch: Iterable[Incoming]) -> list[Origin]:
        """Write a batch and the state of the run; return what became of each row."""
        given, found = list(batch), list[Origin]()
        with suppress(_Undone), self._store.transaction() as db:
            ids = [one.source_id for one in given]
            known = origins.find(self._store, self._run.source, resource, ids)
            found = [self._take(one, known.get(one.source_id)) for one in given]
            if not self._keep:
                raise _Undone
            db.advance_sequences(db.last_ids())
            if any(one.outcome in WRITTEN for one in found):
                # A version may have been that of another row here.
                identity.renew_generation(db)
            origins.save(self._store, self._run.source, found)
            origins.save_run(self._store, self._run)
        return found

    def remove(self, origin: Origin) -> Origin:
        """Delete what is gone there, unless it was changed here; return what became of it."""
        with suppress(_Undone), self._store.transaction():
            here = self._here(origin)
            if here and not self._force and origins.digest(origin.resource, here) != origin.stored:
                note = {"code": "deleted-there", "text": "is gone there, and was changed here"}
                return origin._replace(outcome="conflict", notes=(note,))
            with suppress(NotFound):
                (pages if origin.resource == "page" else feeds).delete(
                    self._store, origin.target_id
                )
            origins.forget(self._store, self._run.source, origin)
            if not self._keep:
                raise _Undone
        return origin._replace(outcome="deleted", notes=())

    def _take(self, one: Incoming, known: Origin | None) -> Origin:
        before = known or Origin(one.resource, one.source_id)
        if not before.target_id and not self._new_ids:
            before = before._replace(target_id=one.source_id)
        plan = _Plan(one, before, self._here(before), bool(known and known.digest))
        plan.decide(self._force, is_new=before.target_id > self._last_ids[one.resource])
        mine = before.target_id or -one.source_id
        plan.find_name(lambda wanted: self._others(wanted, mine))
        if plan.outcome in WRITTEN:
            try:
                _, number = self._rows.write(MODELS[one.resource], plan.finished())
                plan.before = before._replace(target_id=number)
            except (ImportRefused, TextRefused) as refused:
                plan.leave_out(str(refused))
        if plan.row and not self._keep and plan.outcome in (*WRITTEN, "unchanged"):
            self._claimed[plan.row.get("slug", "")] = mine
        return plan.origin(self._run.number)

    def _here(self, origin: Origin) -> Row | None:
        return next(iter(HERE[origin.resource].rows(self._store, {"id": origin.target_id})), None)

    def _others(self, wanted: Collection[str], mine: int) -> dict[str, int]:
        owners = slugs.owners(self._store, wanted)
        owners |= {slug: self._claimed[slug] for slug in wanted if slug in self._claimed}
        return {slug: owner for slug, owner in owners.items() if owner != mine}


class _Plan:
    """What is done with one row: nothing, a write, or a word about a conflict."""

    def __init__(self, one: Incoming, before: Origin, here: Row | None, is_known: bool) -> None:
        self.incoming, self.before, self.here = one, before, here
        self.row = self._completed()
        self.outcome, self.notes = "left-out", list(one.notes)
        # The last import brought it.
        self._is_known = is_known
        self._digest = self._of_source(one.row) if one.row else before.digest

    def decide(self, force: bool, is_new: bool) -> None:
        """Find out whether the row is written, and why not.

        `is_new`: whether a row here has an id from after the beginning of the import: what is not
        the import's own then stays, also with `force`.
        """
        if self.row is None:
            return
        changed_there = self._digest != self.before.digest
        self.outcome = "updated" if self.here else "created"
        if self.here and self._is_as_there(self.row, self.here):
            self.outcome = "unchanged"
        elif not self._is_known:
            if self.here and (is_new or not force):
                self._leave("id-taken", "exists here, and did not come from there", True)
        elif self.here is None:
            if not force:
                self._leave("deleted-here", "was deleted here", changed_there)
        elif not self._is_as_stored:
            if not force:
                self._leave("changed-here", "was changed here since the last import", changed_there)
        elif not changed_there:
            self.outcome = "unchanged"

    def _leave(self, code: str, text: str, changed_there: bool) -> None:
        self.outcome = "conflict" if changed_there else "kept"
        self.notes.append({"code": code, "text": text})

    def find_name(self, others: Owners) -> None:
        """Choose the slug of a page, near the one there; one with a number before keeps it."""
        row = self.row
        if not row or not row.get("slug") or self.outcome not in (*WRITTEN, "unchanged"):
            return
        wanted, now = row["slug"], self.here["slug"] if self.here else ""
        if self.outcome == "unchanged" and now == wanted:
            return
        is_numbered = slugs.is_numbered(now, wanted)
        if found := others([wanted]):
            row["slug"] = now if is_numbered else slugs.numbered(wanted, others)
            owner = abs(found[wanted])
            text = f"has the slug {row['slug']} here, since {wanted} is that of page {owner}"
            self.notes.append({"code": "slug-shared", "text": text, "other": owner})
        elif self.outcome == "unchanged" and is_numbered and self._is_as_stored:
            # Nobody has it any more.
            self.outcome = "updated"
        elif self.outcome == "unchanged":
            row["slug"] = now

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
        old, one, outcome = self.before, self.incoming, self.outcome
        if old.run == run and outcome in ("updated", "unchanged") and old.outcome in WRITTEN:
            # Seen a second time: what the import did first is what it did.
            outcome = old.outcome
        new = old._replace(
            run=run, outcome=outcome, notes=tuple(self.notes), slug=one.slug, link=one.link
        )
        stored = self.here if self.outcome == "unchanged" else self.row
        if stored and self.outcome in (*WRITTEN, "unchanged"):
            written = origins.digest(old.resource, stored)
            return new._replace(digest=self._digest, stored=written)
        # Of what no import brought nothing is here.
        return new if self._is_known else new._replace(target_id=0)

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
        here = self.here
        return here is not None and self.before.stored == origins.digest(self.before.resource, here)

    def _is_as_there(self, row: Row, here: Row) -> bool:
        """Return whether the row here says what it says there, but for a number of its slug.

        A number that an import did not give is a change of its own.
        """
        resource, replaced = self.before.resource, {}
        is_numbered = resource == "page" and slugs.is_numbered(here["slug"], row["slug"])
        if is_numbered and (self._is_as_stored or not self._is_known):
            replaced["slug"] = row["slug"]
        return origins.digest(resource, here, **replaced) == origins.digest(resource, row)


class _Undone(Exception):
    """Rolls back what was written."""
