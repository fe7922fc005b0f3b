"""Pages that come due: shown by every reader at once, and published by work in the background."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from applications import Client, Site, Standing
from conftest import basic

from landform.service.background import Background
from landform.storage import Store, pages

pytestmark = pytest.mark.settings(CACHE_BYTES=0, BUSY_TIMEOUT=60, SEARCH_TIMEOUT=60)
BODIES: list[dict[str, Any]] = [
    {"title": "One apple", "date": "2030-04-01T00:00:00", "author": 2},
    {"title": "Due apple", "date": "2030-05-01T12:00:10",
     "meta": {"form_id": "3", "language": ["en"]}},
    {"title": "Due pear", "date": "2030-05-01T12:00:20", "author": 2, "password": "secret"},
    {"title": "Later apple", "date": "2030-05-01T18:00:00"},
    {"title": "Draft apple", "status": "draft"},
    {"title": "Two", "content": "an apple", "date": "2030-05-01T08:00:00"},
    {"title": "Private", "status": "private", "date": "2030-05-01T14:00:00"},
    {"title": "Due", "content": "apple and pear", "date": "2030-05-01T12:00:05", "author": 3},
]  # fmt: skip
DUE = (2, 3, 8)
QUERIES = """
    per_page=2 per_page=2&page=2 offset=1 page=9 search=apple search=ap search=pear
    search=-pear search=apple%20-pear search=apple&search_columns=title
    orderby=relevance&search=apple author=2 author=2,3 author_exclude=2 include=2,3,4,1 exclude=2
    after=2030-05-01T12:00:07 before=2030-05-01T12:00:07 modified_after=2030-01-01T00:00:00
    modified_before=2030-01-01T00:00:00 slug=due,due-apple orderby=include&include=8,4,2,1
    orderby=include_slugs&slug=due,two,due-apple orderby=author orderby=id&order=asc
    orderby=modified orderby=parent orderby=slug&order=asc orderby=title orderby=title&order=asc
    _fields=title _fields=id,link _fields=status context=embed
    after=2030-05-01T00:00:00&author=2&search=pear form_id=3 language=en,de
""".split()
STATUSES = """
    status=future status=publish,future status=draft,future status=draft,publish status=any
    status=future,private status=trash status=publish,private,draft
