"""Repeated imports: what each further one writes."""

import csv
import os
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from comparing import differences
from conftest import PAGE
from moving_in import PAGES, move, recorded_site, server, small_site

from landform.storage import events, feeds, pages
from landform.storage.maintenance import verify
from landform.storage.models import Page


@pytest.fixture
def short_site(recorded_site: Any) -> Any:
    """The first twelve pages of the recorded site, and its feeds."""
    recorded_site.pages = recorded_site.pages[:12]
    return recorded_site


def change(site: Any, number: int, **columns: Any) -> None:
    page = next(page for page in site.pages if page["edit"]["id"] == number)
    page["edit"].update(columns)


def delete(site: Any, number: int) -> None:
    site.pages = [page for page in site.pages if page["edit"]["id"] != number]


def edit(move: Any, number: int, title: str = "Here") -> None:
    with move.store.connection():
        pages.update(move.store, number, {"title_raw": title, "title_rendered": title})


def test_the_second_import_writes_nothing_and_reports_the_same(
    recorded_site: Any, move: Any, tmp_path: Path
) -> None:
    file, home = tmp_path / "redirects.csv", recorded_site.url
    first = move(home, "--redirects", str(file))
    # Pages below their parents, or from the trash; the others stay at their addresses.
    old, new = zip(*csv.reader(file.read_text().splitlines()), strict=True)
    assert (len(old), len({*old}), old[0]) == (11, 11, "old")
    assert dict(zip(old, new, strict=True))[f"{home}/spain/win/"] == "/win/"
    assert not [link for link, target in zip(old, new, strict=True) if link == home + target]
    before, notes = move.rows(), move.report["notes"]
    second = move(home)
    assert move.rows() == before
    counts = {name: move.report["counts"][name] for name in ("page", "feed")}
    assert counts == {
        "page": {"unchanged": 126, "left-out": 3}, "feed": {"unchanged": 31, "left-out": 8},
    }  # fmt: skip
    assert move.report["notes"] == notes
    assert (first.exit_code, second.exit_code) == (3, 0)
    with move.store.connection():
        told = [event["type"] for event in events.read(move.store, 0)[0]]
    assert told == ["store.imported"]
    assert list(verify.find_problems(move.store)) == []


def test_changes_there_are_written_but_not_over_changes_here(short_site: Any, move: Any) -> None:
    move(short_site.url, *PAGES)
    edit(move, 5)
    edit(move, 6)
    with move.store.connection():
        pages.delete(move.store, 8)
        pages.delete(move.store, 9)
    for number in (4, 6, 8):
        change(short_site, number, title={"raw": "There"}, menu_order=3)
    result = move(short_site.url, *PAGES)
    titles = {row["id"]: row["title_raw"] for row in move.rows()}
    assert [titles[number] for number in (4, 5, 6)] == ["There", "Here", "Here"]
    assert move.report["counts"]["page"]["updated"] == 1
    assert [row["id"] for row in move.report["conflicts"]] == [6, 8]
    assert [row["id"] for row in move.report["kept"]] == [5, 9]
    assert "conflict: page 6 was changed here since the last import\n" in result.output
    assert "kept: page 9 was deleted here" in result.output
    again = move(short_site.url, *PAGES)
    assert [row["id"] for row in move.report["conflicts"]] == [6, 8]
    # A conflict counts in each import.
    assert (result.exit_code, again.exit_code) == (3, 3)
    move(short_site.url, *PAGES, "--force")
    titles = {row["id"]: row["title_raw"] for row in move.rows()}
    assert [titles[number] for number in (4, 6, 8)] == ["There"] * 3
    assert (titles[5] == "Here", 9 in titles) == (False, True)
    assert move.report["counts"]["page"]["created"] == 2


