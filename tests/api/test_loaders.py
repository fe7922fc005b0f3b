"""Compiled loaders: what they return and raise is what the schemas themselves do."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import (
    EXCLUDE,
    INCLUDE,
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validate,
    validates,
)

from landform.schemas import export, feeds, pages
from landform.schemas.fields import Integer, Text
from landform.schemas.loaders import Loader, compile_loader

SCHEMAS: list[Schema] = [
    pages.PageCreate(), pages.PageUpdate(partial=True), pages.PageList(), pages.PublicPageList(),
    pages.PageRead(), pages.PageDelete(), feeds.FeedCreate(), feeds.FormFeedCreate(),
    feeds.FeedUpdate(), feeds.FeedPatch(), feeds.FeedProperties(), feeds.FeedFilter(),
    feeds.FeedList(), export.PageLine(), export.FeedLine(),
]  # fmt: skip
MOMENT = "2026-01-31T12:00:00"
PLAIN = {
    "title": "A title", "content": "Text", "status": "publish", "date": MOMENT, "slug": "a-b",
    "password": "secret", "author": 2, "context": "edit", "force": True, "page": "3",
    "per_page": "10", "search": "word", "after": MOMENT, "include": "1,2", "exclude": ["3"],
    "order": "asc", "orderby": "title", "search_columns": "title", "form_id": 7, "addon": "a",
    "addon_slug": "a", "is_active": False, "feed_order": 1, "event_type": "x", "id": 5,
    "version": 1, "modified_utc": MOMENT, "date_utc": MOMENT, "date_floats": False,
    "modified": MOMENT, "slug_before_trash": "", "title_raw": "A", "title_rendered": "A",
    "block_version": 1, "content_raw": "b", "content_rendered": "<p>b</p>",
    "meta": dict(pages.EMPTY_META),
}  # fmt: skip
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 102), st.floats(allow_nan=False),
    st.sampled_from([2**62, 2**63, -(2**63), 10**30, 1.0, "", " ", "0", "1", " 7 ", "true", "no",
                     "a\0b", "a\x01b", " title\n", "1,2", "publish", "trash", "any", "edit", "desc",
                     "include", "relevance", "post_title", "AND", MOMENT, "2026-02-30T12:00:00",
                     "2026-01-31 12:00:00.5+02", "2026-01-31T24:00:00", "Ä", "\ud800"]),
    st.text(max_size=4),
)  # fmt: skip
meta = st.dictionaries(
    st.sampled_from([*pages.EMPTY_META, "unknown"]),
    st.one_of(scalars, st.lists(scalars, max_size=2), st.just({})),
    max_size=4,
)
raw = st.dictionaries(st.sampled_from(["raw", "rendered"]), scalars)
values = st.one_of(scalars, meta, raw, st.lists(scalars, max_size=3))


def result(load: Loader, data: Any) -> tuple[str, Any]:
    """Return what a loader makes of data, or all that its error says."""
    try:
        return "loaded", repr(load(data))
    except ValidationError as error:
        return "refused", (repr(error.messages), codes(error.messages), repr(error.valid_data))


def codes(messages: Any) -> Any:
    """Return the error codes of messages, of which a text may carry one."""
    if isinstance(messages, dict):
        return {name: codes(inner) for name, inner in messages.items()}
    return [getattr(text, "code", None) for text in messages]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: type(schema).__name__)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_compiled_load_is_the_schemas_own(schema: Schema, data: st.DataObject) -> None:
    load = compile_loader(schema)
    names = st.sampled_from([*schema.fields, "id", "unknown"])
    right = {name: PLAIN[name] for name in schema.fields if name in PLAIN}
    dropped = data.draw(st.sets(names, max_size=3))
    odd = data.draw(st.dictionaries(names, values, max_size=3))
    given = {**{name: right[name] for name in right if name not in dropped}, **odd}
    assert result(load, given) == result(schema.load, given)
    assert result(load, odd) == result(schema.load, odd)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: type(schema).__name__)
def test_what_is_right_never_takes_marshmallows_way(
    schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {name: PLAIN[name] for name in schema.fields if name in PLAIN}
    if isinstance(schema, pages.PageCreate):
        del right["slug"]
    loaded = repr(schema.load(right))
    load = compile_loader(schema)
    monkeypatch.setattr(type(schema), "load", None)
    assert repr(load(right)) == loaded


@pytest.mark.parametrize(
    ("schema", "odd"),
    [
        (pages.PageList(), {"orderby": "include", "include": ""}),
        (pages.PageList(), {"orderby": "relevance", "search": " "}),
        (pages.PageCreate(), {"id": 7}),
        (pages.PageCreate(), {"meta": []}),
        (pages.PageCreate(), {"title": " title\n"}),
        (pages.PageCreate(), {"slug": "a\x01b"}),
        (pages.PageCreate(), {"author": 0}),
        (pages.PageCreate(), {"author": True}),
        (feeds.FeedCreate(), {"meta": {}}),
        (feeds.FeedCreate(), {"addon_slug": ""}),
        (export.PageLine(), {"title_raw": "", "content_raw": ""}),
        (export.PageLine(), {"slug": "", "status": "publish"}),
    ],
)
def test_what_a_schema_says_holds_for_each_odd_value(schema: Schema, odd: dict[str, Any]) -> None:
    given = {name: PLAIN[name] for name in schema.fields if name in PLAIN} | odd
    assert result(compile_loader(schema), given) == result(schema.load, given)


class Doubled(Text):
    """A field of another type, which the loaders know nothing of."""

    def _deserialize(self, *args: Any, **kw: Any) -> str:
        return super()._deserialize(*args, **kw) * 2


class Inner(Schema):
    """A nested object with a default, and a required key."""

    class Meta:
        unknown = EXCLUDE

    a = Integer(required=True)
    b = Text(load_default="b")


class Unusual(Schema):
    """Fields and options that no schema of ours has."""

    doubled = Doubled()
    shouted = Text(post_load=str.upper)  # type: ignore[call-arg]
    inner = fields.Nested(Inner, allow_none=True)
    open = fields.Nested(Inner, unknown=INCLUDE)
    checked = fields.Nested(Inner, validate=validate.Length(max=1))
    several = Text(validate=[validate.Length(max=2), validate.Regexp("[0-9]")])
    words = fields.List(Text())


class Listed(Unusual):
    """A list of objects."""

    many = fields.Nested(Inner, many=True)


class Renamed(Unusual):
    """A field that is called otherwise in what is sent."""

    class Meta:
        unknown = EXCLUDE

    other = Text(data_key="another")


class Prepared(Unusual):
    """A hook before loading."""

    @pre_load
    def before(self, data: Any, **kw: Any) -> Any:
        """Take the name away."""
        return {key: value for key, value in data.items() if key != "taken"}


class Checked(Unusual):
    """A hook for a field."""

    @validates("doubled")
    def check(self, value: str, **kw: Any) -> None:
        """Refuse a text."""
        if value == "nono":
            raise ValidationError("no")


class Completed(Unusual):
    """A hook after loading."""

    @post_load
    def after(self, data: Any, **kw: Any) -> Any:
        """Add something."""
        return {**data, "added": 1}


@pytest.mark.parametrize("partial", [None, False, True, ("inner.b",)])
@pytest.mark.parametrize("kind", [Unusual, Listed, Renamed, Prepared, Checked, Completed])
@pytest.mark.parametrize(
    "data",
    [
        {}, {"doubled": "no"}, {"doubled": 1}, {"shouted": "a"}, {"inner": {"a": 1}}, {"inner": {}},
        {"inner": None}, {"inner": []}, {"many": [{"a": 1}]}, {"many": [{}]}, {"several": "abc"},
        {"open": {"a": 1, "z": 2}}, {"checked": {"a": 1}}, {"words": ["a", 1]}, {"words": ["a"]},
        {"another": "a"}, {"taken": 1, "doubled": "x"},
        {"doubled": 1, "several": None, "x": 1}, [], [{}],
    ],
)  # fmt: skip
def test_schemas_that_do_what_no_loader_knows_load_as_they_do(
    kind: type[Schema], partial: Any, data: Any
) -> None:
    if kind is Prepared and not isinstance(data, dict):
        return
    schema = kind(partial=partial)
    assert result(compile_loader(schema), data) == result(schema.load, data)
