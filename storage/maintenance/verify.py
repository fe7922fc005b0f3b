"""Checking a store: the database itself, its schema, each column, what is derived."""

from collections.abc import Callable, Iterator
from functools import partial

from peewee import SQL, BaseQuery, fn

from landform.storage.engines.base import Progress
from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import Unavailable
from landform.storage.maintenance import schema
from landform.storage.maintenance.column_rules import COLUMNS, broken_page_rules
from landform.storage.maintenance.schema import RESTORE, VACUUM
from landform.storage.models import (
    TABLES,
    Page,
    PageCount,
    PageText,
    ResourceVersion,
    StoreInfo,
    Table,
)
from landform.storage.rows import Row, next_id
from landform.storage.search_text import fold
from landform.storage.sql.numbers import MAX_INTEGER
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store

# Called with each batch of rows that was read.
Reader = Callable[[int], None]
Check = Callable[[EngineDatabase, Reader], Iterator[str]]
MOST_LISTED = 5
# Pages may be large.
BATCH = 50
CORRECT = "Correct the value, or restore a backup."


def find_problems(store: Store, progress: Progress = lambda *_: None) -> Iterator[str]:
    """Yield whatever is wrong, a sentence each with what to do about it. Changes nothing.

    `progress` is called with the rows that were read, and how many are to be read.
    """
    try:
        yield from _find_problems(store, progress)
    except Unavailable as error:
        yield f"{store.engine.name} cannot be read: {error.__cause__ or error}. {RESTORE}"


def _find_problems(store: Store, progress: Progress) -> Iterator[str]:
    with store.connection() as db, db.lenient():
        read = _counting(db, progress)
        yield from _checked("The database", store.engine.integrity_problems(db))
        yield from _checked("The schema", schema.problems(db))
        for what, check in CHECKS.items():
            yield from _checked(what, _at_one_moment(check, db, read))


def _counting(db: EngineDatabase, progress: Progress) -> Reader:
    """Return what adds up the rows that were read, and reports them."""
    try:
        # The pages are read once more for their texts.
        models: list[type[Table]] = [*COLUMNS, Page]
        total = sum(model.select().count(db) for model in models)
    except Exception:
        # Which tables cannot be read the checks will say.
        return lambda _: None
    done = 0

    def read(rows: int) -> None:
        nonlocal done
        # Others may write meanwhile.
        done = min(done + rows, total)
        progress(done, total)

    return read


def _at_one_moment(check: Check, db: EngineDatabase, read: Reader) -> Iterator[str]:
    """Run a check on what was committed at one moment."""
    with db.snapshot():
        yield from check(db, read)


def _checked(what: str, found: Iterator[str]) -> Iterator[str]:
    """Yield what a check finds, or that it cannot be made."""
    try:
        yield from found
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        yield f"{what} cannot be checked: {reason}. {RESTORE}"


def _columns(model: type[Table], db: EngineDatabase, read: Reader) -> Iterator[str]:
    rules, wrong = COLUMNS[model], dict[tuple[str, str], list[object]]()
    for row in rows_of(db, model, list(rules)):
        read(1)
        found = {name: rule.wrong for name, rule in rules.items() if not rule.holds(row[name])}
        if model is Page:
            found = {**broken_page_rules(row), **found}
        for broken in found.items():
            wrong.setdefault(broken, []).append(next(iter(row.values())))
    for (name, what), keys in wrong.items():
        # What else is wrong has to be corrected by someone who knows the value.
        remedy = VACUUM if name in model.traits.computed else CORRECT
        yield from _problem_line(f"whose {name} {what}", keys, model._meta.table_name, remedy)


def _single_rows(db: EngineDatabase, _: Reader) -> Iterator[str]:
    names = {row["name"] for row in rows_of(db, ResourceVersion, ["name"])}
    for name in sorted(db.versioned - names):
        yield f"The version of all rows of {name} is missing. {VACUUM}"
    if len(list(rows_of(db, StoreInfo, ["identity"]))) != 1:
        yield f"The store has not one identity. {VACUUM}"


