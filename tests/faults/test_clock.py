"""Clocks that jump, zones that change, nights with an hour twice: no error, dates as they were."""

from datetime import UTC, datetime, timedelta
from typing import Any

from applications import Standing, service
from databases import check
from flask.testing import FlaskClient

# Zurich: 2027-03-28 02:00 becomes 03:00, 2027-10-31 03:00 becomes 02:00. In UTC, as they come.
JUMPS = """
    2027-03-28 00:59:58
    2027-03-28 01:00:01
    2027-03-27 01:30:00
    2027-10-31 00:30:00
    2027-10-31 01:30:00
    2027-10-31 00:45:00
    2001-09-09 01:46:40
    2038-01-19 03:14:09
    2024-02-29 23:59:59
    2026-12-31 23:59:59
"""
# Half past two comes not at all on the first night, and twice on the second.
ODD_DATES = ["2027-03-28T02:30:00", "2027-10-31T02:30:00", "2027-10-31T02:30:00+01:00"]


def send(client: FlaskClient, expected: int, method: str, path: str, body: Any = None) -> Any:
    response = client.open(path, method=method, json=body)
    assert response.status_code == expected, (method, path, response.text)
    return response.get_json()


def write(client: FlaskClient, name: str) -> dict[str, Any]:
    """Do what looks at the clock; return what stays of it, by its path, as answered."""
    page = send(client, 201, "POST", "/pages", {"title": name})
    draft = send(client, 201, "POST", "/pages", {"title": "Draft", "status": "draft"})["id"]
    send(client, 200, "PUT", f"/pages/{draft}", {"status": "publish"})
    send(client, 200, "DELETE", f"/pages/{draft}")
    later = {"title": "Later", "date": "2099-01-01T00:00:00"}
    assert send(client, 201, "POST", "/pages", later)["status"] == "future"
    send(client, 200, "GET", "/pages?after=2020-01-01T00:00:00&orderby=modified")
    feed = {"form_id": 1, "addon_slug": "a", "meta": {"feedName": name}}
    number = send(client, 201, "POST", "/feeds", feed)["id"]
    assert client.get("/pages", headers={"Authorization": "Bearer wrong"}).status_code == 401
    return {
        f"/pages/{page['id']}?context=edit": {"date": page["date"], "title": page["title"]},
        f"/feeds/{number}": {"meta": {"feedName": name}},
    }


def lost(client: FlaskClient, kept: dict[str, Any]) -> list[str]:
    """Return the paths where there is not, or no longer, what was acknowledged."""
    found = {path: send(client, 200, "GET", path) for path in kept}
    return [
        path for path, values in kept.items() if {k: found[path].get(k) for k in values} != values
    ]


def test_a_clock_that_jumps_breaks_nothing_and_changes_no_date(database_url: str) -> None:
    client, kept = service(database_url, TIMEZONE="Europe/Zurich"), dict[str, Any]()
    client.store.clock = clock = Standing("Europe/Zurich")
    for moment in JUMPS.strip().splitlines():
        clock.at = datetime.fromisoformat(moment.strip()).replace(tzinfo=UTC)
        stays = write(client, moment)
        modified = send(client, 200, "GET", next(iter(stays)))["modified"]
        local = clock.at.replace(tzinfo=None)
        assert abs(datetime.fromisoformat(modified) - local) < timedelta(days=1)
        kept |= stays
        # Bad clocks may turn a page into a future one; none loses its date.
        assert lost(client, kept) == []
    check(database_url)


def test_another_time_zone_changes_no_date_that_is_stored(database_url: str) -> None:
    kept: dict[str, Any] = {}
    for zone in ("Europe/Zurich", "America/New_York", "Asia/Kathmandu"):
        client = service(database_url, TIMEZONE=zone)
        assert lost(client, kept) == []
        for body in [{"title": zone}, *({"title": zone, "date": date} for date in ODD_DATES)]:
            page = send(client, 201, "POST", "/pages", body)
            assert page["date"] == body.get("date", page["date"]) or "+" in body["date"]
            kept[f"/pages/{page['id']}?context=edit"] = {"date": page["date"]}
        for path, values in kept.items():
            changed = send(client, 200, "PUT", path.partition("?")[0], {"content": zone})
            assert changed["date"] == values["date"]
        assert lost(client, kept) == []
    check(database_url)
