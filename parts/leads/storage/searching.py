"""Searches of entries: those that pass filters, in any order, a page at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Any, NamedTuple

from peewee import JOIN, SQL, NodeList, Tuple, fn

from landform.parts.leads.intake.fields import choices_of
from landform.parts.leads.models import ACTIVE, Entry, EntryValue
from landform.parts.leads.storage import filters as f
from landform.parts.leads.storage.forms import find_form, forms_with_choices
from landform.storage.errors import TooExpensive
from landform.storage.rows import Row, storable
from landform.storage.search import fold
from landform.storage.sql import Parameter, Prepared, bounded, parameter_values, parameters
from landform.storage.store import Store

# The most fields and choices whose texts a search may find.
MOST_FIELDS, MOST_CHOICES = 500, 5000
# How many entries are few, so that they are read by their ids.
MOST_FEW = 300
# As terms, so that no engine reads an index of these columns where a few ids are known.
status_term, form_term = Entry.status.concat(""), Entry.form_id + 0
# Columns that may be NULL.
NULLABLE = ("created_by", f.AMOUNT)


class EntrySearch(NamedTuple):
    """A search of entries; its times are of the site. With `is_any` one filter is enough."""

    statuses: Sequence[str] = (ACTIVE,)
    start: str = ""
    end: str = ""
    filters: Sequence[f.EntryFilter] = ()
    is_any: bool = False


class EntryOrder(NamedTuple):
    """An order of entries; `is_numeric`: None for that of the field."""

    key: str = "id"
    direction: str = "DESC"
    is_numeric: bool | None = None


class EntrySlice(NamedTuple):
    """A part of a list: how many entries it has, and how many are skipped before it."""

    limit: int = 10
    offset: int = 0


ACTIVE_ENTRIES, NEWEST_FIRST, FIRST_PAGE = EntrySearch(), EntryOrder(), EntrySlice()


def list_entries(
    store: Store,
    form_ids: Sequence[int],
    search: EntrySearch = ACTIVE_ENTRIES,
    sorting: EntryOrder = NEWEST_FIRST,
    paging: EntrySlice = FIRST_PAGE,
    *,
    most_bytes: int | None = None,
) -> tuple[list[Row], int]:
    """Return the rows of a page of entries, and the number of all that pass the search.

    Raises `TooLarge` for rows of more than `most_bytes`.
    """

    def read() -> tuple[list[Row], int]:
        rows = _matching(store, search, form_ids)
        selected = _sorted(store, rows, sorting, form_ids).limit(paging.limit).offset(paging.offset)
        page = bounded(selected.dicts().execute(store.database), most_bytes)
        return page, rows.count(store.database)

    return store.bounded(read)


def entries_after(
    store: Store, form_id: int, search: EntrySearch, last: Row | None, most: int
) -> list[Row]:
    """Return the rows of a form that pass a search and come after a row, the oldest first.

    The first ones are read within the search timeout: the others cost no more.
    """
    order = (Entry.created_utc, Entry.id)

    def read() -> list[Row]:
        rows = _matching(store, search, [form_id]).order_by(*order).limit(most)
        if last:
            rows = rows.where(Tuple(*order) > Tuple(last["created_utc"], last["id"]))
        return [*rows.dicts().execute(store.database)]

    return read() if last else store.bounded(read)


def _matching(store: Store, search: EntrySearch, form_ids: Sequence[int]) -> Any:
    """Return the query for the entries that pass a search."""
    filters: Sequence[f.EntryFilter] = search.filters
    if filters:
        numbers = _number_fields(store, form_ids)
        filters = [x._replace(is_numeric=x.is_numeric or x.key in numbers) for x in filters]
        filters = _with_choices(store, filters, form_ids)
    status: Any = Entry.status
    form_id: Any = Entry.form_id
    rows = Entry.select()
    is_strict = len(filters) == 1 or not search.is_any
    if (few := _few_ids(store, filters) if is_strict else None) is not None:
        status, form_id, rows = status_term, form_term, rows.where(Entry.id.in_(few))
    rows = rows.where(status.in_(search.statuses))
    if form_ids:
        rows = rows.where(form_id.in_(storable(form_ids)))
    if search.start:
        rows = rows.where(Entry.created_utc >= f.utc_of(store, search.start))
    if search.end:
        rows = rows.where(Entry.created_utc <= f.utc_of(store, search.end, fold=1))
    if filters:
        conditions = [f.condition_of(store, item) for item in filters]
        rows = rows.where(reduce(or_ if search.is_any else and_, conditions))
    return rows


def _with_choices(
    store: Store, filters: Sequence[f.EntryFilter], form_ids: Iterable[int]
) -> Sequence[f.EntryFilter]:
    """Return filters with the `choices` whose texts those of any input find, as conditions.

    As in Gravity Forms the entries with the value of such a choice are found too. Raises
    `TooExpensive` for too many choices.
    """
    of_any = [item for item in filters if item.key == f.ANY and not item.is_negated]
    wide = [item for item in of_any if item.operator not in f.COMPARISONS]
    if not wide:
        return filters
    tests = [(item, _text_test(item)) for item in wide]
    folded = {fold(text) for item in wide for text in item.texts}
    texts_of_fields = [
        (form["id"], str(field["id"]), [(fold(text), value) for text, value in choices_of(field)])
        for form in forms_with_choices(store, form_ids, folded)
        for field in form["fields"]
    ]
    found = [
        (item, form_id, key, values)
        for item, passes in tests
        for form_id, key, texts in texts_of_fields
        if (values := [value for text, value in texts if passes(text)])
    ]
    if len(found) > MOST_FIELDS or sum(len(values) for *_, values in found) > MOST_CHOICES:
        raise TooExpensive
    return [
        item._replace(
            choices=[
                (EntryValue.form_id == form_id) & f.is_input(key) & f.same_texts(values)
                for one, form_id, key, values in found
                if one is item
            ]
        )
        for item in filters
    ]


def _text_test(item: f.EntryFilter) -> Callable[[str], bool]:
    """Return the function that tells whether the folded text of a choice passes a filter."""
    texts = {fold(text) for text in item.texts}
    if item.operator == "in":
        return texts.__contains__
    return lambda text: any(part != "" and part in text for part in texts)


def _few_ids(store: Store, filters: Iterable[f.EntryFilter]) -> list[int] | None:
    """Return the ids of all entries with the texts of a filter; None if they may be many."""
    for item in filters:
        is_text = item.operator == "in" and not item.is_negated and item.key not in f.ENTRY_COLUMNS
        if is_text and all(item.texts):
            query = f.entries_with(item, f.is_same(item)).limit(MOST_FEW + 1)
            ids = [entry_id for (entry_id,) in query.tuples().execute(store.database)]
            if len(ids) <= MOST_FEW:
                return ids
    return None


def _number_fields(store: Store, form_ids: Sequence[int]) -> set[str]:
    """Return the keys of the fields of the first form that have numbers."""
    form = find_form(store, form_ids[0]) if form_ids else None
    return {str(x["id"]) for x in form["fields"] if x["type"] == "number"} if form else set()


def _sorted(store: Store, rows: Any, order: EntryOrder, form_ids: Sequence[int]) -> Any:
    """Return a query with an order: by a property, or by the value of an input, or any."""
    key, direction, is_numeric = order
    if direction == "RAND":
        return rows.order_by(fn.RANDOM())
    if column := f.ENTRY_COLUMNS.get(key):
        # MySQL has NULL before all numbers.
        terms = [*([column.is_null(False)] if key in NULLABLE else []), column, Entry.id]
    else:
        if is_numeric is None:
            is_numeric = key in _number_fields(store, form_ids)
        is_value = (EntryValue.entry_id == Entry.id) & (EntryValue.key == key)
        rows = rows.join(EntryValue, JOIN.LEFT_OUTER, on=is_value)
        terms = [EntryValue.number.is_null(False), EntryValue.number] if is_numeric else []
        terms += [fn.COALESCE(EntryValue.folded, ""), Entry.id]
    return rows.order_by(*(term.asc() if direction == "ASC" else term.desc() for term in terms))


def has_values(store: Store, form_id: int, values: Mapping[str, str]) -> bool:
    """Return whether an active entry of a form has all of these values of inputs."""
    folded = [fold(text) for text in values.values()]
    beginnings = [text[: f.INDEXED_LENGTH] for text in folded]
    columns = {"key": [*values], "beginning": beginnings, "text": folded}
    query = _with_values(len(values))
    return bool(query.row(store, {"form_id": form_id, **parameter_values(columns)}))


@lru_cache
def _with_values(count: int) -> Prepared:
    """Return the query for an active entry of a form with all of some values of inputs."""
    columns = [parameters(name, count) for name in ("key", "beginning", "text")]
    same = [
        (EntryValue.form_id == Parameter("form_id"))
        & ((EntryValue.key == key) & (f.short_text == beginning) & (f.whole_text == text))
        for key, beginning, text in zip(*columns, strict=True)
    ]
    # As a value: PostgreSQL may otherwise look at all entries, if it planned when they were few.
    status = Entry.select(Entry.status).where(Entry.id == EntryValue.entry_id)
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    any_value = NodeList(same, glue=" OR ", parens=True)
    rows = EntryValue.select(SQL("1")).where(any_value, SQL("'active'") == status)
    rows = rows.group_by(EntryValue.entry_id).having(fn.COUNT(SQL("*")) == SQL(str(count)))
    return Prepared(rows.limit(1))
