"""Events are stored until every active webhook that waits for them has them."""

from datetime import UTC, datetime, timedelta

from databases import run_sql

from landform.parts.webhooks import storage
from landform.storage import Store, events


def write_events(store: Store, last: int) -> None:
    with store.connection(), store.transaction():
        while events.newest(store) < last:
            events.write(store, ("page.created",), {"resource": "page"})


def test_old_events_are_deleted_up_to_the_first_that_a_webhook_waits_for(store: Store) -> None:
    write_events(store, 150)
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()[:19]
    run_sql(store.url, f"UPDATE event SET created_utc = '{old}' WHERE id <= 60")  # type: ignore[attr-defined]
    with store.connection():
        storage.create(store, {"url": "https://example.com", "types": ["*"]})
    for changes, last, first in (
        ({"cursor": 40, "resend": [21, 30]}, 210, 21),
        ({"resend": []}, 310, 41),
        ({"active": False}, 410, 61),
    ):
        with store.connection():
            storage.update(store, 1, changes)
        write_events(store, last)
        assert run_sql(store.url, "SELECT min(id) FROM event") == [(first,)], last  # type: ignore[attr-defined]
