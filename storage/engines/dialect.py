"""The SQL in which engines differ."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from peewee import Database


class Dialect(ABC):
    """The SQL of one engine."""

    # For migrations: the types `integer`, `boolean` and `text`, and `identity`, the definition of
    # a column `id` whose numbers are never given out twice.
    types: Mapping[str, str]
    # The query of the last id of each table, and the statements that make that of {0} be {1}.
    last_ids: str
    set_last_id: Sequence[str]
    # What an index holds of the column {} with a text of any length.
    key: str
    # What drops the part of the schema {0}, of the table {1}; what is not here, its SQL replaces.
    drops: Mapping[str, str]
    # The query of the versions of tables, and of what makes the same numbers mean something else:
    # a store that was repaired or restored may come by them again, in another generation.
    versions: str
    # The query of how many bytes the database takes.
    size: str
    # How long a word must be for `indexed` to find it.
    shortest_indexed: int
    # The SQL of each of `expressions.py`, with {0} and {1} for its arguments.
    expressions: Mapping[str, str]

    def indexed_words(self, words: Iterable[str], columns: Iterable[str], joint: str) -> str:
        """Return what `indexed` takes to find words of `shortest_indexed` or more characters.

        `joint`: `AND` to find all of them, `OR` to find any.
        """
        raise NotImplementedError

    @abstractmethod
    def create_search_index(self, db: Database) -> None:
        """Create the index over `page_text`, and what keeps it true."""

    @abstractmethod
    def rebuild_search_index(self, db: Database) -> None:
        """Make the index again from the texts that there are, or where it is missing."""

    @abstractmethod
    def create_counter(self, db: Database) -> None:
        """Create what keeps `page_count` true."""

    @abstractmethod
    def create_version(self, db: Database, table: str) -> None:
        """Create the triggers that increment a table's counter in `resource_version`."""