""".split()
PATHS = [
    "/pages", *(f"/pages?{query}" for query in QUERIES),
    *(f"/pages/{number}" for number in range(1, 10)),
    *(f"/pages/{number}?context=embed" for number in DUE), "/pages/3?password=secret",
]  # fmt: skip
PRIVATE = [
    "/pages/2?context=edit", "/pages?context=edit", *(f"/pages?{status}" for status in STATUSES),
    *(f"/pages?{status}&{query}" for status in STATUSES[:5] for query in QUERIES),
]  # fmt: skip


@pytest.fixture
def service(site: Site) -> Site:
    """A service with the pages above."""
    for body in BODIES:
        site.page(**body)
    return site


@pytest.fixture
def other(database_url: str) -> Iterator[Store]:
    """The store of another process."""
    store = Store(database_url)
    yield store
    store.dispose()


@contextmanager
def held(other: Store) -> Iterator[None]:
    """Hold the lock that every write takes."""
    with other.connection(), other.transaction():
        yield


def call(service: Site, method: str, path: str, body: Any = None, **headers: str) -> Any:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.visitor.open(path, method=method, json=body, headers={**basic(), **sent})


def tag(service: Site, path: str) -> str:
    return str(call(service, "GET", path).headers["ETag"])


def statuses(other: Store, *numbers: int) -> set[str]:
    """Return the statuses of pages as they are stored."""
    with other.connection():
        return {str(pages.get(other, number)["status"]) for number in numbers}


def store_now(service: Site) -> None:
    """Store what is due, as the deliverer does."""
    service.app.blueprints["landform"].deliver()  # type: ignore[attr-defined]


def read_all(service: Site) -> dict[tuple[str, bool], Any]:
    """Return status, body and headers of every GET, with credentials and without."""
    found: dict[tuple[str, bool], Any] = {}
    for known, paths in ((False, PATHS), (True, [*PATHS, *PRIVATE])):
        for path in paths:
            answer = service.visitor.get(path, headers=basic() if known else {})
            headers = dict(answer.headers)
            # It tells one request from another.
            headers.pop("X-Request-ID")
            # A list's tag tells what is stored, too, and so turns once more.
            if re.match(r"/pages($|\?)", path):
                headers.pop("ETag", None)
            found[path, known] = answer.status_code, answer.text, headers
    return found


def test_a_due_page_is_shown_before_its_status_is_stored(service: Site, other: Store) -> None:
    # Who has shown the password once needs nothing to be counted.
    assert service.visitor.get("/pages/3?password=secret", headers=basic()).status_code == 200
    with held(other):
        service.clock.at += timedelta(minutes=1)
        began = time.monotonic()
        assert service.visitor.get("/pages/2").get_json()["status"] == "publish"
        assert service.visitor.get("/pages").headers["X-WP-Total"] == "5"
        shown = read_all(service)
        # A single one that waited would have done so for a minute.
        assert time.monotonic() - began < 50
        assert statuses(other, *DUE) == {"future"}
    store_now(service)
    assert statuses(other, *DUE) == {"publish"}
    stored = read_all(service)
    for key, answer in stored.items():
        assert shown[key] == answer, key


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/pages/2", {"title": "New"}), ("PATCH", "/pages/2", {}),
        ("DELETE", "/pages/2", None), ("DELETE", "/pages/2?force=true", None),
    ],
)  # fmt: skip
def test_a_write_with_the_tag_of_a_page_that_was_due_succeeds_exactly_once(
    service: Site, other: Store, method: str, path: str, body: Any
) -> None:
    before = tag(service, "/pages/2")
    with held(other):
        service.clock.at += timedelta(minutes=1)
        between = tag(service, "/pages/2")
        assert statuses(other, 2) == {"future"}
    assert between != before
    answer = call(service, method, path, body, If_Match=before)
    assert answer.status_code == 412
    answer = call(service, method, path, body, If_Match=between)
    assert answer.status_code == 200
    if body == {}:
        # Nothing was written but that it is published.
        assert tag(service, "/pages/2") == between
    else:
        answer = call(service, method, path, body, If_Match=between)
        assert answer.status_code in (404, 410, 412)


def test_a_page_is_new_when_due_and_not_again_when_stored(service: Site, other: Store) -> None:
    def unchanged(path: str, known: str) -> bool:
        return bool(call(service, "GET", path, If_None_Match=known).status_code == 304)

    page, pages_ = tag(service, "/pages/2"), tag(service, "/pages")
    with held(other):
        assert unchanged("/pages/2", page)
        assert unchanged("/pages", pages_)
        service.clock.at += timedelta(seconds=10)
        assert not unchanged("/pages/2", page)
        assert not unchanged("/pages", pages_)
        page, first = tag(service, "/pages/2"), tag(service, "/pages")
        assert unchanged("/pages/2", page)
        assert unchanged("/pages", first)
        service.clock.at += timedelta(seconds=10)
        assert not unchanged("/pages", first)
        last = tag(service, "/pages")
    store_now(service)
    assert unchanged("/pages/2", page)
    assert len({pages_, first, last, tag(service, "/pages")}) == 4


def test_a_clock_set_back_hides_due_pages_and_repeats_no_tag(service: Site, other: Store) -> None:
    before = tag(service, "/pages/2")
    with held(other):
        service.clock.at += timedelta(minutes=1)
        between = tag(service, "/pages/2")
        assert service.visitor.get("/pages/2").status_code == 200
        service.clock.at -= timedelta(minutes=1)
        assert service.visitor.get("/pages/2").status_code == 401
        assert tag(service, "/pages/2") == before
    changed = call(service, "PUT", "/pages/2", {"title": "N"}, If_Match=between)
    assert changed.status_code == 412
    call(service, "PUT", "/pages/2", {"title": "Other"})
    assert tag(service, "/pages/2") not in (before, between)
    # Once it is stored, it stays.
    service.clock.at += timedelta(minutes=1)
    store_now(service)
    assert statuses(other, 2) == {"publish"}
    service.clock.at -= timedelta(minutes=1)
    assert service.visitor.get("/pages/2").status_code == 200


# Work in the background.
def service_of(client: Client) -> Any:
    landing: Any = client.application.blueprints["landform"]
    return landing.service


def fail() -> float | None:
    raise RuntimeError("out of order")


def background(client: Client, *workers: Callable[[], float | None]) -> Background:
    """The work in the background of a service whose parts have these workers."""
    service = service_of(client)
    parts = [
        SimpleNamespace(work_source=lambda _: None, worker=lambda _, one=one: one)
        for one in workers
    ]
    names = {name: getattr(service, name) for name in ("store", "stopping", "woken")}
    options = SimpleNamespace(named_parts=parts)
    stand_in: Any = SimpleNamespace(**names, options=options)
    return Background(stand_in)


def test_a_failing_worker_stops_no_other(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    clock, calls = Standing(), list[int]()
    client.store.clock = clock
    client.page(date="2030-05-01T12:00:30")
    clock.at += timedelta(hours=1)

    def work() -> float | None:
        calls.append(len(calls))
        return 0.0 if len(calls) < 3 else 60.0

    with pytest.raises(RuntimeError, match="out of order"):
        background(client, fail, work).run_once()
    assert calls == [0, 1, 2]
    assert client.get("/events").get_json()[-1]["type"] == "page.published"
    assert background(client, work).run_once() == 60.0
    assert background(client).run_once() is None
    calls = list[int]()

    def work_five_times() -> float | None:
        calls.append(len(calls))
        if len(calls) == 5:
            raise SystemExit
        return 0.0

    with pytest.raises(SystemExit):
        background(client, fail, work_five_times).run()
    assert caplog.text.count("RuntimeError: out of order") == 1
