"""What a site says of itself is a hint: where it says nonsense, its pages come all the same."""

import copy
from typing import Any

import pytest
from moving_in import move, stand_in, store
from test_other_sites import PAGES, own, small

from landform.standalone.wordpress.site import Answer

pytestmark = pytest.mark.sqlite("what a site says has nothing to do with the engine")

INDEX: dict[str, dict[str, Any]] = {
    "a home that is none": {"home": "http://[bad"},
    "a home of another type": {"home": ["x"], "url": None},
    "half a character in its home": {"home": "http://a\ud800b/"},
    "no namespaces": {"namespaces": None},
    "numbered namespaces": {"namespaces": {"1": "wp/v2"}},
    "an offset without end": {"timezone_string": "", "gmt_offset": "inf"},
    "half a character in its zone": {"timezone_string": "a\ud800b", "gmt_offset": 3},
    "routes without rules": {"routes": {"/wp/v2/pages": {"endpoints": [{"args": []}]}}},
    "a list for a rule": {"routes": {"/wp/v2/pages": {"endpoints": [{"args": {"per_page": []}}]}}},
}
HEADERS = {
    "Link": '<http://[bad>; rel="https://api.w.org/"',
    "Date": "Wed, 21 Oct 99999999999999999999 07:28:00 GMT",
}  # fmt: skip


@pytest.mark.parametrize("what", INDEX)
def test_an_odd_index_keeps_no_page_away(own: Any, move: Any, what: str) -> None:
    for key in [key for key in own.kept if key[0] == ""]:
        own.kept[key] = copy.deepcopy(own.kept[key])
        own.kept[key]["body"] |= INDEX[what]
    result = move(own.url, *PAGES)
    assert (result.exit_code, len(move.rows())) == (0, 12), result.output


@pytest.mark.parametrize("name", HEADERS)
def test_an_odd_header_keeps_no_page_away(
    own: Any, move: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    handler, value = own.RequestHandlerClass, HEADERS[name]
    answer = handler.of_site

    def odd(*args: Any) -> Any:
        status, headers, body = answer(*args)
        return status, {**headers, **({name: value} if name in headers else {})}, body

    monkeypatch.setattr(handler, "of_site", odd)
    if name == "Date":
        monkeypatch.setattr(handler, "date_time_string", lambda *_: value)
    result = move(own.url, *PAGES)
    assert (result.exit_code, len(move.rows())) == (0, 12), result.output


@pytest.mark.parametrize("text", ["9" * 5000, "-1", "x", "\xb2"])
def test_a_total_that_is_no_number_counts_as_none(text: str) -> None:
    assert not Answer([], {"X-WP-Total": text}).total


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e300"])
def test_a_timeout_without_end_is_refused(own: Any, move: Any, seconds: str) -> None:
    result = move.run("import-wordpress", own.url, "--user", "admin", "--timeout", seconds)
    assert result.exit_code == 2
    assert "--timeout" in result.output


def test_a_password_in_another_encoding_is_refused(
    own: Any, move: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "environment", lambda _: {"LANDFORM_WORDPRESS_PASSWORD": "p\udce9"})
    result = move.run("import-wordpress", own.url, "--user", "admin")
    assert (result.exit_code, "The application password is no UTF-8." in result.output) == (2, True)
