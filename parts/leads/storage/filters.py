"""Filters of entries: the conditions of their columns, and of the values of inputs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import eq, ge, gt, le, lt
from typing import Any, NamedTuple

from peewee import SQL, AutoField, BigIntegerField, BooleanField, ColumnBase, NodeList, fn

from landform.parts.leads.models import (
    ENTRY_KEYS,
    PROPERTIES,
    TIME_KEYS,
    Entry,
    EntryValue,
    number_of,
)
from landform.storage.engines import expressions
from landform.storage.search import LOWER, fold
from landform.storage.store import Store

# The beginning of a value, as the index has it: with parameters no engine would use that.
INDEXED_LENGTH = 100
# The key of a filter of any input.
ANY = "0"
COMPARISONS = {">": gt, ">=": ge, "<": lt, "<=": le}
ALWAYS, NOTHING = SQL("1 = 1"), SQL("1 = 0")
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


def condition_of(store: Store, item: EntryFilter) -> Any:
    """Return the condition of a filter."""
    if item.is_negated:
        return ~condition_of(store, item._replace(is_negated=False))
    if item.key in TIME_KEYS:
        return _of_time(store, ENTRY_COLUMNS[item.key], item.operator, item.texts)
    if column := ENTRY_COLUMNS.get(item.key):
        return _of_column(column, item.operator, item.texts)
    if item.operator != "in":
        return Entry.id.in_(entries_with(item, _of_value(item.operator, item.texts[0])))
    has_text = Entry.id.in_(entries_with(item, is_same(item)))
    any_text = entries_with(item._replace(choices=()), ALWAYS)
    return has_text if all(item.texts) else has_text | Entry.id.not_in(any_text)


def entries_with(item: EntryFilter, condition: Any) -> Any:
    """Return the query for the entries with a value of the input of a filter, or of any input."""
    query = EntryValue.select(EntryValue.entry_id)
    if item.key != ANY:
        return query.where(condition, is_input(item.key))
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    return query.where(NodeList([condition, *item.choices], glue=" OR ", parens=True))


def is_same(item: EntryFilter) -> Any:
    """Return the condition that a value is one of those of a filter, which are not blank."""
    texts = [text for text in item.texts if text]
    if not item.is_numeric:
        return same_texts(texts)
    return same_texts(texts) | EntryValue.number.in_(_numbers(texts))


def same_texts(texts: Iterable[str]) -> ColumnBase:
    """Return the condition that a value is one of some texts, without case and accents."""
    folded = [fold(text) for text in texts]
    beginnings = [text[:INDEXED_LENGTH] for text in folded]
    return short_text.in_(beginnings) & whole_text.in_(folded)


def is_input(key: str) -> Any:
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
        column.between(utc_of(store, day), utc_of(store, f"{day}T23:59:59", fold=1)) for day in days
    ]
    # Without parentheses in each other, of which SQLite cannot read a hundred.
    return NodeList(is_in_day or [NOTHING], glue=" OR ", parens=True)


def _of_column(column: Any, operator: str, texts: Sequence[str]) -> Any:
    if isinstance(column, BooleanField):
        return column.in_([text == "1" for text in texts if text in ("", "0", "1")])
    is_id = isinstance(column, (AutoField, BigIntegerField))
    if is_id or column is ENTRY_COLUMNS[AMOUNT]:
        ids = [int(text) for text in texts if is_id and re.fullmatch(r"-?[0-9]{1,18}", text)]
        is_number = _of_numbers(column, operator, ids if is_id else _numbers(texts))
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


def utc_of(store: Store, local: str, fold: int = 0) -> str:
    """Return a time of the site as UTC text; with `fold` the last one that has this text."""
    return store.clock.moment(datetime.fromisoformat(local).replace(fold=fold)).utc
