"""Write rows that changed on another site, but never over changes made here."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from peewee import Tuple

from landform.parts.moving_in import origins
from landform.parts.moving_in.models import ImportOrigin
from landform.parts.moving_in.origins import NOTIFICATION, Origin, Run, digest, table_of
from landform.parts.moving_in.wordpress.report import Plan
from landform.parts.moving_in.wordpress.values import parse_integer
from landform.storage import feeds, pages
from landform.storage.errors import ImportRefused, TextRefused
from landform.storage.maintenance.tables import RowWriter, find
from landform.storage.models import part_exports
from landform.storage.pages import slugs
from landform.storage.rows import NO_VALUES, Row
from landform.storage.store import Store

DELETERS = {"page": pages.delete, "feed": feeds.delete, NOTIFICATION: feeds.delete}
WRITE_OUTCOMES = ("created", "updated")
# The outcomes after which the row here equals the row there.
EQUAL_OUTCOMES = (*WRITE_OUTCOMES, "unchanged")
# Returns the ids of the other pages that have some slugs.
SlugOwners = Callable[[Collection[str]], Mapping[str, int]]


class Incoming(NamedTuple):
    """A row of another site, as landform would store it.

    `row` lacks the id and the columns that `finish` adds; it is None if it cannot be stored.
    `finish` may raise `ImportRefused`. `slug` and `link` are those of the site. `compared` replaces
    columns of the row in comparisons with the last import. `unknown` are the keys of the meta that
    the site does not show; they stay as they are here. `revisions` of a page, the oldest first,
    replace those here when the page is written.
    """

    resource: str
    source_id: int
    row: Row | None
    finish: Callable[[Row], Row] = dict
    slug: str = ""
    link: str = ""
    compared: Mapping[str, Any] = NO_VALUES
    unknown: Collection[str] = ()
    notes: tuple[Mapping[str, Any], ...] = ()
    revisions: tuple[Row, ...] = ()


class SlugKeepers(dict[str, tuple[bool, int]]):
    """The page of a site that keeps each slug: a published one, best without a parent.

    A value says whether the page has a parent, and has its id.
    """

    def add(self, number: int, page: Mapping[str, Any]) -> None:
        """Add a page, with its status, slug and parent."""
        slug, parent = str(page.get("slug") or ""), page.get("parent", page.get("post_parent"))
        slug = (slug if slug.isascii() else slugs.encode(slug)).lower()
        rank = bool(parse_integer(parent)), number
        if page.get("status") == "publish" and slug:
            self[slug] = min(rank, self.get(slug, rank))


class IncomingWriter:
    """Writes batches of rows, each batch with its outcomes in one transaction.

    With `plan.force` it also overwrites changes made here, with `new_ids` rows get new ids. Without
    `keep` each batch is rolled back. `slug_keepers` has the site's pages that keep their slugs.
    """

    def __init__(self, store: Store, run: Run, plan: Plan) -> None:
        self._store, self._run, self._plan, self._rows = store, run, plan, RowWriter(store)
        # Rows with higher ids were created after the import began.
        self._last_ids = run.state.setdefault("last_ids", store.database.last_ids())
        # The slugs of a dry run, which no database has.
        self._dry_run_slugs: dict[str, int] = {}
        self.slug_keepers = SlugKeepers()

    def write(self, resource: str, batch: Iterable[Incoming]) -> list[Origin]:
        """Write a batch and the state of the run; return the outcome of each row."""
        rows = list(batch)
        with self._rows.transaction(keep=self._plan.keep):
            ids = [incoming.source_id for incoming in rows]
            known = origins.find(self._store, self._run.source, resource, ids)
            outcomes = [
                self._write_row(row, known.get(row.source_id, Origin(resource, row.source_id)))
                for row in rows
            ]
            origins.save(self._store, self._run, outcomes)
        return outcomes

    def remove(self, origin: Origin) -> Origin:
        """Delete a row that was deleted there, unless it was changed here; return the outcome."""
        with self._store.transaction() as db:
            local = self._local_row(origin)
            if local and not self._plan.force and digest(origin.resource, local) != origin.stored:
                note = {"code": "deleted-there", "text": "is gone there, and was changed here"}
                return origin._replace(outcome="conflict", notes=(note,))
            if self._plan.keep and local:
                delete = DELETERS.get(origin.resource) or part_exports()[origin.resource].delete
                delete(self._store, origin.target_id)
            if self._plan.keep:
                key = (self._run.source, origin.resource, origin.source_id)
                ImportOrigin.delete().where(Tuple(*origins.KEY) == key).execute(db)
        return origin._replace(outcome="deleted", notes=())

    def _write_row(self, incoming: Incoming, before: Origin) -> Origin:
        has_id_of_site = not self._plan.new_ids and incoming.resource != NOTIFICATION
        if not before.target_id and has_id_of_site:
            before = before._replace(target_id=incoming.source_id)
        table = table_of(incoming.resource)._meta.table_name
        merge = _Merge(incoming, before, self._local_row(before))
        merge.decide(self._plan.force, is_new=before.target_id > self._last_ids[table])
        # A page without an id is known by the negated id of the site.
        page_id = before.target_id or -incoming.source_id
        merge.choose_slug(lambda names: self._slug_owners(names, page_id, incoming.source_id))
        if merge.outcome in WRITE_OUTCOMES:
            try:
                row = {"version": 1, **incoming.finish(merge.row), "id": before.target_id}
                if incoming.revisions:
                    row["revisions"] = incoming.revisions
                _, row_id = self._rows.write(table_of(incoming.resource), row)
                merge.before = before._replace(target_id=row_id)
            except (ImportRefused, TextRefused) as error:
                merge.skip("left-out", "refused", str(error))
        if not self._plan.keep and merge.outcome in EQUAL_OUTCOMES:
            self._dry_run_slugs[merge.row.get("slug", "")] = page_id
        return merge.origin(self._run.number)

    def _local_row(self, origin: Origin) -> Row | None:
        return find(self._store, table_of(origin.resource), {"id": origin.target_id})

    def _slug_owners(self, names: Collection[str], page_id: int, source_id: int) -> dict[str, int]:
        """Return the other pages that have some slugs, or will have them after the import."""
        keepers = {name: self.slug_keepers[name][1] for name in names if name in self.slug_keepers}
        owners = {name: -keeper for name, keeper in keepers.items() if keeper != source_id}
        owners |= slugs.owners(self._store, names)
        owners |= {name: self._dry_run_slugs[name] for name in names if name in self._dry_run_slugs}
        return {name: owner for name, owner in owners.items() if owner != page_id}


class _Merge:
    """Decides whether a row is written.

    It compares the row there, the row here (`local`), and what the last import stored (`before`).
    `row` is empty if it cannot be stored.
    """

    def __init__(self, incoming: Incoming, before: Origin, local: Row | None) -> None:
        self._incoming, self.before, self._local = incoming, before, local
        self.outcome, self._notes = "left-out", list(incoming.notes)
        self.row, self._digest = dict(incoming.row or {}), before.digest
        self._is_as_stored = bool(local) and before.stored == digest(before.resource, local or {})
        if self.row:
            self._digest = digest(before.resource, self.row, **incoming.compared)
        if incoming.unknown and local:
            local_meta = json.loads(local["meta"])
            stays = {key: local_meta[key] for key in incoming.unknown if key in local_meta}
            self.row["meta"] = {**self.row["meta"], **stays}

    def decide(self, force: bool, is_new: bool) -> None:
        """Set the outcome, and add a note if the row is not written.

        `is_new`: the row here was created after the import began. If the import did not create it,
        it stays even with `force`.
        """
        local, is_known = self._local, bool(self.before.digest)
        changed_there = self._digest != self.before.digest
        skipped = "conflict" if changed_there else "kept"
        if not self.row:
            return
        if local and self._is_equal(local):
            self.outcome = "unchanged"
        elif local and not is_known and (is_new or not force):
            self.skip(skipped, "id-taken", "exists here, and did not come from there")
        elif not local and is_known and not force:
            self.skip(skipped, "deleted-here", "was deleted here")
        elif local and is_known and not self._is_as_stored and not force:
            self.skip(skipped, "changed-here", "was changed here since the last import")
        elif self._is_as_stored and not changed_there:
            self.outcome = "unchanged"
        else:
            self.outcome = "updated" if local else "created"

    def skip(self, outcome: str, code: str, text: str) -> None:
        """Write nothing, with a note on the reason."""
        self.outcome = outcome
        self._notes.append({"code": code, "text": text})

    def choose_slug(self, other_owners: SlugOwners) -> None:
        """Choose the slug of a page: the one there, with a number if another page has it.

        A page that has a number already keeps it.
        """
        row, slug = self.row, self.row.get("slug")
        current = self._local["slug"] if slug and self._local else ""
        is_settled = self.outcome == "unchanged" and current == slug
        if not slug or self.outcome not in EQUAL_OUTCOMES or is_settled:
            return
        is_numbered = slugs.is_numbered(current, slug)
        if owners := other_owners([slug]):
            row["slug"] = current if is_numbered else slugs.numbered(slug, other_owners)
            owner = abs(owners[slug])
            text = f"has the slug {row['slug']} here, since {slug} is that of page {owner}"
            self._notes.append({"code": "slug-shared", "text": text, "other": owner})
        elif self.outcome == "unchanged" and is_numbered and self._is_as_stored:
            # The slug is free again.
            self.outcome = "updated"
        elif self.outcome == "unchanged":
            row["slug"] = current

    def origin(self, run: int) -> Origin:
        """Return the origin to store."""
        before, outcome = self.before, self.outcome
        was_written = before.run == run and before.outcome in WRITE_OUTCOMES
        if was_written and outcome in ("updated", "unchanged"):
            # The same run has read the row before: its first outcome counts.
            outcome = before.outcome
        origin = before._replace(
            run=run, outcome=outcome, notes=tuple(self._notes),
            slug=self._incoming.slug, link=self._incoming.link,
        )  # fmt: skip
        stored = self._local if self.outcome == "unchanged" else self.row
        if stored and self.outcome in EQUAL_OUTCOMES:
            return origin._replace(digest=self._digest, stored=digest(before.resource, stored))
        # A row that no import has stored has no id here.
        return origin if before.digest else origin._replace(target_id=0)

    def _is_equal(self, local: Row) -> bool:
        """Return whether the row here equals the row there, apart from a number of its slug.

        A number that no import gave is a change made here. The same change on both sides counts as
        equal, although its times differ.
        """
        row, resource, replaced = self.row, self.before.resource, dict[str, object]()
        if resource == "page" and not self._is_as_stored:
            times = ("modified", "date", "date_utc") if row["date_floats"] else ("modified",)
            replaced = {name: row[name] for name in times}
        is_numbered = resource == "page" and slugs.is_numbered(local["slug"], row["slug"])
        if is_numbered and (self._is_as_stored or not self.before.digest):
            replaced["slug"] = row["slug"]
        return digest(resource, local, **replaced) == digest(resource, row)
