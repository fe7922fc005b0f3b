"""Whatever goes wrong on the way, an import ends as it should, or says why and changes nothing."""

from typing import Any

import pytest
from comparing import SITE, differences, expected
from moving_in import move, site, stand_in

# As few requests as show it.
NEAR = ("--probe", "0")
# What each mode has to say where nothing can be imported.
REFUSED = {
    "maintenance": "asks to come back in 600 seconds",
    "challenge": "A firewall or a challenge stands in front of the site",
    "challenge200": "a page of HTML instead of JSON: 'Who are you?'",
    "empty": "with an empty body",
    "loop": "redirects to itself",
    "away": "credentials are sent to no other host",
    "restoff": "(rest_disabled). A plugin or the server has turned the REST API off",
    "noapppass": "application passwords are not available",
    "stripauth": "removes the header Authorization",
}
# The modes in which the import is as in mode ok: with all pages where what is asked for differs.
# In the last three what fails is asked again, and no half is kept.
SAME = "ok ten crash 429 cut reset".split()
DRAFTS = "plain prefix subdir/blog redirect bom trailing debug restlogin".split()


pytestmark = pytest.mark.sqlite("what a site does has nothing to do with the engine")


@pytest.mark.parametrize("mode", SAME)
def test_pages_are_imported_exactly_and_everything_lost_is_said(
    site: Any, move: Any, mode: str
) -> None:
    result = move(f"{site.url}/{mode}", *NEAR, "--only", "pages")
    assert differences(move.rows(), ["page"]) == []
    assert result.exit_code == 3, result.output
    left_out = {row["id"] for row in move.report["left_out"]}
    assert left_out == {
        one["id"] for one in expected()["not_importable"] if one["resource"] == "page"
    }
    asked = [one for one in site.requests if one["mode"] == mode]
    assert {one["method"] for one in asked} == {"GET"}
    assert all("rendered" not in one["path"] for one in asked)
    told: dict[str, list[int]] = {}
    for note in move.report["notes"]:
        told.setdefault(note["code"], []).extend(note["ids"])
    assert {name: told[f"lost {name}"] for name in expected()["lost"]} == expected()["lost"]
    warned = [(page["id"], code) for page in expected()["pages"] for code in page.get("warn", [])]
    assert [(number, code) for number, code in warned if number not in told[code]] == []


@pytest.mark.parametrize("mode", DRAFTS)
def test_drafts_are_imported_exactly(site: Any, move: Any, mode: str) -> None:
    result = move(f"{site.url}/{mode}", "--only", "pages", "--status", "draft")
    pages = expected()["pages"]
    others = {one["id"] for one in pages if one["stored"]["status"] != "draft"}
    told = differences(move.rows(), ["page"], hidden=others)
    assert [text for text in told if not text.startswith("none of")] == []
    assert move.rows(), result.output
    asked = [one for one in site.requests if one["mode"] == mode.partition("/")[0]]
    assert {one["method"] for one in asked} == {"GET"}


def test_feeds_are_imported_exactly(site: Any, move: Any) -> None:
    result = move(f"{site.url}/plain", "--probe", "80", "--only", "feeds")
    assert differences(move.rows(), ["feed"]) == []
    left_out = {row["id"] for row in move.report["left_out"]}
    assert left_out == set(range(57, 65))
    assert "found so" in result.output


@pytest.mark.parametrize("mode", REFUSED)
def test_a_site_that_cannot_be_read_is_named_with_the_reason(
    site: Any, move: Any, mode: str
) -> None:
    result = move(f"{site.url}/{mode}", *NEAR)
    assert result.exit_code == 2, result.output
    assert REFUSED[mode] in result.output
    assert "Nothing was imported." in result.output
    assert move.rows() == []


def test_credentials_go_to_no_other_host(stand_in: Any, move: Any) -> None:
    with stand_in(SITE, mode="away") as site:
        move(site.url)
        strangers = [one for one in site.requests if not one["host"].startswith("127.")]
    assert strangers
    assert not any(one["credentials"] for one in strangers)


