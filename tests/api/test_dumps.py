"""Serializers compiled from schemas: the same as the schemas' own dump, whatever the row holds."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import Schema

from landform.schemas import feeds as feed_schemas
from landform.schemas import pages as page_schemas
from landform.schemas.serializers import compile_serializer

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
