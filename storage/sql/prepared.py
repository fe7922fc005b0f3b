"""Queries that are put together once and run many times, each time with other values.

Peewee's models say what is asked; putting its SQL together takes longer than running it does.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from peewee import Node

from landform.storage.sql.rows import Check, Row, no_check
from landform.storage.store import Store


class Parameter(Node):
    """The place of a value that a prepared query is given by this name when it runs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __sql__(self, ctx: Any) -> Any:
        return ctx.value(_Place(self.name), converter=False)


class _Place(str):
    """The name of a slot among the values of a query."""


class Prepared:
    """A Peewee query with slots. Its SQL is kept for each engine that it has run on."""

    def __init__(self, query: Any) -> None:
        self._query = query
        self._kept: dict[type, tuple[str, list[Any]]] = {}

    def run(self, store: Store, values: Mapping[str, Any] = {}) -> Any:
        """Execute it with a value for each slot, and return the cursor."""
        return self.run_on(store.database, values)

    def run_on(self, database: Any, values: Mapping[str, Any] = {}) -> Any:
        """Execute it on a database, and return the cursor."""
        kept = self._kept.get(type(database))
        if kept is None:
            context = database.get_sql_context()
            kept = self._kept[type(database)] = context.sql(self._query).query()
        sql, places = kept
        given = [values[place] if type(place) is _Place else place for place in places]
        return database.execute_sql(sql, given)

    def row(self, store: Store, values: Mapping[str, Any] = {}) -> Any:
        """Return the first row as a tuple; None where there is none."""
        return self.run(store, values).fetchone()

    def rows(
        self, store: Store, values: Mapping[str, Any] = {}, check_row: Check = no_check
    ) -> list[Row]:
        """Return the rows as mappings of columns.

        `check_row` is called with each of them before the next one is read.
        """
        cursor = self.run(store, values)
        names = [column[0] for column in cursor.description]
        if check_row is no_check:
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        rows = []
        try:
            for values_ in cursor:
                rows.append(dict(zip(names, values_, strict=True)))
                check_row(rows[-1])
        finally:
            cursor.close()
        return rows


def union_all(queries: Iterable[Any]) -> Any:
    """Return the query of the rows of all of them."""
    return reduce(lambda one, other: one.union_all(other), queries)
