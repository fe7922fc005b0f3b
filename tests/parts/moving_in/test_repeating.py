"""An import is repeated until the day of the switch: what each further one writes, and what not."""

import csv
import os
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from comparing import SITE, differences
from conftest import PAGE
from moving_in import move, site, stand_in

from landform.storage import feeds, pages
from landform.storage.maintenance import verify
from landform.storage.models import Page

PAGES = ("--only", "pages")
FEEDS = ("--only", "feeds", "--probe", "0")


@pytest.fixture
def own(stand_in: Any) -> Any:
    """A site that a test may change."""
    with stand_in(SITE) as site:
        yield site


def change(site: Any, number: int, **columns: Any) -> None:
    page = next(one for one in site.pages if one["edit"]["id"] == number)
    page["edit"].update(columns)


def without(site: Any, number: int) -> None:
    site.pages = [one for one in site.pages if one["edit"]["id"] != number]


def test_again_nothing_is_written_and_everything_is_said(
    own: Any, move: Any, tmp_path: Path
) -> None:
    file = tmp_path / "redirects.csv"
    first = move(own.url, "--probe", "0", "--redirects", str(file))
    # Below their parents, or in the trash; the others stay at their addresses.
    old, new = zip(*csv.reader(file.read_text().splitlines()), strict=True)
    assert (len(old), len({*old}), old[0]) == (11, 11, "old")
    assert dict(zip(old, new, strict=True))[f"{own.url}/spain/win/"] == "/win/"
    assert not [link for link, led in zip(old, new, strict=True) if link == own.url + led]
    before, notes = move.rows(), move.report["notes"]
    second = move(own.url, "--probe", "0")
    assert move.rows() == before
    assert move.report["counts"] == {
        "page": {"unchanged": 126, "left-out": 3}, "feed": {"unchanged": 31, "left-out": 8},
    }  # fmt: skip
    assert move.report["notes"] == notes
    assert (first.exit_code, second.exit_code) == (3, 0)
    assert list(verify.find_problems(move.store)) == []


def test_what_changed_there_is_written_and_what_changed_here_is_not(own: Any, move: Any) -> None:
    move(own.url, *PAGES)
    with move.store.connection():
        for number in (5, 6):
            pages.update(move.store, number, {"title_raw": "Here", "title_rendered": "Here"})
        pages.delete(move.store, 8)
        pages.delete(move.store, 9)
    for number in (4, 6, 8):
        change(own, number, title={"raw": "There"}, menu_order=3)
    result = move(own.url, *PAGES)
    assert [move.row("page", number)["title_raw"] for number in (4, 5, 6)] == [
        "There", "Here", "Here",
    ]  # fmt: skip
    assert move.report["counts"]["page"]["updated"] == 1
    assert [row["id"] for row in move.report["conflicts"]] == [6, 8]
    assert [row["id"] for row in move.report["kept"]] == [5, 9]
    assert "conflict: page 6 was changed here since the last import\n" in result.output
    assert "kept: page 9 was deleted here" in result.output
    # And so on, until somebody decides.
    move(own.url, *PAGES)
    assert [row["id"] for row in move.report["conflicts"]] == [6, 8]
    move(own.url, *PAGES, "--force")
    others = [int(text.split()[1]) for text in differences(move.rows(), ["page"])]
    assert {*others} <= {4, 6, 8}
    assert move.row("page", 8)["title_raw"] == "There"
    assert move.report["counts"]["page"]["created"] == 2


def test_the_same_change_on_both_sides_is_no_conflict(own: Any, move: Any) -> None:
    own.pages = own.pages[:2]
    move(own.url, *PAGES)
    number = own.pages[0]["edit"]["id"]
    with move.store.connection():
        pages.update(move.store, number, {"title_raw": "Same", "title_rendered": "Same"})
    change(own, number, title={"raw": "Same"}, modified="2026-11-11T11:11:11")
    for _ in range(2):
        assert move(own.url, *PAGES).exit_code == 0
        assert move.report["counts"]["page"] == {"unchanged": 2}
    change(own, number, title={"raw": "There"})
    move(own.url, *PAGES)
    assert move.report["counts"]["page"] == {"updated": 1, "unchanged": 1}


