"""Searches of entries: filters of their values and columns, in any order, a page at a time."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, reduce
from operator import and_, eq, ge, gt, le, lt, or_
from typing import Any

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
from landform.storage.rows import MAX_INTEGER, Row, storable
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
OPPOSITES = {"not in": "in", "not like": "like"}
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


def list_entries(store: Store, query: Mapping[str, Any]) -> tuple[list[Row], int]:
    """Return the rows of a page of entries, and the number of all that pass the filters.

    `query`: `form_ids`, and `search`, `sorting` and `paging` as `EntryList` loads them.
    """
    paging = {"page_size": 10, "offset": 0, **query.get("paging", {})}
    size, skipped = paging["page_size"], paging["offset"]
    if page := paging.get("current_page"):
        skipped = (page - 1) * size
    sorting = query.get("sorting") or {"key": "id", "direction": "DESC", "is_numeric": False}
    form_ids = query.get("form_ids") or ()

    def read() -> tuple[list[Row], int]:
        rows = _matching(store, query.get("search"), form_ids)
        is_numeric = sorting["is_numeric"]
        if is_numeric is None:
            is_numeric = sorting["key"] in _number_fields(store, form_ids)
        selected = _sorted(rows, **{**sorting, "is_numeric": is_numeric})
        selected = selected.limit(size).offset(min(skipped, MAX_INTEGER))
        rows_of_page = [*selected.dicts().execute(store.database)]
        return rows_of_page, rows.count(store.database)

    return store.bounded(read)


def entries_after(
    store: Store, form_id: int, search: Mapping[str, Any] | None, last: Row | None, most: int
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


def _matching(
    store: Store, search: Mapping[str, Any] | None, form_ids: Sequence[int] | None
) -> Any:
    """Return the query for the entries that pass a search, without one for active entries."""
    search = search or {"status": ["active"], "filters": []}
    if search["filters"]:
        numbers = _number_fields(store, form_ids)
        filters = [
            {**_with_days(store, item), "is_numeric": item["is_numeric"] or item["key"] in numbers}
            for item in search["filters"]
        ]
        search = {**search, "filters": _with_choices(store, filters, form_ids)}
    status: Any = Entry.status
    form_id: Any = Entry.form_id
    rows = Entry.select()
    if (few := _few_ids(store, search)) is not None:
        status, form_id, rows = status_term, form_term, rows.where(Entry.id.in_(few))
    rows = rows.where(status.in_(search["status"]))
    if form_ids:
        rows = rows.where(form_id.in_(storable(form_ids)))
    if start := search.get("start_date"):
        rows = rows.where(Entry.created_utc >= _utc(store, start))
    if end := search.get("end_date"):
        rows = rows.where(Entry.created_utc <= _utc(store, end, fold=1))
    if conditions := [_condition(entry_filter) for entry_filter in search["filters"]]:
        rows = rows.where(reduce(or_ if search["mode"] == "any" else and_, conditions))
    return rows


def _utc(store: Store, local: str, fold: int = 0) -> str:
    """Return a time of the site as UTC text; with `fold` the last one that has this text."""
    return store.clock.moment(datetime.fromisoformat(local).replace(fold=fold)).utc


def _with_days(store: Store, entry_filter: Row) -> Row:
    """Return a filter; one by days of the site has their first and last seconds in UTC."""
    if entry_filter["key"] not in TIME_KEYS or entry_filter["operator"] not in ("in", "not in"):
        return entry_filter
    days = [text[:10] for text in entry_filter["value"]]
    bounds = [(_utc(store, day), _utc(store, f"{day}T23:59:59", fold=1)) for day in days]
    return {**entry_filter, "value": bounds}


def _with_choices(
    store: Store, filters: Sequence[Row], form_ids: Iterable[int] | None
) -> Sequence[Row]:
    """Return filters with the `choices` whose texts those of any input find, as conditions.

    As in Gravity Forms the entries with the value of such a choice are found too. Raises
    `TooExpensive` for too many choices.
    """
    wide = [item for item in filters if item["key"] == ANY and item["operator"] in FOR_CHOICES]
    if not wide:
        return filters
    tests = [(item, _text_test(item)) for item in wide]
    folded = {text for item in wide for text in _folded_texts(item)}
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
        {
            **item,
            "choices": [
                (EntryValue.form_id == form_id) & _is_input(key) & same_texts(values)
                for one, form_id, key, values in found
                if one is item
            ],
        }
        for item in filters
    ]


def _text_test(entry_filter: Row) -> Callable[[str], bool]:
    """Return the function that tells whether the folded text of a choice passes a filter."""
    texts = _folded_texts(entry_filter)
    if entry_filter["operator"] == "in":
        return texts.__contains__
    return lambda text: any(part != "" and part in text for part in texts)


def _folded_texts(entry_filter: Row) -> set[str]:
    value = entry_filter["value"]
    return {fold(text) for text in (value if isinstance(value, list) else [value])}


def _few_ids(store: Store, search: Mapping[str, Any]) -> list[int] | None:
    """Return the ids of all entries with the texts of a filter; None if they may be many."""
    filters = search["filters"]
    for entry_filter in filters if len(filters) == 1 or search.get("mode") == "all" else ():
        operator, value = entry_filter["operator"], entry_filter["value"]
        if operator == "in" and all(value) and entry_filter["key"] not in ENTRY_COLUMNS:
            query = _entries_with(entry_filter, _is_same(entry_filter)).limit(MOST_FEW + 1)
            ids = [entry_id for (entry_id,) in query.tuples().execute(store.database)]
            if len(ids) <= MOST_FEW:
                return ids
    return None


def _number_fields(store: Store, form_ids: Sequence[int] | None) -> set[str]:
    """Return the keys of the fields of the first form that have numbers."""
    form = find_form(store, form_ids[0]) if form_ids else None
    return {
        str(field["id"])
        for field in (form or {"fields": ()})["fields"]
        if field["type"] == "number"
    }


def _sorted(rows: Any, key: str, *, direction: str, is_numeric: bool) -> Any:
    """Return a query with an order: by a property, or by the value of an input, or any."""
    if direction == "RAND":
        return rows.order_by(fn.RANDOM())
    if column := ENTRY_COLUMNS.get(key):
        # MySQL has NULL before all numbers.
        terms = [*([column.is_null(False)] if key in NULLABLE else []), column, Entry.id]
    else:
        rows = rows.join(
            EntryValue,
            JOIN.LEFT_OUTER,
            on=(EntryValue.entry_id == Entry.id) & (EntryValue.key == key),
        )
        terms = [EntryValue.number.is_null(False), EntryValue.number] if is_numeric else []
        terms += [fn.COALESCE(EntryValue.folded, ""), Entry.id]
    return rows.order_by(*(term.asc() if direction == "ASC" else term.desc() for term in terms))


def _condition(entry_filter: Mapping[str, Any]) -> Any:
    """Return the condition of a filter, as `EntryList` loads it."""
    key, operator, value = entry_filter["key"], entry_filter["operator"], entry_filter["value"]
    if operator in OPPOSITES:
        return ~_condition({**entry_filter, "operator": OPPOSITES[operator]})
    if column := ENTRY_COLUMNS.get(key):
        return _of_column(column, operator, value)
    if operator != "in":
        return Entry.id.in_(_entries_with(entry_filter, _of_value(operator, value)))
    has_text = Entry.id.in_(_entries_with(entry_filter, _is_same(entry_filter)))
    any_text = _entries_with({"key": key}, ALWAYS)
    return has_text if all(value) else has_text | Entry.id.not_in(any_text)


def _entries_with(entry_filter: Mapping[str, Any], condition: Any) -> Any:
    """Return the query for the entries with a value of the input of a filter, or of any input."""
    query = EntryValue.select(EntryValue.entry_id)
    if entry_filter["key"] != ANY:
        return query.where(condition, _is_input(entry_filter["key"]))
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    any_value = [condition, *entry_filter.get("choices", ())]
    return query.where(NodeList(any_value, glue=" OR ", parens=True))


def _is_same(entry_filter: Mapping[str, Any]) -> Any:
    """Return the condition that a value is one of those of a filter, which are not blank."""
    texts = [text for text in entry_filter["value"] if text]
    if not entry_filter["is_numeric"]:
        return same_texts(texts)
    numbers = [number for number in map(number_of, texts) if number is not None]
    return same_texts(texts) | EntryValue.number.in_(numbers)


def _is_input(key: str) -> Any:
    """Return the condition that a value is that of an input, or of one of a field."""
    # The keys that begin with the field and a dot: PostgreSQL can estimate their number.
    is_part = (EntryValue.key > f"{key}.") & (EntryValue.key < f"{key}/")
    return (EntryValue.key == key) if "." in key else (EntryValue.key == key) | is_part


def _of_value(operator: str, value: str) -> Any:
    if operator == "contains":
        return expressions.contains(EntryValue.folded, fold(value))
    if operator == "like":
        return _is_like(EntryValue.folded, fold(value))
    number = number_of(value)
    if number is None:
        return _compare(EntryValue.folded, operator, fold(value))
    return _compare(EntryValue.number, operator, number)


def _is_one_of(column: Any, texts: Sequence[Any]) -> Any:
    """Return the condition that a column has one of some values; those of a time are ranges."""
    if isinstance(column, BooleanField):
        return column.in_([text == "1" for text in texts if text in ("", "0", "1")])
    if _has_numbers(column):
        # False for NULL, so that the opposite has entries without a number too.
        is_number = column.in_(_numbers(column, texts)) & column.is_null(False)
        return is_number if all(texts) else is_number | column.is_null()
    if column.name in TIME_KEYS.values():
        # Without parentheses in each other, of which SQLite cannot read a hundred.
        is_in_day = [column.between(*bounds) for bounds in texts] or [NOTHING]
        return NodeList(is_in_day, glue=" OR ", parens=True)
    return fn.LOWER(column).in_([text.translate(LOWER) for text in texts])


def _has_numbers(column: Any) -> bool:
    return column is ENTRY_COLUMNS[AMOUNT] or isinstance(column, (AutoField, BigIntegerField))


def _numbers(column: Any, texts: Iterable[str]) -> list[float]:
    """Return the texts that are numbers of a column, of which others have no entry."""
    if column is ENTRY_COLUMNS[AMOUNT]:
        return [number for number in map(number_of, texts) if number is not None]
    return [int(text) for text in texts if re.fullmatch(r"-?[0-9]{1,18}", text)]


def _of_column(column: Any, operator: str, value: Any) -> Any:
    if operator == "in":
        return _is_one_of(column, value)
    if isinstance(column, BooleanField):
        return _is_one_of(column, [value])
    if _has_numbers(column):
        conditions = [_compare(column, operator, number) for number in _numbers(column, [value])]
        return conditions[0] & column.is_null(False) if conditions else NOTHING
    # A filter has a space in place of the `T`.
    if column.name in TIME_KEYS.values():
        value = value.replace(" ", "T")
        if operator not in ("contains", "like"):
            return _compare(column, operator, value)
    # Without regard to the case of ASCII, as in MySQL.
    column, value = fn.LOWER(column), value.translate(LOWER)
    if operator == "contains":
        return expressions.contains(column, value)
    return _is_like(column, value) if operator == "like" else _compare(column, operator, value)


def _is_like(column: Any, pattern: str) -> Any:
    """Return the condition that a column has a pattern, where % is any text and _ a character."""
    escaped = pattern.replace("\\", "\\\\")
    return NodeList((column, SQL("LIKE"), escaped, SQL("ESCAPE '\\'")))


def _compare(column: Any, operator: str, value: Any) -> Any:
    comparisons = {">": gt, ">=": ge, "<": lt, "<=": le}
    return comparisons.get(operator, eq)(column, value)