def test_the_same_change_on_both_sides_is_no_conflict(small_site: Any, move: Any) -> None:
    small_site.pages = small_site.pages[:2]
    move(small_site.url)
    edit(move, 1, "Same")
    change(small_site, 1, title={"raw": "Same"}, modified="2026-11-11T11:11:11")
    for _ in range(2):
        assert move(small_site.url).exit_code == 0
        assert move.report["counts"]["page"] == {"unchanged": 2}
    change(small_site, 1, title={"raw": "There"})
    move(small_site.url)
    assert move.report["counts"]["page"] == {"updated": 1, "unchanged": 1}


def test_rows_that_were_deleted_there_are_listed_and_deleted_on_request(
    short_site: Any, move: Any
) -> None:
    move(short_site.url)
    edit(move, 5)
    for number in (4, 5):
        delete(short_site, number)
    short_site.feeds = [feed for feed in short_site.feeds if feed["id"] != "2"]
    move(short_site.url)
    deleted_there = [{"resource": "page", "id": 4}, {"resource": "page", "id": 5}]
    assert move.report["gone_there"] == [*deleted_there, {"resource": "feed", "id": 2}]
    move(short_site.url, "--delete")
    assert move.report["deleted"] == [
        {"resource": "page", "id": 4, "why": []}, {"resource": "feed", "id": 2, "why": []},
    ]  # fmt: skip
    keys = {(row["resource"], row["id"]) for row in move.rows()}
    assert ("page", 5) in keys
    assert keys.isdisjoint({("page", 4), ("feed", 2)})
    assert move.report["conflicts"][0]["why"][0]["code"] == "deleted-there"


def test_a_hidden_page_does_not_count_as_deleted(short_site: Any, move: Any) -> None:
    move(short_site.url, *PAGES)
    result = move(short_site.url, *PAGES, "--delete", user="mig")
    assert move.report["hidden_pages"] == 1
    assert "1 of 12 pages are hidden from mig" in result.output
    assert (move.report["gone_there"], move.report["deleted"]) == ([], [])
    assert move.row("page", 3)["slug"] == "privacy"


def test_a_404_from_a_proxy_does_not_count_as_deleted(short_site: Any, move: Any) -> None:
    move(short_site.url)
    before = move.rows()
    for page in short_site.pages[:2]:
        page["editors"] = []
    delete(short_site, short_site.pages[2]["edit"]["id"])
    not_found = (404, {}, "<html>nginx</html>")
    short_site.front = lambda path: not_found if re.search(r"/(pages|feeds)/\d+", path) else None
    move(short_site.url, "--delete")
    assert (move.report["gone_there"], move.report["deleted"]) == ([], [])
    assert move.rows() == before


def test_rows_of_another_origin_are_not_overwritten(short_site: Any, move: Any) -> None:
    with move.store.connection():
        for _ in range(4):
            pages.create(move.store, PAGE)
        feeds.create(move.store, {"form_id": 1, "addon_slug": "a", "meta": {"mine": "1"}})
    move(short_site.url)
    assert [(row["resource"], row["id"]) for row in move.report["conflicts"]] == [
        ("page", 2), ("page", 3), ("page", 4), ("feed", 1),
    ]  # fmt: skip
    assert move.row("feed", 1)["meta"] == {"mine": "1"}
    move(short_site.url, "--force")
    assert move.report["counts"]["page"]["updated"] == 3
    assert move.row("feed", 1)["meta"] != {"mine": "1"}


def test_rows_get_new_ids_on_request(short_site: Any, move: Any) -> None:
    with move.store.connection():
        for _ in range(3):
            pages.create(move.store, PAGE)
    move(short_site.url, "--new-ids")
    counts = move.report["counts"]["page"]
    ids = [row["id"] for row in move.rows() if row["resource"] == "page"]
    assert ids == list(range(1, 4 + counts["created"]))
    move(short_site.url, "--new-ids")
    assert move.report["counts"]["page"]["unchanged"] == counts["created"]
    with move.store.connection():
        assert pages.create(move.store, PAGE)["id"] == ids[-1] + 1


