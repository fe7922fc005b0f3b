"""Events are stored until every active webhook that waits for them has them."""

from datetime import UTC, datetime, timedelta

from applications import Standing
from databases import run_sql

from landform.parts.webhooks import storage
from landform.storage import Store, events


def write_events(store: Store, last: int) -> None:
    with store.connection(), store.transaction():
        while events.newest(store) < last:
            events.write(store, ("page.created",), {"resource": "page"})


def oldest(store: Store) -> int:
    return int(run_sql(store.url, "SELECT min(id) FROM event")[0][0])  # type: ignore[attr-defined]


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
        assert oldest(store) == first, last
    # One that cannot be read ends no write.
    run_sql(store.url, "UPDATE webhook SET active = true, resend = 'no JSON'")  # type: ignore[attr-defined]
    write_events(store, 520)


def test_a_clock_that_is_ahead_stops_no_expiry_and_expires_nothing_young(store: Store) -> None:
    store.clock = clock = Standing()

    def write_one_ahead(last: int) -> None:
        clock.at += timedelta(days=400)
        write_events(store, last)
        clock.at -= timedelta(days=400)

    write_events(store, 50)
    write_one_ahead(51)
    write_events(store, 100)
    clock.at += timedelta(days=31)
    write_events(store, 199)
    write_one_ahead(200)
    write_events(store, 300)
    assert oldest(store) == 101
