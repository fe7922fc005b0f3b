"""The SQL in which engines differ."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence

from peewee import AutoField, CompositeKey, Database, Field

from landform.storage.models import Table


class Dialect(ABC):
    """The SQL of one engine."""

    # The definition of an id that is never given out twice, and types of columns.
    identity: str
    integer: str
    boolean: str
    text: str
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

    def create_table(self, db: Database, model: type[Table], names: Collection[str] = ()) -> None:
        """Create a table with the columns of its model, or those that it began with, by name."""
        fields = [one for one in model._meta.sorted_fields if not names or one.name in names]
        columns = [self._column(field) for field in fields]
        if isinstance(model._meta.primary_key, CompositeKey):
            columns.append(f"PRIMARY KEY ({', '.join(model._meta.primary_key.field_names)})")
        db.execute_sql(f"CREATE TABLE {model._meta.table_name} ({', '.join(columns)})")

    def _column(self, field: Field) -> str:
        if isinstance(field, AutoField):
            return self.identity
        types = {"TEXT": self.text, "BOOL": self.boolean, "DOUBLE": "DOUBLE PRECISION"}
        kind = types.get(field.field_type, field.field_type)
        rules = " PRIMARY KEY" if field.primary_key else "" if field.null else " NOT NULL"
        unique = " UNIQUE" if field.unique else ""
        return f"{field.column_name} {kind}{rules}{unique}"

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
