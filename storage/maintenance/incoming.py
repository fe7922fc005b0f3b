"""Writing what another site has: only what changed there, and never over what changed here."""

from collections.abc import Collection, Iterable
from contextlib import suppress

from landform.storage import feeds, pages
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import ImportRefused, NotFound, TextRefused
from landform.storage.maintenance import origins
from landform.storage.maintenance.merging import Incoming, Plan
from landform.storage.maintenance.origins import Origin, Run
from landform.storage.maintenance.writing import RowWriter
from landform.storage.models import Feed, Page, Table
from landform.storage.pages import slugs
from landform.storage.pages.naming import TAKEN
from landform.storage.rows import Row, json_text
from landform.storage.sql import identity
from landform.storage.store import Store

MODELS: dict[str, type[Table]] = {"page": Page, "feed": Feed}


class IncomingWriter:
    """Takes batches of one resource; each is written, with what became of it, or none of it.

    `force`: also over what was changed here. `new_ids`: rows get ids of their own. Without `keep`
    each batch is rolled back.
    """

    def __init__(
        self, store: Store, run: Run, *, force: bool = False, new_ids: bool = False,
        keep: bool = True,
    ) -> None:  # fmt: skip
        self._store, self._run = store, run
        self._force, self._new_ids, self._keep = force, new_ids, keep
        # What has a higher id and came from elsewhere was created since the import began.
        self._last_ids = run.state.setdefault("last_ids", store.database.last_ids())
        # The slugs of a batch, and where nothing is kept those of all before.
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
        given = list(batch)
        found: list[Origin] = []
        with suppress(_Undone), self._store.transaction() as db:
            found = self._write(db, resource, given)
            if not self._keep:
                raise _Undone
            origins.save(self._store, self._run.source, found)
            origins.save_run(self._store, self._run)
        return found

    def remove(self, origin: Origin) -> Origin:
        """Delete what is gone there, unless it was changed here; return what became of it."""
        with suppress(_Undone), self._store.transaction():
            origin = self._remove(origin)
            if not self._keep:
                raise _Undone
        return origin

    def _remove(self, origin: Origin) -> Origin:
        here = self._here(origin.resource, [origin.target_id]).get(origin.target_id)
        if here and not self._force and origins.digest(origin.resource, here) != origin.stored:
            note = {"code": "deleted-there", "text": "is gone there, and was changed here"}
            return origin._replace(outcome="conflict", notes=(note,))
        with suppress(NotFound):
            (pages if origin.resource == "page" else feeds).delete(self._store, origin.target_id)
        origins.forget(self._store, self._run.source, origin)
        return origin._replace(outcome="deleted", notes=())

    def _write(self, db: EngineDatabase, resource: str, given: list[Incoming]) -> list[Origin]:
        known = origins.find(
            self._store, self._run.source, resource, [one.source_id for one in given]
        )
        before = [known.get(one.source_id) or Origin(resource, one.source_id) for one in given]
        before = [
            old._replace(target_id=old.target_id or (0 if self._new_ids else old.source_id))
            for old in before
        ]
        here = self._here(resource, [old.target_id for old in before])
        plan = [
            Plan(one, old, here.get(old.target_id), old.source_id in known and bool(old.digest))
            for one, old in zip(given, before, strict=True)
        ]
        last = self._last_ids[resource]
        for one in plan:
            one.decide(self._force, is_new=one.before.target_id > last)
        self._name(plan)
        self._store_rows(db, resource, [one for one in plan if one.is_written])
        return [one.origin(self._run.number) for one in plan]

    def _here(self, resource: str, ids: Collection[int]) -> dict[int, Row]:
        model = MODELS[resource]
        found = model.select().where(model._meta.fields["id"].in_(list(ids))).dicts()
        return {row["id"]: row for row in found.execute(self._store.database)}

    def _name(self, plan: list[Plan]) -> None:
        """Give each page that is written a slug of its own, near the one that it has there."""
        named = [one for one in plan if one.row and one.row.get("slug")]
        if self._keep:
            self._claimed = {}
        owners = self._owners([one.row["slug"] for one in named if one.row])
        for one in named:
            one.find_name(owners, self._taken(one), self._claimed)

    def _owners(self, wanted: Collection[str]) -> dict[str, int]:
        rows = TAKEN.run(self._store, {"slugs": json_text(list(wanted))}).fetchall()
        return {slug: owner for owner, slug in rows}

    def _taken(self, one: Plan) -> slugs.Taken:
        def taken(candidates: Collection[str]) -> set[str]:
            owned = self._owners(candidates)
            mine = one.before.target_id
            return {
                slug for slug in candidates
                if owned.get(slug, mine) != mine or self._claimed.get(slug, mine) != mine
            }  # fmt: skip

        return taken

    def _store_rows(self, db: EngineDatabase, resource: str, plan: list[Plan]) -> None:
        """Write rows with the ids that they have or get."""
        writer = RowWriter(self._store)
        for one in plan:
            try:
                _, number = writer.write(MODELS[resource], one.finished())
                one.before = one.before._replace(target_id=number)
            except (ImportRefused, TextRefused) as refused:
                one.leave_out(str(refused))
        if plan and self._keep:
            db.advance_sequences(db.last_ids())
            # A version may have been that of another row here.
            identity.renew_generation(db)


class _Undone(Exception):
    """Rolls back what was written."""
