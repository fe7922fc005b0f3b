"""Prepared queries, and the versions of rows and tables.

The SQL of a prepared query is made once, and runs many times with other values: for Peewee to make
SQL takes longer than to run it.

Each row has a version, and so has each table, which triggers increment. A list depends on that of
its table. After a restore, an import or a copy the same numbers may return: then the store has
another generation. Its identity never changes, and backups have it too.
"""

import secrets
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from peewee import BaseQuery, ColumnBase, Context, Node

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import TooLarge, VersionConflict
from landform.storage.models import ResourceVersion, StoreInfo, Table
from landform.storage.rows import NO_VALUES, Row, Values
from landform.storage.store import Store

# The values of the conditions of a query, by the name of each condition.
Filters = Mapping[str, Sequence[object]]
# The names of conditions, each with its number of values: all that the SQL of a query depends on.
Shape = tuple[tuple[str, int], ...]
# Queries are cached for so many shapes, each with at most so many values.
MOST_SHAPES, MOST_VALUES = 256, 100


class Parameter(Node):
    """A named place for a value in a prepared query."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __sql__(self, ctx: Context) -> Context:
        context: Context = ctx.value(_Place(self.name), converter=False)
        return context


class _Place(str):
    """The name of a parameter among the values of a query."""


class Prepared:
    """A Peewee query with parameters, whose SQL is made once for each engine."""

    def __init__(self, query: BaseQuery) -> None:
        self._query = query
        self._compiled: dict[type, tuple[str, Callable[[Values], Sequence[object]]]] = {}
        self._columns: Sequence[str] = ()

    def run(self, store: Store, values: Values = NO_VALUES) -> Any:
        """Execute the query with a value for each parameter, and return the cursor."""
        return self.run_on(store.database, values)

    def run_on(self, database: EngineDatabase, values: Values = NO_VALUES) -> Any:
        """Execute the query on a database, and return the cursor."""
        compiled = self._compiled.get(type(database))
        if compiled is None:
            sql, places = database.get_sql_context().sql(self._query).query()
            compiled = self._compiled[type(database)] = sql, _positional(places)
        sql, positional = compiled
        return database.execute_sql(sql, positional(values))

    def row(self, store: Store, values: Values = NO_VALUES) -> Any:
        """Return the first row as a tuple, or None."""
        return self.run_on(store.database, values).fetchone()

    def first(self, store: Store, values: Values = NO_VALUES) -> Row | None:
        """Return the first row as a dict, or None."""
        rows = self.rows(store, values)
        return rows[0] if rows else None

    def rows(
        self, store: Store, values: Values = NO_VALUES, most_bytes: int | None = None
    ) -> list[Row]:
        """Return the rows as dicts.

        Raises `TooLarge` as soon as their texts have more characters than `most_bytes`.
        """
        cursor = self.run_on(store.database, values)
        if not self._columns:
            # psycopg makes this description anew each time.
            self._columns = [column[0] for column in cursor.description]
        try:
            rows = (dict(zip(self._columns, record, strict=True)) for record in cursor)
            return list(rows) if most_bytes is None else bounded(rows, most_bytes)
        finally:
            cursor.close()


def bounded(rows: Iterable[Row], most_bytes: int | None) -> list[Row]:
    """Return rows; raise `TooLarge` as soon as their texts have more characters than allowed."""
    read, size = list[Row](), 0
    for row in rows:
        size += sum([len(value) for value in row.values() if type(value) is str])
        if most_bytes is not None and size > most_bytes:
            raise TooLarge
        read.append(row)
    return read


def cached(make: Callable[..., Prepared]) -> Callable[..., Prepared]:
    """Cache the queries that a function makes from shapes, except those with many values."""
    cache = lru_cache(MOST_SHAPES)(make)

    def query(shape: Shape, *arguments: Hashable) -> Prepared:
        is_cached = sum(count for _, count in shape) <= MOST_VALUES
        return (cache if is_cached else make)(shape, *arguments)

    return query


def shape_of(filters: Filters) -> Shape:
    """Return the shape of a query with some conditions."""
    return tuple((name, len(values)) for name, values in filters.items())


def make_conditions(shape: Shape, makers: Mapping[str, Callable[..., Any]]) -> list[ColumnBase]:
    """Return the conditions of a shape, each with parameters for its values."""
    return [makers[name](*parameters(name, count)) for name, count in shape]


def parameters(name: str, count: int) -> list[Parameter]:
    """Return the parameters for the values of a condition."""
    return [Parameter(f"{name}{place}") for place in range(count)]


def parameter_values(filters: Filters) -> Row:
    """Return the values of conditions by the names of their parameters."""
    return {
        f"{name}{place}": value
        for name, values in filters.items()
        for place, value in enumerate(values)
    }


def write_changes(store: Store, model: type[Table], old: Row, changes: Row) -> Row:
    """Write the changed columns of a row, and return the new row."""
    # SQLite writes to the indexes of a column that is named, even if its value is the same.
    changed = sorted(name for name, value in changes.items() if value != old[name])
    _update(model, tuple(changed)).run(store, {**changes, "id": old["id"]})
    return {**old, **changes}


@lru_cache(512)
def _update(model: type[Table], columns: tuple[str, ...]) -> Prepared:
    changes = {name: Parameter(name) for name in columns}
    return Prepared(model.update(changes).where(model._meta.primary_key == Parameter("id")))


def _positional(places: Sequence[object]) -> Callable[[Values], Sequence[object]]:
    """Return a function that puts values into the places of a statement."""
    if len(places) > 1 and all(type(place) is _Place for place in places):
        return itemgetter(*map(str, places))
    return lambda values: [values[place] if type(place) is _Place else place for place in places]


class Precondition(NamedTuple):
    """The versions of a row that a write expects, and the generation that they are of."""

    generation: str
    versions: Collection[int]


CURRENT = Prepared(
    ResourceVersion.select(ResourceVersion.version, StoreInfo.select(StoreInfo.generation)).where(
        ResourceVersion.name == Parameter("name")
    )
)
GENERATION = Prepared(StoreInfo.select(StoreInfo.generation))
IDENTITY = Prepared(StoreInfo.select(StoreInfo.identity))


def read_generation(store: Store) -> str:
    """Return the generation: a few letters and digits."""
    return str(GENERATION.row(store)[0])


def renew_generation(db: EngineDatabase) -> None:
    """Give the store a generation that it never had."""
    StoreInfo.update(generation=secrets.token_hex(5)).execute(db)


def current_version(store: Store, name: str) -> tuple[int, str]:
    """Return the counter of a table, `page` or `feed`, and the generation that it is of."""
    version, generation = CURRENT.row(store, {"name": name})
    return int(version), str(generation)


def check_version(store: Store, version: int, if_match: Precondition | None) -> None:
    """Raise `VersionConflict` if a version is not expected; None expects any."""
    if if_match is None:
        return
    if version not in if_match.versions or read_generation(store) != if_match.generation:
        raise VersionConflict
