"""The SQL in which engines differ; `expressions.py` asks for the conditions among it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

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
    # Whether queries have to hint which index serves, and whether the engine merges the results of
    # several selects, each in the order of its index, without sorting.
    hinted: bool
    merges: bool
    # Whether a statement that violates a constraint takes the transaction with it.
    errors_end_transactions: bool

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

    def without_index(self, column: ColumnBase) -> Node:
        """Return a column as one that no index is used for, where another index serves better.

        The column itself, where the engine counts rows and chooses better by itself.
        """
        return column

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        """Return what `indexed` takes to find all of the words, and none of those `without`.

        Without words to find it finds any of those `without`. Not called where no word is as long
        as `shortest_indexed`.
        """
        raise NotImplementedError

    def indexed(self, words: object, holds: Node) -> Node:
        """Return the query of the ids of pages that hold `indexed_words`.

        `holds` is the same as a condition on a page's texts, for those that are not indexed yet.
        """
        raise NotImplementedError

    @abstractmethod
    def create_search_index(self, db: Executor) -> None:
        """Create the index over `page_text`, and what keeps it true."""

    def batch_search_index(self, db: Executor) -> None:
        """Let the index take changed texts in batches, where the engine does not by itself."""

    @abstractmethod
    def create_counters(self, db: Executor, counted: Mapping[str, str]) -> None:
        """Create the triggers that count pages in `page_count`, and those of the first versions.

        `counted` maps what is counted to the SQL of its value in a row named by `{row}`.
        """

    @abstractmethod
    def extend_counters(
        self, db: Executor, counted: Mapping[str, str], added: Sequence[str]
    ) -> None:
        """Count pages by more than before: `counted` maps all that is counted, `added` too.

        What is added has the name of the column that it is made of, and may be NULL in a row,
        which then is not counted by it.
        """

    @abstractmethod
    def create_languages(self, db: Executor) -> None:
        """Create `page_language` with what keeps it up to date."""

    @abstractmethod
    def fill_languages(self, db: Executor) -> None:
        """Make all rows of `page_language` again."""

    @abstractmethod
    def create_version(self, db: Executor, table: str) -> None:
        """Create the triggers that increment a table's counter in `resource_version`."""
