"""JSON and queries as they are read: what Python's own readers would return, and how deep."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.service.http.input import pairs
from landform.service.json_codec import TooDeep, depth, loads


@given(st.one_of(st.text(), st.text("ab=&[]%+;0")))
def test_a_query_is_read_as_python_reads_it(text: str) -> None:
    assert pairs(text.encode(errors="replace")) == parse_qsl(
        text.encode(errors="replace").decode(), keep_blank_values=True, errors="replace"
    )


nested: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([1, "[{"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(nested, st.integers(1, 6))
def test_json_is_too_deep_where_its_value_is(value: Any, most: int) -> None:
    body = repr(value).replace("'", '"').encode()
    if depth(value) > most:
        with pytest.raises(TooDeep):
            loads(body, most)
    else:
        assert loads(body, most) == value