def test_a_dry_run_reports_the_same_and_writes_nothing(short_site: Any, move: Any) -> None:
    result = move(short_site.url, "--dry-run")
    dry = move.report
    assert (move.rows(), result.exit_code) == ([], 3)
    assert "12 would be created" in result.output
    move(short_site.url)
    assert dry["counts"] == move.report["counts"]
    assert [note["ids"] for note in dry["notes"]] == [note["ids"] for note in move.report["notes"]]


def test_forms_and_meta_are_mapped(recorded_site: Any, move: Any) -> None:
    recorded_site.pages = [page for page in recorded_site.pages if page["edit"]["id"] == 226]
    mapped = ("--map-form", "3=17", "--meta", "language=meta.gallery", "--meta", "ends_at=const:x")
    move(recorded_site.url, *mapped)
    page = move.row("page", 226)["meta"]
    assert (page["form_id"], page["language"], page["ends_at"]) == ("17", [21, 22], "x")
    assert move.row("feed", 26)["form_id"] == 17


def test_a_numbered_slug_loses_its_number_when_the_slug_is_free(small_site: Any, move: Any) -> None:
    for number in (1, 2):
        change(small_site, number, slug="spain")
    move(small_site.url)
    assert move.row("page", 2)["slug"] == "spain-2"
    change(small_site, 1, slug="spanien")
    move(small_site.url)
    assert move.row("page", 1)["slug"] == "spanien"
    move(small_site.url)
    assert move.row("page", 2)["slug"] == "spain"


@pytest.mark.parametrize(
    ("there", "here"), [("promo-2027", "promo-2028"), ("win", "win-2"), ("win", "wi-2")]
)
def test_a_slug_that_was_changed_here_stays_although_it_ends_with_a_number(
    small_site: Any, move: Any, there: str, here: str
) -> None:
    small_site.pages = small_site.pages[:1]
    change(small_site, 1, slug=there)
    move(small_site.url)
    # Without a new modification date.
    with move.store.connection(), move.store.transaction() as db:
        Page.update(slug=here).where(Page.id == 1).execute(db)
    for outcome in ("kept", "conflict"):
        move(small_site.url)
        assert move.row("page", 1)["slug"] == here
        assert move.report["counts"]["page"] == {outcome: 1}
        change(small_site, 1, title={"raw": "Changed"})


def test_selected_imports_delete_nothing(recorded_site: Any, move: Any) -> None:
    move(recorded_site.url, *PAGES, "--status", "draft")
    assert {row["status"] for row in move.rows()} == {"draft"}
    move(recorded_site.url, *PAGES, "--since", "2029-01-01T00:00:00", "--delete")
    assert (move.report["deleted"], move.report["gone_there"]) == ([], [])
    assert len(move.rows()) == 16 + move.report["counts"]["page"]["created"]


# The number of kills, each at a random time.
KILLS = int(os.environ.get("MOVING_KILLS", "2"))


@pytest.mark.servers
def test_a_killed_import_is_continued_by_the_same_command(recorded_site: Any, move: Any) -> None:
    """The result is that of an undisturbed import, and stored pages are not read again."""
    chance, site = random.Random(KILLS), recorded_site
    site.mode = "ten"
    for turn in range(KILLS):
        started, before = move.start(site.url, "--probe", "80"), len(site.requests)
        # The first kill is late enough for some pages to be stored.
        after = before + chance.randrange(5 if turn else 40, 60)
        deadline = time.monotonic() + 30
        while len(site.requests) < after and started.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        os.kill(started.pid, signal.SIGKILL)
        started.communicate()
    assert move.rows()
    before = len(site.requests)
    move(site.url, "--probe", "80")
    assert differences(move.rows()) == []
    # An import may end before it is killed.
    counts = move.report["counts"]["page"]
    assert counts in ({"created": 126, "left-out": 3}, {"unchanged": 126, "left-out": 3})
    # The first part of the list was stored before; later lists look for changes.
    paths = [request["path"] for request in site.requests[before:]]
    assert not [path for path in paths if "offset=0" in path and "content" in path
                and "order=asc" in path and "modified_after" not in path]  # fmt: skip
    assert list(verify.find_problems(move.store)) == []