def test_what_was_deleted_there_is_listed_and_follows_where_that_is_wanted(
    own: Any, move: Any
) -> None:
    own.pages = own.pages[:12]
    move(own.url, "--probe", "0")
    with move.store.connection():
        pages.update(move.store, 5, {"title_raw": "Here", "title_rendered": "Here"})
    for number in (4, 5):
        without(own, number)
    own.feeds = [feed for feed in own.feeds if feed["id"] != "2"]
    move(own.url, "--probe", "0")
    gone = [{"resource": "page", "id": 4}, {"resource": "page", "id": 5}]
    assert move.report["gone_there"] == [*gone, {"resource": "feed", "id": 2}]
    move(own.url, "--probe", "0", "--delete")
    assert move.report["deleted"] == [
        {"resource": "page", "id": 4, "why": []}, {"resource": "feed", "id": 2, "why": []},
    ]  # fmt: skip
    here = {(row["resource"], row["id"]) for row in move.rows()}
    assert ("page", 5) in here
    assert here.isdisjoint({("page", 4), ("feed", 2)})
    assert move.report["conflicts"][0]["why"][0]["code"] == "deleted-there"


def test_a_page_that_is_only_hidden_is_not_taken_for_deleted(site: Any, move: Any) -> None:
    move(f"{site.url}/ok", *PAGES)
    move(f"{site.url}/ok", *PAGES, "--delete", user="mig")
    assert (move.report["gone_there"], move.report["deleted"]) == ([], [])
    assert move.row("page", 3)["slug"] == "privacy"


def test_a_404_of_something_in_front_of_the_site_deletes_nothing(own: Any, move: Any) -> None:
    own.pages = own.pages[:12]
    move(own.url, "--probe", "0")
    before = move.rows()
    for page in own.pages[:2]:
        page["editors"] = []
    without(own, own.pages[2]["edit"]["id"])
    own.front = lambda rest: (
        (404, {}, "<html>nginx</html>") if re.search(r"/(pages|feeds)/\d+", rest) else None
    )
    move(own.url, "--probe", "0", "--delete")
    assert (move.report["gone_there"], move.report["deleted"]) == ([], [])
    assert move.rows() == before


def test_a_page_of_somebody_else_is_not_written_over(own: Any, move: Any) -> None:
    with move.store.connection():
        for _ in range(4):
            pages.create(move.store, PAGE)
        feeds.create(move.store, {"form_id": 1, "addon_slug": "a", "meta": {"mine": "1"}})
    move(own.url, "--probe", "0")
    assert [(row["resource"], row["id"]) for row in move.report["conflicts"]] == [
        ("page", 2), ("page", 3), ("page", 4), ("feed", 1),
    ]  # fmt: skip
    assert move.row("feed", 1)["meta"] == {"mine": "1"}
    move(own.url, "--probe", "0", "--force")
    assert differences(move.rows(), ["page"]) == ["page 1 is too much"]


def test_with_ids_of_their_own_pages_go_beside_others(own: Any, move: Any) -> None:
    with move.store.connection():
        for _ in range(3):
            pages.create(move.store, PAGE)
    move(own.url, "--probe", "0", "--new-ids")
    assert move.report["counts"]["page"]["created"] == 126
    ids = [row["id"] for row in move.rows() if row["resource"] == "page"]
    assert ids == list(range(1, 130))
    move(own.url, "--probe", "0", "--new-ids")
    assert move.report["counts"]["page"] == {"unchanged": 126, "left-out": 3}
    with move.store.connection():
        assert pages.create(move.store, PAGE)["id"] == 130


def test_a_dry_run_says_the_same_and_writes_nothing(own: Any, move: Any) -> None:
    own.pages = own.pages[:12]
    result = move(own.url, "--probe", "0", "--dry-run")
    dry = move.report
    assert (move.rows(), result.exit_code) == ([], 3)
    assert "12 would be created" in result.output
    move(own.url, "--probe", "0")
    assert dry["counts"] == move.report["counts"]
    assert [note["ids"] for note in dry["notes"]] == [note["ids"] for note in move.report["notes"]]


