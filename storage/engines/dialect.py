"""The SQL in which engines differ; `expressions.py` asks for the conditions among it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from peewee import ColumnBase, Node

from landform.storage.engines.cursor import Executor


class Dialect(ABC):
    """The SQL of one engine."""

    # What a table's definition says of an id that is never given out twice, and of columns.
    identity: str
    integer: str
    boolean: str
    text: str
    # How long a word must be for `indexed` to find it.
    shortest_indexed: int

    @abstractmethod
    def key(self, column: str) -> str:
        """Return what an index holds of a text of any length."""

    @abstractmethod
    def same(self, column: ColumnBase, value: object) -> Node:
        """Return the condition that a text of any length, indexed by `key`, is this one."""

    @abstractmethod
    def sorted(self, column: ColumnBase, direction: str) -> Node:
        """Return the terms of an order by a column, in which the index by `key` is of use."""

    @abstractmethod
    def contains(self, column: ColumnBase, text: object) -> Node:
        """Return the condition that a column holds a text somewhere."""

    @abstractmethod
    def contains_indexed(self, column: ColumnBase, text: object) -> Node:
        """Return the same condition, in the form for which an index may be used."""

    @abstractmethod
    def in_list(self, column: ColumnBase, values: object) -> Node:
        """Return the condition that a column is in a list, given as the text of a JSON array."""

    @abstractmethod
    def utc_now(self) -> Node:
        """Return the present second as UTC text, by the clock that all processes share."""

    @abstractmethod
    def place_in(self, named: object, column: ColumnBase) -> Node:
        """Return where a value comes in a text of values with a comma before and after each."""

    @abstractmethod
    def shares(self, column: ColumnBase, values: object) -> Node:
        """Return the condition that two texts of JSON arrays of texts share an item.

        That of the column may be empty, or damaged where the engine allows it: it shares none.
        """

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        """Return what `indexed` takes to find all of the words, and none of those `without`.

        Without words to find it finds any of those `without`. Not called where no word is as long
        as `shortest_indexed`.
        """
        raise NotImplementedError

    def indexed(self, words: object) -> Node:
        """Return the query of the ids of pages that hold `indexed_words`."""
        raise NotImplementedError

    @abstractmethod
    def create_search_index(self, db: Executor) -> None:
        """Create the index over `page_text`, and what keeps it true."""

    @abstractmethod
    def rebuild_search_index(self, db: Executor) -> None:
        """Make the index again from the texts that there are, or where it is missing."""

    @abstractmethod
    def create_counter(self, db: Executor) -> None:
        """Create what keeps `page_count` true."""

    @abstractmethod
    def create_version(self, db: Executor, table: str) -> None:
        """Create the triggers that increment a table's counter in `resource_version`."""
