"""Batches: requests that write, each for itself, and all in one commit."""

import json
import re
from typing import Any

import pytest
from applications import Client
from conftest import SECRET, basic
from flask import Flask
from hypothesis import given, strategies
from part_tables import tables

from landform.parts import all_parts, modules_of
from landform.parts.batch import Batches
from landform.service import Identity, create_blueprint, page_created
from landform.service.pipeline.operations import all_routes
from landform.service.rendering import content

FEED = {"form_id": 3, "addon_slug": "mail", "meta": {"big": 2**70, "ü": [1.5, None]}}
WP = "/wp-json"


def batch(client: Client, *requests: Any, base: str = "", **options: Any) -> Any:
    answer = client.post(f"{base}/batch/v1", json={"requests": requests, **options})
    assert answer.status_code == 207, answer.text
    return answer.get_json()


def item(method: str, path: str, body: Any = None, **headers: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"method": method, "path": path, "headers": headers}
    return made if body is None else {**made, "body": body}


def statuses(answer: Any) -> list[int]:
    return [one["status"] for one in answer["responses"]]


@pytest.mark.parametrize("base", ["", WP])
def test_each_request_is_answered_as_if_it_were_alone(client: Client, base: str) -> None:
    alone, below = client.page(title="Alone"), "/wp/v2" if base else ""
    path, forms = f"{below}/pages", f"{base and '/gf/v2'}/forms/3/feeds"
    requests = [
        item("POST", path, {"title": "One", "unknown": 1}),
        item("PATCH", f"{path}/{alone['id']}?_fields=id,title.raw", {"title": "Two"}),
        item("DELETE", f"{path}/{alone['id']}"), item("POST", forms, FEED),
        item("POST", path, {"content": "no title"}), item("PUT", f"{path}/999", {"title": "Three"}),
        item("DELETE", f"{path}/x"), item("POST", f"{path}/{alone['id']}/nowhere", {}),
    ]  # fmt: skip
    found = batch(client, *requests, base=base)["responses"]
    assert [one["status"] for one in found] == [201, 200, 200, 201, 400, 404, 404, 404]
    assert found[0]["headers"]["X-Landform-Ignored"] == "unknown"
    assert found[0]["headers"]["Location"] == f"http://localhost{base}{path}/2"
    assert found[0]["body"]["link"] == client.get("/pages/2?context=edit").get_json()["link"]
    assert found[1]["body"] == {"id": alone["id"], "title": {"raw": "Two"}}
    assert found[2]["body"]["status"] == "trash"
    assert found[3]["body"]["meta"] == FEED["meta"]
    for request, response in zip(requests[4:], found[4:], strict=True):
        again = client.open(
            base + request["path"], method=request["method"], json=request.get("body")
        )
        assert again.get_json() == response["body"]


def test_all_writes_share_one_commit_and_each_that_fails_is_undone_alone(client: Client) -> None:
    client.page(slug="taken")
    store, told, statements = client.store, list[Any](), list[str]()
    store.database.observers.append(lambda sql, _: statements.append(sql))
    landing = client.application.blueprints["landform"]
    with page_created.connected_to(lambda _, event: told.append(event), sender=landing):
        found = batch(
            client,
            *(item("POST", "/pages", {"title": f"T{number}"}) for number in range(3)),
            item("PATCH", "/pages/1", {"title": "", "content": ""}),
            item("PATCH", "/pages/1", {"title": "Changed"}, **{"If-Match": '"page1_x.9.y"'}),
            item("POST", "/pages", {"title": "Last"}),
        )
    assert statuses(found) == [201, 201, 201, 400, 412, 201]
    assert statements.count("COMMIT") == 1
    assert [one["data"]["id"] for one in told] == [2, 3, 4, 5]
    kinds = [one["type"] for one in client.get("/events").get_json()]
    assert kinds == ["page.created", "page.published"] * 5
    assert client.get("/pages/1?context=edit").get_json()["title"]["raw"] == "A page"


def test_with_require_all_validate_nothing_is_written_if_one_is_refused(client: Client) -> None:
    client.page()
    good, bad = item("POST", "/pages", {"title": "Good"}), item("PATCH", "/pages/9", {"title": "x"})
    found = batch(client, good, bad, validation="require-all-validate")
    assert found["failed"] == "validation"
    assert found["responses"][0] is None
    assert found["responses"][1]["status"] == 404
    assert len(client.get("/events").get_json()) == 2
    found = batch(client, good, good, validation="require-all-validate")
    assert (statuses(found), "failed" in found) == ([201, 201], False)


def test_a_request_sees_what_those_before_it_have_written(client: Client) -> None:
    found = batch(
        client,
        item("POST", "/pages", {"title": "Same"}), item("POST", "/pages", {"title": "Same"}),
        item("DELETE", "/pages/1?force=true"), item("PATCH", "/pages/1", {"title": "Gone"}),
    )  # fmt: skip
    assert statuses(found) == [201, 201, 200, 404]
    assert found["responses"][1]["body"]["slug"] == "same-2"


