"""Import a recorded site that behaves in different ways."""

from typing import Any

import pytest
from comparing import differences, expected
from moving_in import PAGES, move, recorded_site, server

# The message for each mode and user for whom nothing can be imported.
REFUSED = [
    ("maintenance", "admin", "asks to come back in 600 seconds"),
    ("challenge", "admin", "A firewall or a challenge stands in front of the site"),
    ("challenge200", "admin", "a page of HTML instead of JSON: 'Who are you?'"),
    ("empty", "admin", "with an empty body"),
    ("loop", "admin", "redirects more than 5 times"),
    ("away", "admin", "credentials are sent to no other host"),
    ("restoff", "admin", "(rest_disabled). A plugin or the server has turned the REST API off"),
    ("noapppass", "admin", "application passwords are not available"),
    ("stripauth", "admin", "removes the header Authorization"),
    ("ok", "own", "hidden from own"),
    ("ok", "sub", "sub may not read them (rest_forbidden_context)"),
    ("ok", "wrong", "does not recognize the user (invalid_username)"),
    ("gfoff", "wrong", "does not recognize the user"),
    ("gfoff", "sub", "Gravity Forms' REST API is not there"),
]
# Modes with the result of mode ok; in the last three some requests fail and are repeated.
MODES = "plain prefix subdir/blog redirect bom trailing debug restlogin ten 429 cut reset".split()

pytestmark = pytest.mark.sqlite("what a site does has nothing to do with the engine")


@pytest.mark.parametrize("mode", ["ok", "crash"])
def test_pages_are_imported_exactly_and_losses_are_reported(
    recorded_site: Any, move: Any, mode: str
) -> None:
    before = len(recorded_site.requests)
    result = move(f"{recorded_site.url}/{mode}", *PAGES)
    assert differences(move.rows(), ["page"]) == []
    assert result.exit_code == 3, result.output
    lost = {row["id"] for row in expected()["not_importable"] if row["resource"] == "page"}
    assert {row["id"] for row in move.report["left_out"]} == lost
    requests = recorded_site.requests[before:]
    assert {request["method"] for request in requests} == {"GET"}
    assert not [request for request in requests if "rendered" in request["path"]]
    noted: dict[str, list[int]] = {}
    for note in move.report["notes"]:
        noted.setdefault(note["code"], []).extend(note["ids"])
    assert {name: noted[f"lost {name}"] for name in expected()["lost"]} == expected()["lost"]
    for page in expected()["pages"]:
        assert [code for code in page.get("warn", []) if page["id"] not in noted[code]] == []


@pytest.mark.parametrize("mode", MODES)
def test_drafts_are_imported_exactly_in_each_mode(recorded_site: Any, move: Any, mode: str) -> None:
    before = len(recorded_site.requests)
    result = move(f"{recorded_site.url}/{mode}", *PAGES, "--status", "draft")
    pages = expected()["pages"]
    others = {page["id"] for page in pages if page["stored"]["status"] != "draft"}
    texts = differences(move.rows(), ["page"], hidden=others)
    assert [text for text in texts if not text.startswith("none of")] == []
    assert move.rows(), result.output
    assert {request["method"] for request in recorded_site.requests[before:]} == {"GET"}


# Where their addresses are others; what goes wrong on the way does so for drafts too.
@pytest.mark.parametrize("mode", [*MODES[:3], "503", "https", "restoff"])
def test_forms_are_imported_from_each_address(recorded_site: Any, move: Any, mode: str) -> None:
    pytest.importorskip("landform.parts.leads")
    # Where form 7 would be, Gravity Forms answers 500 (gf_not_found), as recorded.
    result = move(f"{recorded_site.url}/{mode}", "--only", "forms", "--probe", "3")
    assert result.exit_code == 0, result.output
    assert move.report["counts"] == {"form": {"created": 6}}


