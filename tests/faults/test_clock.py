"""Clocks that jump, zones that change, nights with an hour twice: no error, dates as they were."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from conftest import Server
from consistency import check

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


# What Python imports by itself at its start: here, a clock that is off by the seconds in a file.
SHIFTED = """
import datetime, os, time

real = time.time

class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

def shifted():
    with open(os.environ["FAULTS_CLOCK"]) as file:
        return real() + float(file.read())

time.time, datetime.datetime = shifted, Shifted
"""


class Clock:
    """The time that a server believes in."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(SHIFTED)
        self.file = folder / "seconds"
        self.environment = {"PYTHONPATH": str(folder), "FAULTS_CLOCK": str(self.file)}
        self.set("2026-06-01 12:00:00")

    def set(self, moment: str) -> None:
        """Let the clock jump to a moment in UTC, and go on from there."""
        seconds = datetime.fromisoformat(f"{moment}+00:00").timestamp() - time.time()
        new = self.file.with_suffix(".new")
        new.write_text(str(seconds))
        new.rename(self.file)


def write_and_read(server: Server, name: str) -> dict[str, Any]:
    """Do what looks at the clock; return what stays of it, by its path, as answered."""

    def call(expected: int, method: str, path: str, body: Any = None) -> Any:
        status, answer = server.call(method, path, body)
        assert status == expected, (name, method, path, answer)
        return answer

    page = call(201, "POST", "/pages", {"title": name})
    draft = call(201, "POST", "/pages", {"title": "Draft", "status": "draft"})["id"]
    call(200, "PUT", f"/pages/{draft}", {"status": "publish"})
    call(200, "DELETE", f"/pages/{draft}")
    later = call(201, "POST", "/pages", {"title": "Later", "date": "2099-01-01T00:00:00"})
    assert later["status"] == "future"
    call(200, "GET", "/pages?after=2020-01-01T00:00:00&orderby=modified")
    feed = {"form_id": 1, "addon_slug": "a", "meta": {"feedName": name}}
    number = call(201, "POST", "/feeds", feed)["id"]
    assert server.send("GET", "/pages", {"Authorization": "Bearer wrong"}, None)[0] == 401
    return {
        f"/pages/{page['id']}?context=edit": {"date": page["date"], "title": page["title"]},
        f"/feeds/{number}": {"meta": {"feedName": name}},
    }


def lost(server: Server, kept: dict[str, Any]) -> list[str]:
    """Return the paths where there is not, or no longer, what was acknowledged."""
    found = {path: server.call("GET", path)[1] for path in kept}
    return [
        path for path, values in kept.items() if {k: found[path].get(k) for k in values} != values
    ]


def test_a_clock_that_jumps_breaks_nothing_and_changes_no_date(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    clock, kept = Clock(tmp_path), dict[str, Any]()
    server = start_server(LANDFORM_TIMEZONE="Europe/Zurich", **clock.environment)
    moments = [line.strip() for line in JUMPS.strip().splitlines()]
    for moment in moments:
        clock.set(moment)
        stays = write_and_read(server, moment)
        modified = datetime.fromisoformat(server.call("GET", next(iter(stays)))[1]["modified"])
        assert abs(modified - datetime.fromisoformat(moment)) < timedelta(days=1)
        kept |= stays
        # Bad clocks may turn a page into a future one; none loses its date.
        assert lost(server, kept) == []
    told = lost(server, kept)
    check(server.database)
    assert "Traceback" not in (tmp_path / "server.log").read_text()
    assert told == []


def test_another_time_zone_changes_no_date_that_is_stored(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    kept: dict[str, Any] = {}
    zones = ["Europe/Zurich", "America/New_York", "Asia/Kathmandu"]
    for zone in zones:
        server = start_server(LANDFORM_TIMEZONE=zone, LANDFORM_WORKERS="1")
        assert lost(server, kept) == []
        bodies = [{"title": zone}, *({"title": zone, "date": date} for date in ODD_DATES)]
        for body in bodies:
            status, page = server.call("POST", "/pages", body)
            assert status == 201
            assert page["date"] == body.get("date", page["date"]) or "+" in body["date"]
            kept[f"/pages/{page['id']}?context=edit"] = {"date": page["date"]}
        for path, values in kept.items():
            changed = server.call("PUT", path.partition("?")[0], {"content": zone})[1]
            assert changed["date"] == values["date"]
        told = lost(server, kept)
        server.stop()
    check(server.database)
    assert told == []
