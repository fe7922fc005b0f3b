"""The SQL in which engines differ."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from peewee import Database


class Dialect(ABC):
    """The SQL of one engine."""

    # For migrations: the types `integer`, `boolean`, `text` and `bytes`, and `identity`, the
    # definition of a column `id` whose numbers are never assigned twice.
    types: Mapping[str, str]
    # The query for the last id of each table, and the statements that set that of {0} to {1}.
    last_ids: str
    set_last_id: Sequence[str]
    # The expression that is indexed of a column {} with texts of any length.
    key: str
    # The statements that drop a part {0} of the schema, of the table {1}, by its kind. The SQL of
    # other kinds replaces the part.
    drops: Mapping[str, str]
    # The query for the version of each table, with the generation: a store that was repaired or
    # restored may have the same numbers again.
    versions: str
    # The query for the size of the database in bytes.
    size: str
    # The length of the shortest word that `indexed` finds.
    shortest_indexed: int
    # The SQL of each of `expressions.py`, with {0} and {1} for its arguments.
    expressions: Mapping[str, str]

    def indexed_words(self, words: Iterable[str], columns: Iterable[str], joint: str) -> str:
        """Return the argument of `indexed` for words of `shortest_indexed` or more characters.

        `joint`: `AND` to find all of them, `OR` to find any.
        """
        raise NotImplementedError

    @abstractmethod
    def create_search_index(self, db: Database) -> None:
        """Create the index over `page_text`, and the triggers that update it."""

    @abstractmethod
    def rebuild_search_index(self, db: Database) -> None:
        """Create the index again from the texts."""

    @abstractmethod
    def create_counter(self, db: Database) -> None:
        """Create the triggers that update `page_count`."""

    @abstractmethod
    def create_version(self, db: Database, table: str) -> None:
        """Create the triggers that increment a table's counter in `resource_version`."""
