"""Expressions that each engine writes in its own SQL, as Peewee nodes that know no engine yet."""

import re
from collections.abc import Callable
from typing import Any

from peewee import SQL, ColumnBase, Context, NodeList

# Makes a condition of a column and a value: one of those below, or an operator.
Comparison = Callable[[Any, Any], ColumnBase]
# Columns with texts of any length, which are indexed by `Dialect.key`.
LONG = {"title_key", "addon_slug"}


class DialectExpression(ColumnBase):
    """An expression by its name in the dialect, which has the SQL with places for arguments."""

    def __init__(self, name: str, *arguments: object) -> None:
        self.name, self.arguments = name, arguments

    def __sql__(self, ctx: Context) -> Context:
        # The texts between the places, and the numbers of these.
        for index, part in enumerate(
            re.split(r"\{(\d)\}", ctx.state.dialect.expressions[self.name])
        ):
            ctx.sql(self.arguments[int(part)]) if index % 2 else ctx.literal(part)
        return ctx


def same(column: ColumnBase, value: object) -> ColumnBase:
    """Return the condition that a text of any length, indexed by `key`, is this one."""
    return DialectExpression("same", column, value)


def sorted_by(column: ColumnBase, direction: str) -> Any:
    """Return the terms of an order by a column, in which its index is of use."""
    if getattr(column, "name", "") in LONG:
        return DialectExpression("sorted_text", column, SQL(direction))
    return NodeList((column, SQL(direction)))


def contains(column: ColumnBase, text: object) -> ColumnBase:
    """Return the condition that a column holds a text somewhere."""
    return DialectExpression("contains", column, text)


def contains_indexed(column: ColumnBase, text: object) -> ColumnBase:
    """Return the same condition, in the form for which an index may be used."""
    return DialectExpression("contains_indexed", column, text)


def shares(column: ColumnBase, values: object) -> ColumnBase:
    """Return the condition that two texts of JSON arrays of texts share an item.

    That of the column may be empty, or damaged where the engine allows it: it shares none.
    """
    return DialectExpression("shares", column, values)


def indexed(words: object) -> ColumnBase:
    """Return the query of the ids of pages that hold `indexed_words`."""
    return DialectExpression("indexed", words)


def utc_now() -> ColumnBase:
    """Return the present second as UTC text, by the clock that all processes share."""
    return DialectExpression("utc_now")
