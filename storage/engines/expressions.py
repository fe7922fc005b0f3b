"""Conditions that each engine writes in its own SQL, as Peewee nodes that know no engine yet.

What they mean stands at `Dialect` in `engines/base.py`.
"""

from typing import Any

from peewee import ColumnBase


class DialectExpression(ColumnBase):
    """A method of the dialect by name, called when the SQL is made."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name, self.arguments = name, arguments

    def __sql__(self, ctx: Any) -> Any:
        return ctx.sql(getattr(ctx.state.dialect, self.name)(*self.arguments))


def same(column: Any, value: Any) -> Any:
    """See `Dialect.same`."""
    return DialectExpression("same", column, value)


def sorted_by(column: Any, direction: str) -> Any:
    """See `Dialect.sorted`."""
    return DialectExpression("sorted", column, direction)


def contains(column: Any, text: Any) -> Any:
    """See `Dialect.contains`."""
    return DialectExpression("contains", column, text)


def contains_indexed(column: Any, text: Any) -> Any:
    """See `Dialect.contains_indexed`."""
    return DialectExpression("contains_indexed", column, text)


def in_list(column: Any, values: Any) -> Any:
    """See `Dialect.in_list`."""
    return DialectExpression("in_list", column, values)


def without_index(column: Any) -> Any:
    """See `Dialect.without_index`."""
    return DialectExpression("without_index", column)


def indexed(words: Any) -> Any:
    """See `Dialect.indexed`."""
    return DialectExpression("indexed", words)