def test_conditions_and_keys_are_those_of_each_request(client: Client) -> None:
    same = item("POST", "/pages", {"title": "Once"}, **{"Idempotency-Key": "a", "X-Other": ["b"]})
    first, second = (batch(client, same, same)["responses"] for _ in range(2))
    assert {one["body"]["id"] for one in first + second} == {1}
    tag = first[0]["headers"]["ETag"]
    change = item("PATCH", "/pages/1", {"title": "New"}, **{"If-Match": [tag]})
    headers = {"If-Match": '"other"', "Idempotency-Key": "of-all", "Prefer": "handling=strict"}
    body = {"requests": [change, change, item("POST", "/pages", {"title": "T", "odd": 1})]}
    for _ in range(2):
        found = client.post("/batch/v1", json=body, headers=headers).get_json()
        assert statuses(found)[1:] == [412, 201]


REFUSED: list[Any] = [
    {}, [], {"requests": {}}, {"requests": [1]}, {"requests": [{"method": "POST"}]},
    {"requests": [{"path": 1}]}, {"requests": [{"path": "pages"}]},
    {"requests": [{"path": "//example.com/pages"}]}, {"requests": [{"path": "http://x/pages"}]},
    {"requests": [{"path": "/pages", "method": "GET"}]}, {"requests": [{"path": "/pages"}] * 26},
    {"requests": [{"path": "/pages", "body": [1]}]}, {"requests": [], "validation": "some"},
    {"requests": [{"path": "/pages", "headers": {"If-Match": 5}}]},
    {"requests": [{"path": "/pages", "headers": {"X": [None]}}]},
    {"requests": [{"path": "/pages", "headers": "x"}]}, {"requests": [{"path": "/" * 9000}]},
]  # fmt: skip


def test_an_invalid_batch_is_refused_as_a_whole(client: Client) -> None:
    for body in REFUSED:
        answer = client.post("/batch/v1", json=body)
        assert answer.status_code == 400, (body, answer.text)
        assert answer.get_json()["code"] in ("rest_invalid_param", "rest_missing_callback_param")


ELSEWHERE = {
    "rest_batch_not_allowed": "/batch/v1 /wp-json/batch/v1 /forms/3/feeds/plan",
    "rest_no_route": "/host /pages/../batch/v1 /pages/%2e%2e/batch/v1 /wp-json//batch/v1"
    " /?rest_route=/pages /%ff /openapi.json",
    "rest_missing_callback_param": "/pages?%ff=%00&[=] /pages?_method=GET",
}
for paths in tables("NOT_IN_BATCH"):
    ELSEWHERE["rest_batch_not_allowed"] += f" {paths}"


def test_nothing_else_than_operations_that_write_can_be_in_it(client: Client) -> None:
    headers = {"X-HTTP-Method-Override": "GET", "Authorization": "Basic eDp5", "Cookie": "a=b"}
    for code, paths in ELSEWHERE.items():
        sent = [item("POST", path, {"requests": []}, **headers) for path in paths.split()]
        for found in batch(client, *sent)["responses"]:
            assert (found["status"] in (400, 404), found["body"]["code"]) == (True, code)


def test_a_batch_has_no_more_rights_than_its_caller(client: Client) -> None:
    own = {"Authorization": basic()["Authorization"]}
    body = {
        "requests": [item("POST", "/pages", {"title": "T"}, **own), item("POST", "/feeds", FEED)]
    }
    assert client.anonymous.post("/batch/v1", json=body).status_code == 401
    for scope, expected in (("pages:write", [201, 403]), ("feeds:write", [403, 201])):
        answer = client.anonymous.post("/batch/v1", json=body, headers=client.key(scope[:5], scope))
        assert statuses(answer.get_json()) == expected


@pytest.mark.settings(MAX_RESPONSE_BYTES=60_000)
def test_a_batch_with_too_large_responses_writes_nothing(client: Client) -> None:
    large = item("POST", "/pages", {"title": "T", "content": "x" * 15_000})
    answer = client.post("/batch/v1", json={"requests": [large] * 3})
    assert (answer.status_code, "requests" in answer.get_json()["data"]["params"]) == (400, True)
    assert client.get("/pages").headers["X-WP-Total"] == "0"
    small = {**large, "path": "/pages?_fields=id"}
    assert statuses(batch(client, *[small] * 3)) == [201] * 3


def test_an_embedded_batch_reaches_its_own_routes_and_asks_no_host_again(database_url: str) -> None:
    host, asked = Flask("host"), list[str]()
    host.before_request(lambda: asked.append("before"))
    host.teardown_request(lambda _: asked.append("after"))
    host.add_url_rule("/f/own", view_func=lambda: asked.append("own") or "", methods=["POST"])
    landing = create_blueprint(database_url, credentials=dict([SECRET.split(":")]))
    host.register_blueprint(landing, url_prefix="/f")
    client = host.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = basic()["Authorization"]
    page = item("POST", "/pages", {"title": "T"})
    found = batch(client, page, item("POST", "/own"), base="/f")
    assert statuses(found) == [201, 404]
    assert found["responses"][0]["headers"]["Location"] == "http://localhost/f/pages/1"
    assert asked == ["before", "after"]
    # Without the paths of WordPress they are not there in a batch either.
    assert statuses(batch(client, item("POST", "/wp/v2/pages", {}), base="/f")) == [404]
    assert [one["status"] for one in landing.api.batch(requests=[page])["responses"]] == [201]


