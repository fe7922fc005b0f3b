"""Searches of entries: filters of their values and columns, in any order, a page at a time."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, reduce
from operator import and_, eq, ge, gt, le, lt, or_
from typing import Any, NamedTuple

from peewee import (
    JOIN,
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    ColumnBase,
    NodeList,
    Tuple,
    fn,
)

from landform.parts.leads.intake.fields import choices_of
from landform.parts.leads.models import (
    ACTIVE,
    ENTRY_KEYS,
    PROPERTIES,
    TIME_KEYS,
    Entry,
    EntryValue,
    number_of,
)
from landform.parts.leads.storage.forms import find_form, forms_with_choices
from landform.storage.engines import expressions
from landform.storage.errors import TooExpensive
from landform.storage.rows import Row, storable
from landform.storage.search import LOWER, fold
from landform.storage.sql import Parameter, Prepared, parameter_values, parameters
from landform.storage.store import Store

# The beginning of a value, as the index has it: with parameters no engine would use that.
INDEXED_LENGTH = 100
# The key of a filter of any input.
ANY = "0"
# The most fields and choices whose texts a search may find.
MOST_FIELDS, MOST_CHOICES = 500, 5000
# How many entries are few, so that they are read by their ids.
MOST_FEW = 300
FOR_CHOICES = ("in", "contains", "like")
COMPARISONS = {">": gt, ">=": ge, "<": lt, "<=": le}
ALWAYS, NOTHING = SQL("1 = 1"), SQL("1 = 0")
# As terms, so that no engine reads an index of these columns where a few ids are known.
status_term, form_term = Entry.status.concat(""), Entry.form_id + 0
AMOUNT = "payment_amount"
ENTRY_COLUMNS: Mapping[str, Any] = {
    **{
        name: fn.COALESCE(
            expressions.property_text(Entry.properties, SQL(f"'{name}'")), SQL(f"'{default or ''}'")
        )
        for name, default in PROPERTIES.items()
    },
    AMOUNT: expressions.property_number(Entry.properties, SQL(f"'{AMOUNT}'")),
    **{name: getattr(Entry, column) for name, column in ENTRY_KEYS.items()},
}
# Columns that may be NULL.
NULLABLE = ("created_by", AMOUNT)
short_text = fn.SUBSTR(EntryValue.folded, SQL("1"), SQL(str(INDEXED_LENGTH)))
# SQLite would put a plain text in place of the column of the index, and not use that.
whole_text = EntryValue.folded.concat("")


class EntryFilter(NamedTuple):
    """A filter of the values of an input, of any input (`key` "0"), or of a column.

    `operator`: `in`, with any number of texts; or `contains`, `like` or a comparison, with one.
    `is_numeric`: whether values that are equal as numbers are the same. `choices`: other conditions
    of values.
    """

    key: str
    operator: str
    texts: Sequence[str]
    is_negated: bool = False
    is_numeric: bool = False
    choices: Sequence[ColumnBase] = ()


class EntrySearch(NamedTuple):
    """A search of entries; its times are of the site. With `is_any` one filter is enough."""

    statuses: Sequence[str] = (ACTIVE,)
    start: str = ""
    end: str = ""
    filters: Sequence[EntryFilter] = ()
    is_any: bool = False


class EntryOrder(NamedTuple):
    """An order of entries; `is_numeric`: None for that of the field."""

    key: str = "id"
    direction: str = "DESC"
    is_numeric: bool | None = None


class EntrySlice(NamedTuple):
    """How many entries are returned, and how many are skipped."""

    limit: int = 10
    offset: int = 0


ACTIVE_ENTRIES, NEWEST_FIRST, FIRST_PAGE = EntrySearch(), EntryOrder(), EntrySlice()


def same_texts(texts: Iterable[str]) -> ColumnBase:
    """Return the condition that a value is one of some texts, without case and accents."""
    folded = [fold(text) for text in texts]
    beginnings = [text[:INDEXED_LENGTH] for text in folded]
    return short_text.in_(beginnings) & whole_text.in_(folded)


def has_values(store: Store, form_id: int, values: Mapping[str, str]) -> bool:
    """Return whether an active entry of a form has all of these values of inputs."""
    folded = [fold(text) for text in values.values()]
    columns = {"key": [*values], "beginning": [x[:INDEXED_LENGTH] for x in folded], "text": folded}
    query = _with_values(len(values))
    return bool(query.row(store, {"form_id": form_id, **parameter_values(columns)}))


@lru_cache
def _with_values(count: int) -> Prepared:
    """Return the query for an active entry of a form with all of some values of inputs."""
    columns = [parameters(name, count) for name in ("key", "beginning", "text")]
    same = [
        (EntryValue.form_id == Parameter("form_id"))
        & ((EntryValue.key == key) & (short_text == beginning) & (whole_text == text))
        for key, beginning, text in zip(*columns, strict=True)
    ]
    # As a value: PostgreSQL may otherwise look at all entries, if it planned when they were few.
    status = Entry.select(Entry.status).where(Entry.id == EntryValue.entry_id)
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    any_value = NodeList(same, glue=" OR ", parens=True)
    rows = EntryValue.select(SQL("1")).where(any_value, SQL("'active'") == status)
    rows = rows.group_by(EntryValue.entry_id).having(fn.COUNT(SQL("*")) == SQL(str(count)))
    return Prepared(rows.limit(1))


def list_entries(
    store: Store,
    form_ids: Sequence[int],
    search: EntrySearch = ACTIVE_ENTRIES,
    sorting: EntryOrder = NEWEST_FIRST,
    paging: EntrySlice = FIRST_PAGE,
) -> tuple[list[Row], int]:
    """Return the rows of a page of entries, and the number of all that pass the search."""

    def read() -> tuple[list[Row], int]:
        rows = _matching(store, search, form_ids)
        selected = _sorted(store, rows, sorting, form_ids).limit(paging.limit).offset(paging.offset)
        return [*selected.dicts().execute(store.database)], rows.count(store.database)

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
    filters: Sequence[EntryFilter] = search.filters
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
        rows = rows.where(Entry.created_utc >= _utc(store, search.start))
    if search.end:
        rows = rows.where(Entry.created_utc <= _utc(store, search.end, fold=1))
    if filters:
        conditions = [_condition(store, item) for item in filters]
        rows = rows.where(reduce(or_ if search.is_any else and_, conditions))
    return rows


def _utc(store: Store, local: str, fold: int = 0) -> str:
    """Return a time of the site as UTC text; with `fold` the last one that has this text."""
    return store.clock.moment(datetime.fromisoformat(local).replace(fold=fold)).utc


def _with_choices(
    store: Store, filters: Sequence[EntryFilter], form_ids: Iterable[int]
) -> Sequence[EntryFilter]:
    """Return filters with the `choices` whose texts those of any input find, as conditions.

    As in Gravity Forms the entries with the value of such a choice are found too. Raises
    `TooExpensive` for too many choices.
    """
    wide = [x for x in filters if x.key == ANY and x.operator in FOR_CHOICES and not x.is_negated]
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
                (EntryValue.form_id == form_id) & _is_input(key) & same_texts(values)
                for one, form_id, key, values in found
                if one is item
            ]
        )
        for item in filters
    ]


def _text_test(item: EntryFilter) -> Callable[[str], bool]:
    """Return the function that tells whether the folded text of a choice passes a filter."""
    texts = {fold(text) for text in item.texts}
    if item.operator == "in":
        return texts.__contains__
    return lambda text: any(part != "" and part in text for part in texts)


def _few_ids(store: Store, filters: Iterable[EntryFilter]) -> list[int] | None:
    """Return the ids of all entries with the texts of a filter; None if they may be many."""
    for item in filters:
        is_text = item.operator == "in" and not item.is_negated and item.key not in ENTRY_COLUMNS
        if is_text and all(item.texts):
            query = _entries_with(item, _is_same(item)).limit(MOST_FEW + 1)
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
    if column := ENTRY_COLUMNS.get(key):
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


def _condition(store: Store, item: EntryFilter) -> Any:
    """Return the condition of a filter."""
    if item.is_negated:
        return ~_condition(store, item._replace(is_negated=False))
    if item.key in TIME_KEYS:
        return _of_time(store, ENTRY_COLUMNS[item.key], item.operator, item.texts)
    if column := ENTRY_COLUMNS.get(item.key):
        return _of_column(column, item.operator, item.texts)
    if item.operator != "in":
        return Entry.id.in_(_entries_with(item, _of_value(item.operator, item.texts[0])))
    has_text = Entry.id.in_(_entries_with(item, _is_same(item)))
    any_text = _entries_with(item._replace(choices=()), ALWAYS)
    return has_text if all(item.texts) else has_text | Entry.id.not_in(any_text)


def _entries_with(item: EntryFilter, condition: Any) -> Any:
    """Return the query for the entries with a value of the input of a filter, or of any input."""
    query = EntryValue.select(EntryValue.entry_id)
    if item.key != ANY:
        return query.where(condition, _is_input(item.key))
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    return query.where(NodeList([condition, *item.choices], glue=" OR ", parens=True))


def _is_same(item: EntryFilter) -> Any:
    """Return the condition that a value is one of those of a filter, which are not blank."""
    texts = [text for text in item.texts if text]
    if not item.is_numeric:
        return same_texts(texts)
    return same_texts(texts) | EntryValue.number.in_(_numbers(texts))


def _is_input(key: str) -> Any:
    """Return the condition that a value is that of an input, or of one of a field."""
    # The keys that begin with the field and a dot: PostgreSQL can estimate their number.
    is_part = (EntryValue.key > f"{key}.") & (EntryValue.key < f"{key}/")
    return (EntryValue.key == key) if "." in key else (EntryValue.key == key) | is_part


def _of_value(operator: str, value: str) -> Any:
    number = number_of(value)
    if operator in COMPARISONS and number is not None:
        return COMPARISONS[operator](EntryValue.number, number)
    return _compare(EntryValue.folded, operator, fold(value))


def _of_time(store: Store, column: Any, operator: str, texts: Sequence[str]) -> Any:
    """Return the condition of a column with times; `in` means the days of the site."""
    if operator != "in":
        # A filter has a space in place of the `T`.
        return _compare(column, operator, texts[0].replace(" ", "T"))
    days = [text[:10] for text in texts]
    is_in_day = [
        column.between(_utc(store, day), _utc(store, f"{day}T23:59:59", fold=1)) for day in days
    ]
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    return NodeList(is_in_day or [NOTHING], glue=" OR ", parens=True)


def _of_column(column: Any, operator: str, texts: Sequence[str]) -> Any:
    if isinstance(column, BooleanField):
        return column.in_([text == "1" for text in texts if text in ("", "0", "1")])
    is_id = isinstance(column, (AutoField, BigIntegerField))
    if is_id or column is ENTRY_COLUMNS[AMOUNT]:
        is_number = _of_numbers(column, operator, _ids(texts) if is_id else _numbers(texts))
        # False for NULL, so that the opposite has entries without a number too.
        is_number &= column.is_null(False)
        return is_number | column.is_null() if operator == "in" and not all(texts) else is_number
    # Without regard to the case of ASCII, as in MySQL.
    column, texts = fn.LOWER(column), [text.translate(LOWER) for text in texts]
    return column.in_(texts) if operator == "in" else _compare(column, operator, texts[0])


def _of_numbers(column: Any, operator: str, numbers: Sequence[float]) -> Any:
    if operator == "in":
        return column.in_(numbers)
    return COMPARISONS.get(operator, eq)(column, numbers[0]) if numbers else NOTHING


def _ids(texts: Iterable[str]) -> list[int]:
    return [int(text) for text in texts if re.fullmatch(r"-?[0-9]{1,18}", text)]


def _numbers(texts: Iterable[str]) -> list[float]:
    return [number for number in map(number_of, texts) if number is not None]


def _compare(column: Any, operator: str, text: str) -> Any:
    """Return the condition that a column compares with a text; for `like` that is a pattern."""
    if operator == "contains":
        return expressions.contains(column, text)
    if operator == "like":
        escaped = text.replace("\\", "\\\\")
        return NodeList((column, SQL("LIKE"), escaped, SQL("ESCAPE '\\'")))
    return COMPARISONS[operator](column, text)