def test_feeds_are_imported_exactly(recorded_site: Any, move: Any) -> None:
    result = move(f"{recorded_site.url}/plain", "--probe", "80", "--only", "feeds")
    assert differences(move.rows(), ["feed"]) == []
    assert {row["id"] for row in move.report["left_out"]} == set(range(57, 65))
    assert "found so" in result.output


@pytest.mark.parametrize(("mode", "user", "reason"), REFUSED)
def test_the_reason_why_nothing_can_be_read_is_shown(
    recorded_site: Any, move: Any, mode: str, user: str, reason: str
) -> None:
    before = len(recorded_site.requests)
    result = move(f"{recorded_site.url}/{mode}", user=user)
    assert (result.exit_code, move.rows()) == (2, []), result.output
    assert result.output.count(reason) == 1
    assert "Nothing was imported." in result.output
    requests = recorded_site.requests[before:]
    others = [request for request in requests if not request["host"].startswith("127.")]
    assert bool(others) == (mode == "away")
    # Credentials are sent to no other host.
    assert not any(request["credentials"] for request in others)


def test_without_gravity_forms_only_pages_are_imported(recorded_site: Any, move: Any) -> None:
    result = move(f"{recorded_site.url}/gfoff", "--status", "draft")
    assert result.exit_code == 1
    assert "Gravity Forms' REST API is not there" in result.output
    assert {row["resource"] for row in move.rows()} == {"page"}


def test_meta_is_read_from_acf(recorded_site: Any, move: Any) -> None:
    move(f"{recorded_site.url}/acf", *PAGES)
    assert not [code for code in move.codes() if "meta-missing" in code]
    # Pages that are read twice, as changed ones are, count once.
    read = move.report["counts"]["page"]["created"]
    assert move.report["meta"]["starts_at"] == {"acf.starts_at": read}
    meta = {row["id"]: row["meta"] for row in move.rows()}
    assert (meta[9]["form_id"], meta[9]["gallery"]) == ("0", [11, 12, 13])
    assert meta[226]["viral_share"] == ["facebook"]
    assert {page["starts_at"] for page in meta.values()} >= {"", "20260701"}


def test_meta_that_the_site_no_longer_shows_stays_and_is_reported(
    recorded_site: Any, move: Any
) -> None:
    recorded_site.pages = recorded_site.pages[:12]
    move(recorded_site.url, *PAGES)
    before = [row["meta"] for row in move.rows()]
    recorded_site.mode = "nometa"
    result = move(recorded_site.url, *PAGES, "--force")
    assert [row["meta"] for row in move.rows()] == before
    assert len([code for code in move.codes() if "meta-missing" in code]) == 7
    assert "the site shows no field for starts_at" in result.output


def test_pages_that_are_created_during_an_import_are_imported(
    recorded_site: Any, move: Any
) -> None:
    recorded_site.mode = "moving"
    result = move(recorded_site.url, *PAGES)
    assert differences(move.rows(), ["page"]) == ["page 2 is missing", "page 284 is too much"]
    assert move.row("page", 284)["slug"] == "created-meanwhile"
    assert "Pages were created or deleted there meanwhile" in result.output


def test_a_user_may_read_only_pages_or_only_feeds(recorded_site: Any, move: Any) -> None:
    result = move(recorded_site.url, user="forms")
    assert result.exit_code == 1
    assert "No pages were read: forms may not read them" in result.output
    assert move.report["counts"]["feed"] == {"created": 31, "left-out": 8}
    assert "page" not in move.report["counts"]
    result = move(recorded_site.url, "--status", "draft", user="ana")
    assert "ana may not read them (rest_forbidden)" in result.output
    assert move.report["counts"].keys() == {"page"}


def test_the_key_of_gravity_forms_reads_feeds(recorded_site: Any, move: Any) -> None:
    environment = {"LANDFORM_WORDPRESS_PASSWORD": "cs_standin"}
    move.environment = lambda _: {"LANDFORM_DATABASE_URL": move.store.url, **environment}
    move(f"{recorded_site.url}/https", "--only", "feeds", user="ck_standin")
    assert move.report["counts"] == {"feed": {"created": 31, "left-out": 8}}