# Whatever a path may hold, and what routers and parsers of URLs stumble over.
PATHS = strategies.lists(
    strategies.one_of(
        strategies.sampled_from(
            ["/", "pages", "feeds", "1", "[", "]", "\t", "\n", "\r", "%", "%00", "%2f", "%ff", "?",
             "#", "&", "=", "..", ".", ";", ":", "@", "//", "\\", "\ud800", "\x00", "é", "１",
             "batch/v1", "wp/v2", "/wp-json/", "<page_id>", "[::1", "http://", "_fields=",
             "x" * 300, "\t/[", "\r\n/", "\n//["]
        ),
        strategies.characters(),
    ),
    max_size=8,
).map(lambda parts: "/" + "".join(parts))  # fmt: skip


@given(path=PATHS, method=strategies.sampled_from(["POST", "PUT", "PATCH", "DELETE"]))
def test_the_path_of_a_request_affects_no_other_one(client: Client, path: str, method: str) -> None:
    requests = [item(method, path, {"title": "A"}), item("POST", "/pages", {"title": "B"})]
    answer = client.post("/batch/v1", data=json.dumps({"requests": requests}), headers=JSON)
    if answer.status_code == 400:
        # The whole is no batch, and says why: it is not a path, or no JSON.
        assert answer.get_json()["code"] in ("rest_invalid_param", "rest_invalid_json")
        return
    assert answer.status_code == 207, answer.text
    first, second = statuses(answer.get_json())
    assert (first < 500, second) == (True, 201)


JSON = {"Content-Type": "application/json"}


def test_no_transaction_renders_anything(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    page, is_open, rendered = client.page(), [False], list[bool]()

    def observe(sql: str, _: float) -> None:
        if sql.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            is_open[0] = sql.startswith("BEGIN")

    def render(raw: str) -> tuple[str, int]:
        rendered.append(is_open[0])
        return render_content(raw)

    render_content = content.render_content
    monkeypatch.setattr(content, "render_content", render)
    client.store.database.observers.append(observe)
    text = {"title": "<b>A</b><script>x</script>", "content": "<p>a</p><form>b</form>"}
    requests = [item("POST", "/pages", text), item("PUT", f"/pages/{page['id']}", text)]
    for headers in ({}, client.key("editor", "pages:write")):
        answer = client.post("/batch/v1", json={"requests": requests}, headers=headers)
        assert statuses(answer.get_json()) == [201, 200]
    assert rendered == [False] * 4


def test_a_batch_of_very_long_texts_is_refused_whole(client: Client) -> None:
    half = item("POST", "/pages", {"title": "T", "content": "x" * (1 << 19)})
    answer = client.post("/batch/v1", json={"requests": [half, half]})
    assert answer.status_code == 400
    assert "requests" in answer.get_json()["data"]["params"]
    assert client.get("/pages").headers["X-WP-Total"] == "0"
    assert statuses(batch(client, half)) == [201]


def test_a_request_with_a_wrong_text_fails_alone(client: Client) -> None:
    editor = client.key("editor", "pages:write")
    wrong = item("POST", "/pages", {"title": "T", "content": "<b>x</b>" * 10_001})
    good, odd = item("POST", "/pages", {"title": "G"}), item("POST", "/pages", {"title": [1]})
    body = {"requests": [good, wrong, odd, good]}
    answer = client.post("/batch/v1", json=body, headers=editor)
    assert statuses(answer.get_json()) == [201, 400, 400, 201]
    strict = {**body, "validation": "require-all-validate"}
    answer = client.post("/batch/v1", json=strict, headers=editor)
    found = answer.get_json()["responses"]
    assert [one and one["status"] for one in found] == [None, 400, 400, None]


def test_a_batch_knows_the_operations_of_the_parts_of_its_blueprint() -> None:
    every, host = [part() for part in all_parts().values()], Flask("host")
    for name, parts in (("core", [Batches()]), ("every", every)):
        guest = create_blueprint(
            "sqlite:///:memory:", name=name, parts=parts, wp_json_paths=True,
            authorizer=lambda request: Identity("host"),
        )  # fmt: skip
        host.register_blueprint(guest, url_prefix=f"/{name}")
    client = host.test_client()
    for route in all_routes(
        one for module in modules_of(map(type, every), "operations")
        for one in getattr(module, "RESOURCES", ())
    ):  # fmt: skip
        for operation in route.methods:
            if not (operation.is_write and operation.batch):
                continue
            path = re.sub("<.*?>", "1", operation.path)
            request = {"method": operation.methods[0], "path": path}
            codes = []
            for name in ("core", "every"):
                answer = client.post(f"/{name}/wp-json/batch/v1", json={"requests": [request]})
                body = answer.get_json()["responses"][0]["body"]
                codes.append(body.get("code", "") if isinstance(body, dict) else "")
            assert codes[0] == "rest_no_route" != codes[1], operation.name
