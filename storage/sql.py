"""Prepared queries, and the versions of what they read.

The SQL of a prepared query is made once, and it runs many times, each time with other values.
Peewee's models say what is asked; to make its SQL takes longer than to run it.

Versions are counters on every row, and one for each table, which triggers increment. A list depends
on the table's: any write to it may change it. After a restore, an import or a copy the same numbers
may come again: then the store's generation is another one. Its identity never changes, and backups
have it too.
"""

import secrets
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from peewee import BaseQuery, ColumnBase, Context, Node

from landform.storage.engines.database import EngineDatabase
from landform.storage.errors import TooLarge, VersionConflict
from landform.storage.models import ResourceVersion, StoreInfo, Table
from landform.storage.rows import NO_VALUES, Row, Values
from landform.storage.store import Store

# The conditions of a query: the values of each, by its name.
Filters = Mapping[str, Sequence[object]]
# The names of conditions and how many values each has. The SQL of a query depends on nothing else.
Shape = tuple[tuple[str, int], ...]
# Queries are kept for so many shapes, each with at most so many values.
MOST_SHAPES, MOST_VALUES = 256, 100


class Parameter(Node):
    """The place of a value, which a prepared query gets by this name when it runs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __sql__(self, ctx: Context) -> Context:
        written: Context = ctx.value(_Place(self.name), converter=False)
        return written


class _Place(str):
    """The name of a parameter among the values of a query."""


class Prepared:
    """A Peewee query with parameters. Its SQL is made once for each engine that it runs on."""

    def __init__(self, query: BaseQuery) -> None:
        self._query = query
        self._made: dict[type, tuple[str, Callable[[Values], Sequence[object]]]] = {}

    def run(self, store: Store, values: Values = NO_VALUES) -> Any:
        """Execute it with a value for each parameter, and return the cursor."""
        return self.run_on(store.database, values)

    def run_on(self, database: EngineDatabase, values: Values = NO_VALUES) -> Any:
        """Execute it on a database, and return the cursor."""
        made = self._made.get(type(database))
        if made is None:
            sql, places = database.get_sql_context().sql(self._query).query()
            made = self._made[type(database)] = sql, _positional(places)
        sql, positional = made
        return database.execute_sql(sql, positional(values))

    def row(self, store: Store, values: Values = NO_VALUES) -> Any:
        """Return the first row as a tuple; None where there is none."""
        return self.run_on(store.database, values).fetchone()

    def rows(
        self, store: Store, values: Values = NO_VALUES, most_bytes: int | None = None
    ) -> list[Row]:
        """Return the rows as mappings of columns.

        `TooLarge` as soon as their texts have more characters than `most_bytes`.
        """
        cursor, rows, size = self.run_on(store.database, values), list[Row](), 0
        names = [column[0] for column in cursor.description]
        try:
            for record in cursor:
                if most_bytes is not None:
                    size += sum([len(value) for value in record if isinstance(value, str)])
                    if size > most_bytes:
                        raise TooLarge
                rows.append(dict(zip(names, record, strict=True)))
        finally:
            cursor.close()
        return rows


def cached(make: Callable[..., Prepared]) -> Callable[..., Prepared]:
    """Keep the queries that a function makes of shapes, but for those with very many values."""
    keep = lru_cache(MOST_SHAPES)(make)

    def query(shape: Shape, *arguments: Hashable) -> Prepared:
        is_kept = sum(count for _, count in shape) <= MOST_VALUES
        return (keep if is_kept else make)(shape, *arguments)

    return query


def shape_of(filters: Filters) -> Shape:
    """Return the shape of conditions: a key for the query that has them."""
    return tuple((name, len(values)) for name, values in filters.items())


def make_conditions(shape: Shape, makers: Mapping[str, Callable[..., Any]]) -> list[ColumnBase]:
    """Return the conditions of a shape, each made of the parameters for its values."""
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
    """Write what differs of the changes to a row; return the row as it is then."""
    # An index is written anew wherever one of its columns is named, whatever the value.
    written = sorted(name for name, value in changes.items() if value != old[name])
    _update(model, tuple(written)).run(store, {**changes, "id": old["id"]})
    return {**old, **changes}


@lru_cache(512)
def _update(model: type[Table], columns: tuple[str, ...]) -> Prepared:
    changes = {name: Parameter(name) for name in columns}
    return Prepared(model.update(changes).where(model._meta.primary_key == Parameter("id")))


def _positional(places: Sequence[object]) -> Callable[[Values], Sequence[object]]:
    """Return what puts values into the places of a statement; what is no parameter stays."""
    if len(places) > 1 and all(type(place) is _Place for place in places):
        return itemgetter(*map(str, places))
    return lambda values: [values[place] if type(place) is _Place else place for place in places]


class Precondition(NamedTuple):
    """What a write expects to find: one of these versions, in the generation they were read in."""

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


def read_identity(store: Store) -> str:
    """Return the identity, of a store that was only checked, and not opened, too."""
    return store.identity or str(IDENTITY.row(store)[0])


def renew_generation(db: EngineDatabase) -> None:
    """Give the store a generation that it never had."""
    StoreInfo.update(generation=secrets.token_hex(5)).execute(db)


def current_version(store: Store, name: str) -> tuple[int, str]:
    """Return the counter of a table, `page` or `feed`, and the generation that it is of."""
    version, of_store = CURRENT.row(store, {"name": name})
    return int(version), str(of_store)


def check_version(store: Store, version: int, if_match: Precondition | None) -> None:
    """Raise `VersionConflict` for a version that is not expected; None expects nothing."""
    if if_match is None:
        return
    if version not in if_match.versions or read_generation(store) != if_match.generation:
        raise VersionConflict
