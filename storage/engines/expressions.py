"""Conditions that each engine writes in its own SQL, as Peewee nodes that know no engine yet."""

from collections.abc import Callable
from functools import partial
from typing import Any

from peewee import ColumnBase, Context

# What makes a condition of a column and a value: one of those below, or an operator.
Comparison = Callable[[Any, Any], ColumnBase]


class DialectExpression(ColumnBase):
    """A method of the dialect by name, called when the SQL is made."""

    def __init__(self, name: str, *arguments: object) -> None:
        self.name, self.arguments = name, arguments

    def __sql__(self, ctx: Context) -> Context:
        written: Context = ctx.sql(getattr(ctx.state.dialect, self.name)(*self.arguments))
        return written


# What they take and mean stands at the methods of `Dialect`.
same = partial(DialectExpression, "same")
sorted_by = partial(DialectExpression, "sorted")
contains = partial(DialectExpression, "contains")
contains_indexed = partial(DialectExpression, "contains_indexed")
place_in = partial(DialectExpression, "place_in")
shares = partial(DialectExpression, "shares")
in_list = partial(DialectExpression, "in_list")
utc_now = partial(DialectExpression, "utc_now")
indexed = partial(DialectExpression, "indexed")