def _texts(db: EngineDatabase, read: Reader) -> Iterator[str]:
    wrong = []
    by_id = Prepared(
        PageText.select(PageText.id, PageText.title, PageText.content).where(
            PageText.id.between(Parameter("first"), Parameter("last"))
        )
    )
    for rows in _batches(db, Page, ["id", "title_raw", "content_raw"]):
        read(len(rows))
        bounds = {"first": rows[0]["id"], "last": rows[-1]["id"]}
        found = {number: folded for number, *folded in by_id.run_on(db, bounds).fetchall()}
        wrong += [
            row["id"]
            for row in rows
            if [_folded(row["title_raw"]), _folded(row["content_raw"])] != found.get(row["id"])
        ]
    yield from _problem_line("whose text for searching is not theirs", wrong, "page", VACUUM)
    lost = PageText.select(PageText.id).where(PageText.id.not_in(Page.select(Page.id)))
    what = "that are gone, but still found by searching"
    yield from _problem_line(what, _ids(db, lost), "page", VACUUM)


def _folded(text: object) -> object:
    return fold(text) if isinstance(text, str) else text


def _slugs(db: EngineDatabase, _: Reader) -> Iterator[str]:
    twice = Page.select(Page.slug).where(Page.slug != "").group_by(Page.slug)
    twice = twice.having(fn.COUNT(Page.id) > 1)
    ids = _ids(db, Page.select(Page.id).where(Page.slug.in_(twice)))
    yield from _problem_line("that share a slug", ids, "page", CORRECT)


def _counts(db: EngineDatabase, _: Reader) -> Iterator[str]:
    pages = Page.select(Page.status, fn.COUNT(SQL("*"))).group_by(Page.status)
    counts = PageCount.select(PageCount.status, PageCount.pages).where(PageCount.pages != 0)
    actual, stored = (Prepared(query).run_on(db).fetchall() for query in (pages, counts))
    if set(stored) != set(actual):
        yield f"The counts of pages by status are not those of the pages. {VACUUM}"


def _next_ids(db: EngineDatabase, _: Reader) -> Iterator[str]:
    given = db.last_ids()
    for name, highest in highest_ids(db).items():
        if highest > given[name]:
            yield f"The next id of {name} is one that is there. {VACUUM}"


def highest_ids(db: EngineDatabase) -> dict[str, int]:
    """Return the highest id that is there of each table whose ids the database gives out."""
    numbered = [model for model in TABLES if model.traits.numbered]
    found = {model: model.select(fn.MAX(model._meta.primary_key)).tuples() for model in numbered}
    return {model._meta.table_name: next(iter(q.execute(db)))[0] or 0 for model, q in found.items()}


CHECKS: dict[str, Check] = {
    **{f"What {model._meta.table_name} holds": partial(_columns, model) for model in COLUMNS},
    "The versions and the identity": _single_rows,
    "The text for searching": _texts,
    "The slugs": _slugs,
    "The counts of pages": _counts,
    "The next ids": _next_ids,
}


def rows_of(db: EngineDatabase, model: type[Table], columns: list[str]) -> Iterator[Row]:
    """Yield the columns of every row as the database has them, whatever they should be."""
    if "id" in model._meta.fields:
        for rows in _batches(db, model, columns):
            yield from rows
        return
    query = Prepared(model.select(*[getattr(model, name) for name in columns]))
    for row in query.run_on(db):
        yield dict(zip(columns, row, strict=True))


def _batches(db: EngineDatabase, model: type[Table], columns: list[str]) -> Iterator[list[Row]]:
    """Yield the rows by id, a few at a time; the id is the first column."""
    selected = model.select(*[getattr(model, name) for name in columns])
    key = getattr(model, columns[0])
    query = Prepared(selected.where(key > Parameter("last")).order_by(key).limit(BATCH))
    last = -MAX_INTEGER
    while rows := query.run_on(db, {"last": last}).fetchall():
        yield [dict(zip(columns, row, strict=True)) for row in rows]
        last = next_id(model._meta.table_name, last, rows[-1][0])


def _ids(db: EngineDatabase, query: BaseQuery) -> list[object]:
    return [number for (number,) in Prepared(query).run_on(db).fetchall()]


def _problem_line(what: str, keys: list[object], table: str, remedy: str) -> Iterator[str]:
    if keys:
        named = ", ".join(f"{key!r:.40}" for key in keys[:MOST_LISTED])
        more = ", ..." if len(keys) > MOST_LISTED else ""
        yield f"There are {len(keys)} rows of {table} {what}: {named}{more}. {remedy}"
