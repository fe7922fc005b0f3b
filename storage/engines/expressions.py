"""Peewee expressions that each engine writes in its own SQL."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from peewee import SQL, ColumnBase, Context, NodeList

# A function that returns a condition on a column and a value, such as an operator.
Comparison = Callable[[Any, Any], ColumnBase]
# Columns with texts of any length, which are indexed by `Dialect.key`.
LONG = {"title_key", "addon_slug"}


class DialectExpression(ColumnBase):
    """An expression whose SQL the dialect has by its name, with places for arguments."""

    def __init__(self, name: str, *arguments: object) -> None:
        self.name, self.arguments = name, arguments

    def __sql__(self, ctx: Context) -> Context:
        # The texts between the places, and the numbers of these.
        for index, part in enumerate(
            re.split(r"\{(\d)\}", ctx.state.dialect.expressions[self.name])
        ):
            ctx.sql(self.arguments[int(part)]) if index % 2 else ctx.literal(part)
        return ctx


# The condition that a column with texts of any length, indexed by `Dialect.key`, equals a text.
same = partial(DialectExpression, "same")
# The condition that a column contains a text.
contains = partial(DialectExpression, "contains")
# The condition that a column with a JSON array of texts has an item of a list; false for one that
# is empty, or damaged where the engine allows that.
shares = partial(DialectExpression, "shares")
# The query for the ids of pages with `Dialect.indexed_words`.
indexed = partial(DialectExpression, "indexed")
# A property of a column with a JSON object, as a text and as a number; NULL if it is none.
property_text = partial(DialectExpression, "property_text")
property_number = partial(DialectExpression, "property_number")
# The present second as UTC text, by the clock of the database.
utc_now = partial(DialectExpression, "utc_now")


def sorted_by(column: ColumnBase, direction: str) -> Any:
    """Return the terms of an order by a column that uses its index."""
    if getattr(column, "name", "") in LONG:
        return DialectExpression("sorted_text", column, SQL(direction))
    return NodeList((column, SQL(direction)))