def test_forms_and_meta_are_mapped(own: Any, move: Any) -> None:
    mapped = ("--map-form", "3=17", "--meta", "language=meta.gallery", "--meta", "ends_at=const:x")
    move(own.url, "--probe", "0", *mapped)
    page = move.row("page", 226)["meta"]
    assert (page["form_id"], page["language"], page["ends_at"]) == ("17", [21, 22], "x")
    assert move.row("feed", 26)["form_id"] == 17


def test_a_slug_that_is_free_again_is_given_back(own: Any, move: Any) -> None:
    move(own.url, *PAGES)
    assert move.row("page", 280)["slug"] == "spain-2"
    change(own, 182, slug="spanien")
    move(own.url, *PAGES)
    assert move.row("page", 182)["slug"] == "spanien"
    move(own.url, *PAGES)
    assert move.row("page", 280)["slug"] == "spain"


@pytest.mark.parametrize(
    ("there", "here"), [("promo-2027", "promo-2028"), ("win", "win-2"), ("win", "wi-2")]
)
def test_a_slug_that_was_changed_here_stays_though_it_ends_with_a_number(
    own: Any, move: Any, there: str, here: str
) -> None:
    own.pages = own.pages[:1]
    number = own.pages[0]["edit"]["id"]
    change(own, number, slug=there)
    move(own.url, *PAGES)
    # Whoever changes nothing else leaves the modification date as it was.
    with move.store.connection(), move.store.transaction() as db:
        Page.update(slug=here).where(Page.id == number).execute(db)
    for outcome in ("kept", "conflict"):
        move(own.url, *PAGES)
        assert move.row("page", number)["slug"] == here
        assert move.report["counts"]["page"] == {outcome: 1}
        change(own, number, title={"raw": "Changed"})


def test_other_selections_delete_and_miss_nothing(own: Any, move: Any) -> None:
    move(own.url, *PAGES, "--status", "draft")
    assert {row["status"] for row in move.rows()} == {"draft"}
    move(own.url, *PAGES, "--since", "2029-01-01T00:00:00", "--delete")
    assert (move.report["deleted"], move.report["gone_there"]) == ([], [])
    assert len(move.rows()) == 16 + move.report["counts"]["page"]["created"]


# MOVING_KILLS=20 kills as often, each at a moment of its own.
KILLS = int(os.environ.get("MOVING_KILLS", "2"))


@pytest.mark.servers
def test_after_kills_the_same_command_goes_on(stand_in: Any, move: Any) -> None:
    """The end is that of one that nobody disturbed, and what was stored is not asked again."""
    chance = random.Random(KILLS)
    with stand_in(SITE, mode="ten") as site:
        for turn in range(KILLS):
            started, before = move.start(site.url, "--probe", "80"), len(site.requests)
            # The first of them is late enough for something to be stored.
            after = before + chance.randrange(5 if turn else 40, 60)
            until = time.monotonic() + 30
            while len(site.requests) < after and started.poll() is None:
                assert time.monotonic() < until
                time.sleep(0.001)
            os.kill(started.pid, signal.SIGKILL)
            started.communicate()
        stored = len(move.rows())
        done = len(site.requests)
        move(site.url, "--probe", "80")
        again = [one for one in site.requests[done:] if "offset=0" in one["path"]]
    assert differences(move.rows()) == []
    # An import that nobody came in time to kill is followed by one that finds all of it there.
    counts = move.report["counts"]["page"]
    assert counts in ({"created": 126, "left-out": 3}, {"unchanged": 126, "left-out": 3})
    assert stored
    # The first part of each list was stored long ago; others look for what is new.
    assert not [one for one in again if "content" in one["path"] and "order=asc" in one["path"]
                and "modified_after" not in one["path"]]  # fmt: skip
    assert list(verify.find_problems(move.store)) == []