def test_without_gravity_forms_pages_are_imported_and_feeds_are_missed(
    site: Any, move: Any
) -> None:
    result = move(f"{site.url}/gfoff")
    assert result.exit_code == 1
    assert "Gravity Forms' REST API is not there" in result.output
    assert move.report["counts"]["page"]["created"] == 126
    assert not [row for row in move.rows() if row["resource"] == "feed"]


@pytest.mark.parametrize("mode", ["nometa", "acf"])
def test_empty_meta_is_never_stored_in_silence(site: Any, move: Any, mode: str) -> None:
    result = move(f"{site.url}/{mode}", *NEAR, "--only", "pages")
    missing = {note["code"] for note in move.report["notes"] if "meta-missing" in note["code"]}
    if mode == "nometa":
        assert len(missing) == 7
        assert "the site shows no field for starts_at" in result.output
        return
    assert not missing
    assert list(move.report["meta"]["starts_at"]) == ["acf.starts_at"]
    page = move.row("page", 9)["meta"]
    assert (page["form_id"], page["gallery"]) == ("0", [11, 12, 13])
    assert move.row("page", 226)["meta"]["viral_share"] == ["facebook"]
    assert {row["meta"]["starts_at"] for row in move.rows()} >= {"", "20260701"}


def test_meta_that_the_site_no_longer_shows_stays(site: Any, move: Any) -> None:
    address = f"{site.url}/ok"
    move(address, *NEAR, "--only", "pages")
    before = move.row("page", 9)
    site.mode = "nometa"
    try:
        # The same site, now without its fields.
        move(site.url, *NEAR, "--only", "pages", "--force")
    finally:
        site.mode = "ok"
    assert move.row("page", 9)["meta"] == before["meta"]


def test_what_moves_on_the_way_is_not_missed(stand_in: Any, move: Any) -> None:
    with stand_in(SITE, mode="moving") as site:
        result = move(site.url, *NEAR, "--only", "pages")
    assert differences(move.rows(), ["page"]) == ["page 2 is missing", "page 284 is too much"]
    assert move.row("page", 284)["slug"] == "created-meanwhile"
    assert "Pages were created or deleted there meanwhile" in result.output


USERS = {
    "own": "hidden from own",
    "sub": "sub may not edit pages (rest_forbidden_context)",
    "wrong": "does not recognize the user (invalid_username)",
    "gfoff": "does not recognize the user",
}


@pytest.mark.parametrize("user", USERS)
def test_a_user_who_may_read_nothing_is_told_why(site: Any, move: Any, user: str) -> None:
    mode, name = ("gfoff", "wrong") if user == "gfoff" else ("ok", user)
    result = move(f"{site.url}/{mode}", *NEAR, user=name)
    assert (result.exit_code, move.rows()) == (2, []), result.output
    assert USERS[user] in result.output


def test_pages_that_are_hidden_are_counted(site: Any, move: Any) -> None:
    result = move(f"{site.url}/ok", "--only", "pages", user="mig")
    assert differences(move.rows(), ["page"], hidden=[3]) == []
    assert move.report["hidden_pages"] == 1
    assert "1 of 129 pages are hidden from mig" in result.output


def test_a_user_of_one_resource_gets_that_one(site: Any, move: Any) -> None:
    result = move(f"{site.url}/ok", *NEAR, user="forms")
    assert result.exit_code == 1
    assert "forms may not edit pages" in result.output
    assert move.report["counts"] == {"feed": {"created": 31, "left-out": 8}}
    result = move(f"{site.url}/ok", *NEAR, user="ana")
    assert "ana may not read them (rest_forbidden)" in result.output
    assert move.report["counts"]["page"]["created"] == 125


def test_the_key_of_gravity_forms_reads_feeds(site: Any, move: Any) -> None:
    environment = {"LANDFORM_WORDPRESS_PASSWORD": "cs_standin"}
    move.environment = lambda _: {"LANDFORM_DATABASE_URL": move.store.url, **environment}
    move(f"{site.url}/https", *NEAR, "--only", "feeds", user="ck_standin")
    assert move.report["counts"] == {"feed": {"created": 31, "left-out": 8}}
