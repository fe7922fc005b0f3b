"""Expressions that each engine writes in its own SQL, as Peewee nodes that know no engine yet."""

import re
from collections.abc import Callable
from functools import partial
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


# The condition that a text of any length, indexed by `Dialect.key`, is this one.
same = partial(DialectExpression, "same")
# The condition that a column holds a text somewhere.
contains = partial(DialectExpression, "contains")
# The condition that a JSON array of texts has an item of a list. That of the column may be empty,
# or damaged where the engine allows it: it shares none.
shares = partial(DialectExpression, "shares")
# The query of the ids of pages that hold `Dialect.indexed_words`.
indexed = partial(DialectExpression, "indexed")
# The present second as UTC text, by the clock that all processes share.
utc_now = partial(DialectExpression, "utc_now")


def sorted_by(column: ColumnBase, direction: str) -> Any:
    """Return the terms of an order by a column, in which its index is of use."""
    if getattr(column, "name", "") in LONG:
        return DialectExpression("sorted_text", column, SQL(direction))
    return NodeList((column, SQL(direction)))
