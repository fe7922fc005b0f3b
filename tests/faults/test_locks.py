"""One writer that keeps the lock to itself: the others are told, and readers do not wait."""

from applications import FEED
from conftest import Start
from writers import Client

from landform.storage import Store

READS = ("/pages?context=edit", "/feeds")
WRITES = [
    ("POST", "/pages", {"title": "New"}, {}),
    ("POST", "/pages", {"title": "New"}, {"Idempotency-Key": "k"}),
    ("PUT", "/pages/1", {"title": "Other"}, {}),
    ("DELETE", "/pages/1", None, {}),
    ("DELETE", "/pages/1?force=true", None, {}),
    ("POST", "/forms/1/feeds", FEED, {}),
    ("PUT", "/feeds/1", FEED, {}),
    ("PATCH", "/feeds/1", {"meta": {"a": 1}}, {}),
    ("PUT", "/feeds/1/properties", {"is_active": False}, {}),
    ("DELETE", "/feeds/1", None, {}),
]


def test_a_lock_held_for_longer_than_the_timeout_is_a_503_and_no_write(start_server: Start) -> None:
    server = start_server(LANDFORM_BUSY_TIMEOUT="0.1")
    server.call("POST", "/pages", {"title": "First"})
    server.call("POST", "/feeds", FEED)
    before = [server.call("GET", path) for path in READS]
    other = Store(server.database)
    with Client(server) as client, other.connection():
        with other.transaction():
            for method, path, body, headers in WRITES:
                status, answer = client.call(method, path, body, **headers)
                assert (status, answer["code"]) == (503, "storage_unavailable"), (method, path)
                assert int(client.headers["Retry-After"]) > 0
            assert [server.call("GET", path) for path in READS] == before
        statuses = [client.call(*write[:3], **write[3])[0] for write in WRITES]
    assert statuses == [201, 201, 200, 200, 200, 201, 200, 200, 200, 200]
