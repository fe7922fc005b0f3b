"""Conditions that each engine writes in its own SQL, as Peewee nodes that know no engine yet.

What they mean stands at `Dialect` in `engines/base.py`.
"""

from typing import Any

from peewee import ColumnBase


class Spoken(ColumnBase):
    """A method of the dialect by name, called when the SQL is made."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name, self.arguments = name, arguments

    def __sql__(self, ctx: Any) -> Any:
        return ctx.sql(getattr(ctx.state.dialect, self.name)(*self.arguments))


def same(column: Any, value: Any) -> Any:
    """See `Dialect.same`."""
    return Spoken("same", column, value)


def sorted_by(column: Any, direction: str) -> Any:
    """See `Dialect.sorted`."""
    return Spoken("sorted", column, direction)


def contains(column: Any, text: Any) -> Any:
    """See `Dialect.contains`."""
    return Spoken("contains", column, text)


def holds(column: Any, text: Any) -> Any:
    """See `Dialect.holds`."""
    return Spoken("holds", column, text)


def listed(column: Any, values: Any) -> Any:
    """See `Dialect.listed`."""
    return Spoken("listed", column, values)


def unindexed(column: Any) -> Any:
    """See `Dialect.unindexed`."""
    return Spoken("unindexed", column)


def indexed(words: Any) -> Any:
    """See `Dialect.indexed`."""
    return Spoken("indexed", words)
