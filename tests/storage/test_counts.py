"""Kept counts and compiled dumps: the same as counting and dumping, whatever was written."""

import json
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import pytest
from conftest import databases, migrated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import Schema

from landform.schemas import feeds as feed_schemas
from landform.schemas import pages as page_schemas
from landform.schemas.serializers import compile_serializer
from landform.storage import AlreadyTrashed, PageNotFound, Store, pages
from landform.storage.pages import filters, totals

PAGE: dict[str, Any] = {
    "title_rendered": "T", "content_raw": "C", "content_rendered": "C", "block_version": 0,
    "slug": "", "password": "", "meta": {},
}  # fmt: skip
START = datetime(2026, 1, 30, 23, 0)

statuses = st.sampled_from(["publish", "draft", "private"])
authors = st.integers(1, 3)
dates = st.integers(0, 80).map(lambda hours: START + timedelta(hours=hours))
changes = st.fixed_dictionaries(
    {}, optional={"status": statuses, "author": authors, "date": dates, "title_raw": st.just("U")}
)
writes = st.lists(
    st.one_of(
        st.tuples(st.just("create"), statuses, authors, dates),
        st.tuples(st.just("update"), st.integers(1, 8), changes),
        st.tuples(st.sampled_from(["trash", "delete"]), st.integers(1, 8)),
    ),
    max_size=12,
)
lists = st.fixed_dictionaries(
    {"status": st.lists(st.sampled_from(["publish", "draft", "any", "trash"]), max_size=2)},
    optional={
        "author": st.lists(authors, min_size=1, max_size=3),
        "author_exclude": st.lists(authors, min_size=1, max_size=3),
        "exclude": st.lists(st.integers(1, 9), min_size=1, max_size=3),
        "after": dates, "before": dates, "modified_after": dates, "modified_before": dates,
    },
)  # fmt: skip


def write(store: Store, step: Any) -> None:
    if step[0] == "create":
        status, author, date = step[1:]
        values = {"title_raw": "T", "status": status, "author": author, "date": date}
        pages.create(store, {**PAGE, **values})
        return
    with suppress(PageNotFound, AlreadyTrashed):
        if step[0] == "update":
            pages.update(store, step[1], step[2])
        else:
            getattr(pages, step[0])(store, step[1])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(writes, st.lists(lists, min_size=1, max_size=6))
def test_kept_counts_are_what_counting_gives(
    request: pytest.FixtureRequest, steps: list[Any], queries: list[Any]
) -> None:
    with TemporaryDirectory() as folder, databases(request, Path(folder)) as make:
        store = migrated(make())
        with store.connection() as db:
            for step in steps:
                write(store, step)
            for query in queries:
                selection, values = filters.parse_query(store, query)
                counted = totals._count_rows(store, selection, values)
                assert totals.total(store, selection, values) == counted, query
            kept = "SELECT counted, status, SUM(pages) FROM page_count GROUP BY counted, status"
            rows = "SELECT status, COUNT(*) FROM page GROUP BY status"
            truth = dict(db.execute_sql(rows).fetchall())
            for _, status, total in db.execute_sql(kept).fetchall():
                assert total == truth.get(status, 0)
        store.dispose()


@pytest.mark.sqlite("no database of PostgreSQL ever had the schema before")
def test_a_store_that_held_pages_before_is_counted_once_it_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(f"sqlite:///{tmp_path}/old.db")
    store.migrate()
    with store.connection() as db:
        for author in (1, 1, 2):
            pages.create(store, {**PAGE, "title_raw": "T", "status": "publish", "author": author,
                                 "date": None})  # fmt: skip
        kept = "SELECT * FROM page_count WHERE pages > 0 ORDER BY counted, status, value"
        before = db.execute_sql(kept).fetchall()
        names = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name <> 'page_text'"
        for (name,) in db.execute_sql(names).fetchall():
            db.execute_sql(f"DROP TRIGGER {name}")
        db.execute_sql("DROP INDEX page_of_author")
        db.execute_sql("DROP TABLE page_count")
        db.execute_sql("DELETE FROM schema_migration WHERE name LIKE '0003%'")
    assert store.migrate() == ["0003_counts"]
    with store.connection() as db:
        assert db.execute_sql(kept).fetchall() == before


texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
metas = st.dictionaries(texts, values, max_size=4)
small = st.integers(-(2**63), 2**63 - 1)
page_rows = st.fixed_dictionaries(
    {
        **dict.fromkeys(("date", "modified", "slug", "status", "link", "password"), texts),
        "id": small, "author": small, "meta": metas,
        "title": st.fixed_dictionaries({"raw": texts, "rendered": texts}),
        "content": st.fixed_dictionaries(
            {"raw": texts, "rendered": texts, "protected": st.booleans(), "block_version": small}
        ),
    }
)  # fmt: skip
feed_rows = st.fixed_dictionaries(
    {
        "id": small, "form_id": small, "feed_order": small, "is_active": st.sampled_from([0, 1]),
        "addon_slug": texts, "event_type": st.none() | texts, "meta": metas,
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "rows"),
    [
        *((schema(), page_rows) for schema in
          (page_schemas.PageView, page_schemas.PageEmbed, page_schemas.PageEdit)),
        *((schema(), feed_rows) for schema in
          (feed_schemas.FeedRead, feed_schemas.FeedWritten, feed_schemas.FeedDeleted)),
        (page_schemas.PageView(only=["meta", "id"]), page_rows),
        (feed_schemas.FeedRead(only=["form_id"]), feed_rows),
    ],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_a_compiled_dump_is_the_schemas_own(schema: Schema, rows: Any) -> None:
    dump = compile_serializer(schema)

    @settings(max_examples=100, deadline=None)
    @given(rows)
    def check(row: dict[str, Any]) -> None:
        stored = {**row, "meta": json.dumps(row["meta"], ensure_ascii=False)}
        written = json.loads(orjson.dumps(dump(stored)))
        own = schema.dump(row)
        assert written == own
        assert list(written) == list(own)

    check()
