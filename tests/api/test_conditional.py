"""Conditional requests: a tag for each version of each answer, and no write over another's."""

import re
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from applications import Client
from conftest import Start, basic

PAGE, FEED = "/pages/1", "/feeds/1"
READS = [PAGE, f"{PAGE}?context=edit", "/pages", "/pages?context=edit", FEED, "/feeds"]
READS += ["/forms/1/feeds", "/pages?search=page"]
FEED_BODY = {"form_id": 1, "addon_slug": "mailer", "meta": {"a": "b"}}
WRITES: dict[str, Any] = {
    f"PUT {PAGE}": {"title": "New"}, f"PATCH {PAGE}": {"title": "New"},
    f"POST {PAGE}": {"title": "New"}, f"DELETE {PAGE}": None, f"DELETE {PAGE}?force=true": None,
    f"PUT {FEED}": FEED_BODY, f"PATCH {FEED}": {"feed_order": 5},
    f"PUT {FEED}/properties": {"feed_order": 5}, f"DELETE {FEED}": None,
}  # fmt: skip


@pytest.fixture(autouse=True)
def resources(client: Client) -> None:
    client.page(content="Inside")
    client.feed()


def tag(client: Client, path: str, **headers: str) -> str:
    answer = client.get(path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    assert answer.status_code == 200, answer.text
    found = answer.headers["ETag"]
    assert re.fullmatch(r'"[\w.]+"', found)
    return found


def write(client: Client, line: str, if_match: str | None) -> Any:
    method, path = line.split()
    headers = {} if if_match is None else {"If-Match": if_match}
    body = WRITES[line.replace("/99", "/1")]
    return client.open(path, method=method, json=body, headers=headers)


def everything(client: Client) -> list[Any]:
    return [client.get(path).get_json() for path in ("/pages?context=edit", "/feeds")]


def test_a_matching_if_none_match_is_a_304(client: Client) -> None:
    for path in READS:
        current = tag(client, path)
        held = [current, f'"x", {current}', f"W/{current}", "*", f'W/"y" ,{current},"z"']
        for named in (*held, '"x"', "", f'{current[:-1]}x"', '"*"'):
            for method in ("GET", "HEAD"):
                answer = client.open(path, method=method, headers={"If-None-Match": named})
                assert answer.status_code == (304 if named in held else 200)
                assert answer.headers["ETag"] == current
                assert named not in held or (answer.data, answer.content_type) == (b"", None)


def test_every_variant_has_a_tag_of_its_own(client: Client) -> None:
    for path in READS:
        question = "&" if "?" in path else "?"
        tags = [
            tag(client, path),
            tag(client, f"{path}{question}_fields=id"),
            tag(client, f"{path}{question}_fields=id,link"),
            tag(client, path, Host="other.example"),
        ]
        if path.startswith("/pages"):
            tags.append(tag(client, f"{path}{question}context=embed"))
        assert len(set(tags)) == len(tags), path


def test_a_password_opens_another_answer_with_another_tag(client: Client) -> None:
    client.put(PAGE, json={"password": "sesame"})
    closed, opened = (
        tag(client.anonymous, PAGE),
        tag(client.anonymous, PAGE, X_Page_Password="sesame"),
    )
    assert closed != opened
    again = client.anonymous.get(PAGE, headers={"If-None-Match": opened})
    assert (again.status_code, again.get_json()["content"]["rendered"]) == (200, "")
    wrong = {"If-None-Match": closed, "X-Page-Password": "wrong"}
    assert client.anonymous.get(PAGE, headers=wrong).status_code == 403
    right = {"If-None-Match": opened, "X-Page-Password": "sesame"}
    assert client.anonymous.get(PAGE, headers=right).status_code == 304


def test_a_tag_opens_nothing_to_an_anonymous_caller(client: Client) -> None:
    for path in (f"{PAGE}?context=edit", FEED, "/feeds", "/pages?context=edit"):
        for named in (tag(client, path), "*"):
            assert client.anonymous.get(path, headers={"If-None-Match": named}).status_code == 401
    client.put(PAGE, json={"status": "draft"})
    assert client.anonymous.get(PAGE, headers={"If-None-Match": "*"}).status_code == 401
    assert client.anonymous.get("/pages/99", headers={"If-None-Match": "*"}).status_code == 404


@pytest.mark.parametrize("line", WRITES)
def test_a_write_by_anybody_changes_the_tags(client: Client, line: str) -> None:
    paths = [path for path in READS if ("feeds" in path) == ("feeds" in line)]
    before = {path: tag(client, path) for path in paths}
    others = {path: tag(client, path) for path in READS if path not in paths}
    assert write(client, line, None).status_code == 200
    for path, old in before.items():
        answer = client.get(path, headers={"If-None-Match": old})
        assert answer.status_code in (200, 404), path
        assert answer.headers.get("ETag") != old
    assert {path: tag(client, path) for path in others} == others


@pytest.mark.parametrize("line", WRITES)
def test_only_a_write_with_the_current_tag_strong_or_weakened_by_a_proxy_changes_anything(
    client: Client, line: str
) -> None:
    path, other = (PAGE, FEED) if "pages" in line else (FEED, PAGE)
    stale = tag(client, path)
    body = {"title": "Newer"} if path == PAGE else {"feed_order": 3}
    assert client.patch(path, json=body).status_code == 200
    before, current = everything(client), tag(client, path)
    number = current.split(".")[1]
    foreign = f'{tag(client, other).split(".")[0]}.{number}.x"'
    listed = f'{tag(client, "/pages").split(".")[0]}.{number}.x"'
    for named in (stale, f"W/{stale}", foreign, listed, "", "x", '"', '"*"', '"1.2"', number):
        refused = write(client, line, named)
        assert refused.status_code == 412, named
        assert refused.get_json()["code"] == "rest_precondition_failed"
    assert everything(client) == before
    assert write(client, line, f"{stale}, W/{current}").status_code == 200


@pytest.mark.parametrize("line", WRITES)
def test_if_match_with_a_star_matches_any_version(client: Client, line: str) -> None:
    assert write(client, line, "*").status_code == 200
    assert write(client, line.replace("/1", "/99"), "*").status_code == 404


@pytest.mark.settings(REQUIRE_IF_MATCH=True)
@pytest.mark.parametrize("line", [f"PATCH {PAGE}", f"DELETE {PAGE}?force=true", f"PUT {FEED}"])
def test_if_match_can_be_made_mandatory(client: Client, line: str) -> None:
    assert write(client.anonymous, line, None).status_code == 401
    before = everything(client)
    refused = write(client, line, None)
    assert (refused.status_code, refused.get_json()["code"]) == (428, "rest_precondition_required")
    assert everything(client) == before
    assert client.post("/pages", json={"title": "Creates are free"}).status_code == 201
    assert write(client, line, tag(client, PAGE if "pages" in line else FEED)).status_code == 200


def test_last_modified_is_when_it_was_last_written(client: Client) -> None:
    page = client.get(PAGE)
    assert parsedate_to_datetime(page.headers["Last-Modified"]).isoformat() == (
        page.get_json()["modified"] + "+00:00"
    )
    assert parsedate_to_datetime(client.get(FEED).headers["Last-Modified"])
    assert "Last-Modified" in client.put(PAGE, json={"title": "New"}).headers


def test_of_two_writers_with_the_same_tag_exactly_one_wins(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="4")
    server.call("POST", "/pages", {"title": "A"})

    def put(writer: int, current: str) -> int:
        headers = {**basic(), "Content-Type": "application/json", "If-Match": current}
        return server.send("PUT", PAGE, headers, b'{"title": "by %d"}' % writer)[0]

    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            current = dict(server.send("GET", PAGE, {}, None)[1])["ETag"]
            statuses = list(pool.map(lambda writer, c=current: put(writer, c), range(8)))
            assert sorted(statuses) == [200] + [412] * 7
