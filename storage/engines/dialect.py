"""The SQL in which engines differ."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from peewee import Database


class Dialect(ABC):
    """The SQL of one engine."""

    # The definition of an id that is never given out twice, and types of columns.
    identity: str
    integer: str
    boolean: str
    text: str
    # How long a word must be for `indexed` to find it.
    shortest_indexed: int
    # The SQL of each of `expressions.py`, with {0} and {1} for its arguments.
    expressions: Mapping[str, str]

    @abstractmethod
    def key(self, column: str) -> str:
        """Return what an index holds of a text of any length."""

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        """Return what `indexed` takes to find all of the words, and none of those `without`.

        Without words to find it finds any of those `without`. Not called where no word is as long
        as `shortest_indexed`.
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
