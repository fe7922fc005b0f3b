"""The SQL that only SQLite speaks: words found by FTS5, lists by JSON, counters by triggers."""

from collections.abc import Iterable, Mapping, Sequence

import peewee

from landform.storage.engines.cursor import Executor
from landform.storage.engines.database import UNINDEXED
from landform.storage.engines.dialect import Dialect
from landform.storage.engines.sqlite import languages, search_index
from landform.storage.models import PageText
from landform.storage.search_text import SHORTEST_INDEXED

CHANGED = peewee.Table(UNINDEXED.name, alias="changed")
COUNT = (
    "INSERT INTO page_count (counted, status, value, pages) "
    "SELECT '{0}', status, {1}, count(*) FROM page WHERE {1} IS NOT NULL GROUP BY 2, 3"
)
INCREMENT = "UPDATE resource_version SET version = version + 1 WHERE name = '{}'"


class SQLiteDialect(Dialect):
    """The SQL of SQLite."""

    # AUTOINCREMENT: an id is never given out twice, not even the highest one after its deletion.
    identity = "id INTEGER PRIMARY KEY AUTOINCREMENT"
    integer = boolean = "INTEGER"
    text = "TEXT"
    # The trigram index finds words of three characters or more; shorter ones are looked for by
    # scan.
    shortest_indexed = SHORTEST_INDEXED
    hinted = merges = True
    errors_end_transactions = False

    def key(self, column: str) -> str:
        return column

    def same(self, column: peewee.ColumnBase, value: object) -> peewee.Node:
        return column == value

    def sorted(self, column: peewee.ColumnBase, direction: str) -> peewee.Node:
        return peewee.NodeList((column, peewee.SQL(direction)))

    def contains(self, column: peewee.ColumnBase, text: object) -> peewee.Node:
        return peewee.fn.INSTR(column, text) > 0

    contains_indexed = contains

    def in_list(self, column: peewee.ColumnBase, values: object) -> peewee.Node:
        found = peewee.Select([peewee.fn.json_each(values)], [peewee.SQL("value")])
        return column.in_(found)

    def without_index(self, column: peewee.ColumnBase) -> peewee.Node:
        return peewee.NodeList((peewee.SQL("+"), column), glue="")

    def indexed_words(
        self, words: Iterable[str], without: Iterable[str], columns: Iterable[str]
    ) -> str:
        found, left_out = (
            ['"{}"'.format(word.replace('"', '""')) for word in some] for some in (words, without)
        )
        wanted = " AND ".join(found)
        if left_out:
            unwanted = " OR ".join(left_out)
            wanted = f"({wanted}) NOT ({unwanted})" if found else unwanted
        return f"{{{' '.join(columns)}}} : ({wanted})"

    def indexed(self, words: object, holds: peewee.Node) -> peewee.Node:
        match = peewee.NodeList((peewee.SQL("page_index MATCH"), words))
        is_current = peewee.SQL("rowid").not_in(CHANGED.select(CHANGED.c.id))
        found = peewee.Select([peewee.SQL("page_index")], [peewee.SQL("rowid")])
        # In this order: they are few.
        changed = PageText.select(PageText.id).from_(CHANGED).join(PageText, peewee.JOIN.CROSS)
        changed = changed.where(PageText.id == CHANGED.c.id, holds)
        return found.where(match, is_current).union_all(changed)

    def create_search_index(self, db: Executor) -> None:
        """Create the trigram index over `page_text`, and the triggers that keep it true."""
        db.execute_sql(
            "CREATE VIRTUAL TABLE page_index USING fts5 (title, content, content='page_text', "
            "content_rowid='id', tokenize='trigram case_sensitive 1')"
        )
        add = (
            "INSERT INTO page_index (rowid, title, content) VALUES (new.id, new.title, new.content)"
        )
        drop = (
            "INSERT INTO page_index (page_index, rowid, title, content) "
            "VALUES ('delete', old.id, old.title, old.content)"
        )
        for event, body in (("INSERT", add), ("DELETE", drop), ("UPDATE", f"{drop}; {add}")):
            _create_trigger(db, "page_text", f"{event} ON page_text", body)

    def batch_search_index(self, db: Executor) -> None:
        search_index.write_in_batches(db)

    def create_counters(self, db: Executor, counted: Mapping[str, str]) -> None:
        plus = (
            "INSERT INTO page_count (counted, status, value, pages) "
            "VALUES ('{0}', new.status, {1}, 1) "
            "ON CONFLICT (counted, status, value) DO UPDATE SET pages = pages + 1"
        )
        minus = (
            "UPDATE page_count SET pages = pages - 1 "
            "WHERE counted = '{0}' AND status = old.status AND value = {1}"
        )
        for name, value in counted.items():
            new, old = value.format(row="new."), value.format(row="old.")
            add, drop = plus.format(name, new), minus.format(name, old)
            changed = f"(old.status, {old}) IS NOT (new.status, {new})"
            for event, when, body in (
                ("INSERT", "", add),
                ("DELETE", "", drop),
                ("UPDATE", f"WHEN {changed}", f"{drop}; {add}"),
            ):
                _create_trigger(db, f"page_count_{name}", f"{event} ON page {when}", body)
        for table in ("page", "feed"):
            self.create_version(db, table)

    def extend_counters(
        self, db: Executor, counted: Mapping[str, str], added: Sequence[str]
    ) -> None:
        plus = (
            "INSERT INTO page_count (counted, status, value, pages) "
            "SELECT '{0}', new.status, {1}, 1 WHERE {1} IS NOT NULL "
            "ON CONFLICT (counted, status, value) DO UPDATE SET pages = pages + 1"
        )
        minus = (
            "UPDATE page_count SET pages = pages - 1 "
            "WHERE counted = '{0}' AND status = old.status AND value = {1}"
        )
        for name in added:
            new, old = (counted[name].format(row=row) for row in ("new.", "old."))
            add, drop = plus.format(name, new), minus.format(name, old)
            # Most updates name neither column, and then cost nothing more.
            update = f"UPDATE OF status, {name}"
            for event, when, body in (
                ("INSERT", f"{new} IS NOT NULL", add),
                ("DELETE", f"{old} IS NOT NULL", drop),
                (update, f"(old.status, {old}) IS NOT (new.status, {new})", f"{drop}; {add}"),
            ):
                _create_trigger(db, f"page_count_{name}", f"{event} ON page WHEN {when}", body)
            db.execute_sql(COUNT.format(name, counted[name].format(row="")))

    def create_languages(self, db: Executor) -> None:
        languages.create(db)
        for event, body in languages.TRIGGERS.items():
            _create_trigger(db, "page_language", event, body)

    def fill_languages(self, db: Executor) -> None:
        languages.fill(db)

    def create_version(self, db: Executor, table: str) -> None:
        for event in ("INSERT", "DELETE", "UPDATE"):
            increment = INCREMENT.format(table)
            _create_trigger(db, f"{table}_version", f"{event} ON {table}", increment)


def _create_trigger(db: Executor, name: str, event: str, body: str) -> None:
    """Create a trigger for an event such as `INSERT ON page`, and name it after that too."""
    verb = event.partition(" ")[0].lower()
    db.execute_sql(f"CREATE TRIGGER {name}_{verb} AFTER {event} BEGIN {body}; END")
