"""What the API has answered with success can be moved, checked, compared and written back."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from applications import Client, service
from files import command
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

NUMBERS = count()
TEXTS = st.sampled_from([
    "", " ", "a",
    "Ünï 東京 👩‍👩‍👧", "x\ry\n\tz", "\0", "\x7f\u2028\ufeff\ufffe", "<b>&amp;\"'", "%41%zz",
    "__trashed", "1", "null", "é" * 199, "東" * 67, "a" * 255, "%" * 201, "-", "\ud800", "[]", "{}",
    "a-2", "a__trashed", "wp-json", "feed", "2026", "\u0130", "ß", "\u200d", "a/b?c#d",
])  # fmt: skip
SCALARS = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(-(2**63) - 1, 2**64), st.floats(allow_nan=False),
    st.sampled_from([2**70, -(10**400), 1e300, 5e-324, -0.0, 1.0, 10**4000]),
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
IDS = st.integers(1, 4)
# Stands for lists in each other, as many as a body may have in a key of meta.
DEEP = "(deep)"
LISTS = 496
DATES = st.sampled_from([
    "0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59",
    "9999-12-31T23:59:59-12:00", "2026-10-25T02:30:00", "2026-03-29T02:30:00",
    "2026-01-31T12:00:00.999Z", "1900-01-01t00:00:00z", "2027-01-01T00:00:00", None,
])  # fmt: skip
META = st.fixed_dictionaries({}, optional={
    "starts_at": TEXTS | DATES, "ends_at": TEXTS | DATES,
    "form_id": TEXTS | st.integers(0, 2**63),
    "gallery": st.lists(JSON, max_size=2) | st.just([DEEP]),
    "language": st.lists(JSON, max_size=2), "instant_win": st.none(), "viral_share": JSON,
    "foreign": JSON,
})  # fmt: skip
NUMBER = st.sampled_from([0, 1, "2", -1, 2**62, 2**62 + 1, 2**63 - 1, 2**63, "9" * 19, 1.0, None])
PAGE = st.fixed_dictionaries({"title": TEXTS}, optional={
    "content": TEXTS, "slug": TEXTS, "password": TEXTS, "date": DATES, "date_gmt": DATES,
    "author": NUMBER, "meta": META,
    "status": st.sampled_from(["publish", "future", "draft", "pending", "private", "trash"]),
})  # fmt: skip
FEED_META = (
    st.dictionaries(TEXTS, JSON, max_size=3) | st.just({"feedName": None}) | st.just({"x": DEEP})
)
FEED = st.fixed_dictionaries({"form_id": NUMBER, "addon_slug": TEXTS, "meta": FEED_META}, optional={
    "is_active": st.sampled_from([True, False, "0", 1]), "feed_order": NUMBER,
})  # fmt: skip
PATCH = st.fixed_dictionaries({}, optional={
    "form_id": NUMBER, "addon_slug": TEXTS, "meta": FEED_META, "feed_order": NUMBER,
    "event_type": TEXTS | st.none(),
})  # fmt: skip


NO_BODY = st.none()


def write(method: str, path: str, body: Any = NO_BODY) -> Any:
    return st.tuples(
        st.just(method), path if isinstance(path, st.SearchStrategy) else st.just(path), body
    )


def at(path: str) -> Any:
    return IDS.map(path.format)


WRITES = st.lists(
    st.one_of(
        write("POST", "/pages", PAGE),
        write("POST", "/wp-json/wp/v2/pages", PAGE),
        write("PUT", at("/pages/{}"), PAGE),
        write("PATCH", at("/wp-json/wp/v2/pages/{}"), PAGE),
        write("DELETE", at("/pages/{}")),
        write("DELETE", at("/pages/{}?force=1")),
        write("POST", at("/pages/{}/revisions/1/restore")),
        write("POST", at("/pages/{}/duplicate")),
        write("POST", "/feeds", FEED),
        write("POST", "/forms/1/feeds", FEED),
        write("PUT", at("/feeds/{}"), FEED | PATCH),
        write("PATCH", at("/feeds/{}"), PATCH),
        write("PUT", at("/feeds/{}/properties"), PATCH),
        write("POST", at("/feeds/{}/duplicate")),
        write("DELETE", at("/feeds/{}")),
    ),
    min_size=20, max_size=30,
)  # fmt: skip


def succeeds(database: str, *arguments: Any) -> None:
    result = command(database, *arguments)
    assert result.exit_code == 0, (arguments[0], result.output)


def moves(url: str, new: Callable[[], str], folder: Path) -> None:
    """Export, import, check, compare and copy a database."""
    file, imported, copied = folder / f"{next(NUMBERS)}.ndjson", new(), new()
    succeeds(url, "verify")
    succeeds(url, "export", file, "--revisions")
    succeeds(imported, "import", file)
    succeeds(imported, "verify")
    succeeds(url, "copy", url, copied)
    for other in (imported, copied):
        exported = folder / f"{next(NUMBERS)}.ndjson"
        succeeds(other, "export", exported, "--revisions")
        assert exported.read_bytes() == file.read_bytes()
    succeeds(copied, "verify")


def write_back(client: Client) -> None:
    """Write each page and feed back as it was read."""
    for path in ("/pages", "/wp-json/wp/v2/pages"):
        for page in client.get(f"{path}?context=edit&status=any,trash&per_page=100").get_json():
            response = client.put(f"{path}/{page['id']}", json=page)
            assert response.status_code == 200, (page, response.text)
            assert response.get_json()["content"]["raw"] == page["content"]["raw"]
    for feed in client.get("/feeds").get_json():
        response = client.put(f"/feeds/{feed['id']}", json=feed)
        assert response.status_code == 200, (feed, response.text)
        assert client.get(f"/feeds/{feed['id']}").get_json() == feed


@settings(max_examples=6, phases=[Phase.generate])
@given(writes=WRITES)
def test_accepted_values_can_be_exported_imported_copied_and_written_back(
    make_database: Callable[[], str], tmp_path: Path, writes: list[Any]
) -> None:
    url = make_database()
    client = service(url, TIMEZONE="Europe/Berlin")
    for method, path, body in writes:
        deep = "[" * LISTS + "]" * LISTS
        text = None if body is None else json.dumps(body).replace(f'"{DEEP}"', deep)
        response = client.open(path, method=method, data=text, content_type="application/json")
        assert response.status_code < 500, (method, path, body, response.text)
    moves(url, make_database, tmp_path)
    write_back(client)
    succeeds(url, "verify")
    client.store.dispose()


def test_a_slug_that_is_sent_in_other_letters_is_the_same_slug(client: Client) -> None:
    client.page(title="Hello World")
    client.page(title="Another", status="draft")
    for path, sent, slug in (
        ("/pages/1", "Hello World", "hello-world"),
        ("/pages/1", "hello-world ", "hello-world"),
        ("/pages/2", " ", ""),
    ):
        assert client.put(path, json={"slug": sent}).get_json()["slug"] == slug
