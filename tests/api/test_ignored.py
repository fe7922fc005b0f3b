"""What landform does not know is ignored and named, or refused where a caller is strict."""

import re
from typing import Any

import pytest
from applications import FEED, Client
from flask.testing import FlaskClient
from marshmallow import INCLUDE
from part_tables import WORDPRESS_ROUTES, tables

from landform.service.resources import HOME

HEADER = "X-Landform-Ignored"
STRICT, LENIENT = {"Prefer": "handling=strict"}, {"Prefer": "handling=lenient"}
WP, GF = "/wp-json/wp/v2", "/wp-json/gf/v2"
OPERATIONS = [
    (method, rule.replace("<form_id>", "3"), operation)
    for route in WORDPRESS_ROUTES
    for method, operation in route.operations.items()
    for rule in dict.fromkeys(route.rules)
]
NAMED = [(method, path, contract) for method, path, contract in OPERATIONS if contract.checks_names]
DEAF = [(method, path) for method, path, contract in OPERATIONS if not contract.checks_names]


def told(answer: Any) -> list[str]:
    """Return the names that a response says were ignored."""
    return answer.headers[HEADER].split(", ") if HEADER in answer.headers else []


def params(answer: Any) -> dict[str, str]:
    """Return what is wrong with each parameter of a refused request."""
    assert (answer.status_code, answer.get_json()["code"]) == (400, "rest_invalid_param")
    found: dict[str, str] = answer.get_json()["data"]["params"]
    return found


def state(client: Client) -> Any:
    """Return all that is stored."""
    pages = client.get("/pages?status=any&context=edit&per_page=100").get_json()
    return pages, client.get("/feeds").get_json()


# Every operation, whichever is added.
def path_to(client: Client, rule: str) -> str:
    """Return the path of a rule for a page, a feed, and what is made for it."""
    page = client.page()["id"] if "<page_id>" in rule else 0
    feed = client.feed(form_id=3)["id"] if "feeds" in rule else 0

    def made(path: str, body: Any) -> int:
        # A body, or all arguments of the request.
        sent = body if "data" in body else {"json": body}
        return int(client.post(path, **sent).get_json()["id"])

    ids = {"<page_id>": page, "<feed_id>": feed, "<user_id>": 1}
    for path, body in (one for first in tables("FIRST") for one in first):
        client.post(path, json=body)
    for variable, (path, body) in (item for table in tables("CREATED") for item in table.items()):
        if variable in rule:
            ids[variable] = made(path.replace("<feed_id>", str(feed)), body)
    if "<revision_id>" in rule:
        client.patch(f"/pages/{page}", json={"title": "Changed"})
        ids["<revision_id>"] = client.get(f"/pages/{page}/revisions").get_json()[0]["id"]
    for variable, number in ids.items():
        rule = rule.replace(variable, str(number))
    return rule


@pytest.mark.parametrize("sent", [{"query_string": "nonsense=1"}, {"json": {"nonsense": 1}}])
def test_each_operation_names_or_refuses_what_it_does_not_know(client: Client, sent: Any) -> None:
    for method, rule, contract in NAMED:
        keeps_all = contract.body is not None and contract.body.unknown == INCLUDE
        if "json" in sent and (contract.is_raw or keeps_all):
            # All fields that are sent are kept, or the body is a file.
            continue
        path = path_to(client, rule)
        answer = client.open(path, method=method, **sent)
        is_refused = "json" in sent and method != "GET" and re.search("/feeds/|/webhooks", path)
        if is_refused and not told(answer):
            # As Gravity Forms; where something is missing, that is named instead.
            error = answer.get_json()
            assert answer.status_code == 400, path
            is_missing = error["code"].startswith(("missing_", "rest_missing_"))
            assert is_missing or "nonsense" in error["data"]["params"], (path, error)
        else:
            assert told(answer) == ["nonsense"], path


def test_operations_without_parameters_accept_any_parameter(client: Client) -> None:
    assert {path for paths in tables("DEAF") for path in paths} == {path for _, path in DEAF}
    for _, path in DEAF:
        answer = client.get(f"{path.replace('<file>', 'docs.css')}?nonsense=1", headers=STRICT)
        assert (answer.status_code, told(answer)) == (200, []), path
    assert told(client.get("/?utm_source=x")) == []
    assert not HOME.operations["GET"].checks_names


# What is known.
OF_CLIENTS = (
    "_locale=user&_embed=1&_embed[]=author&_method=GET&_wpnonce=x&context=view&_fields=id"
    "&consumer_key=&consumer_secret=&oauth_nonce=x"
)


def test_common_parameters_of_wordpress_clients_are_known(client: Client) -> None:
    client.page()
    paths = ("/pages", f"{WP}/pages", f"{WP}/pages/1", "/feeds")
    for path in (*(f"{path}?{OF_CLIENTS}" for path in paths), *BESIDE):
        asked = client.get(path, headers=STRICT)
        assert (asked.status_code, told(asked)) == (200, [])


BESIDE = [
    *("/?rest_route=/wp/v2/pages&per_page=1&search=x", f"{WP}/pages?orderby=menu_order"),
    *(path for paths in tables("BESIDE") for path in paths),
]


def test_filters_that_landform_has_no_use_for_are_named(anonymous: FlaskClient) -> None:
    for query, names in (
        ("filter[orderby]=x&filter[order]=y", ["filter"]),
        ("parent=0&menu_order=1", ["parent", "menu_order"]),
        ("perpage=1&per_page=1&page=1", ["perpage"]),
        ("x=1&x=2&x[]=3", ["x"]),
        ("_jsonp=call", ["_jsonp"]),
        ("categories=3", ["categories"]),
        ("password=x", []),
        ("x", ["x"]),
    ):  # fmt: skip
        for path in ("/pages?", f"{WP}/pages?", "/?rest_route=/wp/v2/pages&"):
            answer = anonymous.get(path + query)
            assert (answer.status_code, told(answer)) == (200, names)
            head = anonymous.head(path + query)
            assert (head.status_code, told(head)) == (200, names)
            strict = anonymous.get(path + query, headers=STRICT)
            assert [*strict.get_json()["data"]["params"]] == names if names else strict.json == []


@pytest.mark.parametrize("base", ["", WP])
@pytest.mark.parametrize("context", ["view", "edit", "embed"])
def test_a_page_can_be_written_back_as_it_was_read(client: Client, base: str, context: str) -> None:
    body = {"content": "A\n\nb & c", "password": "p", "author": 2**63 - 1, "status": "private"}
    page = client.page(**body, date="2020-02-29T23:59:59", meta={"gallery": [{}]})
    path = f"{base}/pages/{page['id']}"
    read = client.get(f"{path}?context={context}&_embed=1").get_json()
    for method in ("PUT", "PATCH", "POST"):
        for headers in ({}, STRICT):
            answer = client.open(path, method=method, json=read, headers=headers)
            assert (answer.status_code, told(answer)) == (200, [])
            written = client.get(f"/pages/{page['id']}?context=edit").get_json()
            assert written == {**page, "modified": written["modified"]}
    del read["id"]
    answer = client.post(f"{base}/pages", json={**read, "title": "Copy"}, headers=STRICT)
    assert (answer.status_code, told(answer)) == (201, [])


def test_constant_fields_of_a_wordpress_page_have_no_effect(client: Client) -> None:
    constants = {"menu_order": 5, "parent": 3, "type": "post", "featured_media": 9}
    constants |= {"template": "wide.php", "comment_status": "open"}
    for headers in ({}, STRICT):
        answer = client.post(f"{WP}/pages", json={"title": "A", **constants}, headers=headers)
        assert (answer.status_code, told(answer)) == (201, [])
        page = answer.get_json()
        assert not any(page[name] == value for name, value in constants.items())
        at_pages = client.put(f"/pages/{page['id']}", json=constants)
        assert told(at_pages) == sorted(constants)


# Names of the body.
@pytest.mark.parametrize("path", ["/pages", f"{WP}/pages"])
def test_unknown_names_in_a_body_are_told_and_the_rest_written(client: Client, path: str) -> None:
    body = {
        "title": {"raw": "Title"}, "teaser": "Lost", "status": "draft",
        "meta": {"_yoast_title": "x", "form_id": "7", "tongue": None, "": 1},
    }  # fmt: skip
    body |= dict.fromkeys(("_status", "tags", "content_raw"), 1)
    names = {"teaser", "meta._yoast_title", "meta.tongue", "meta...."}
    names |= {"_status", "tags", "content_raw"}
    for answer in (client.post(path, json=body), client.put(f"{path}/1", json=body)):
        assert answer.status_code < 300
        assert set(told(answer)) == names
        assert "Lost" not in f"{answer.headers}{answer.text}"
        page = answer.get_json()
        assert (page["title"]["raw"], page["meta"]["form_id"]) == ("Title", "7")
        assert set(page["meta"]) == set(client.page()["meta"])
    form = {"title": "x", "teaser": "y", "meta[form_id]": "7", "meta[colour]": "red"}
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post(path, data=form, content_type=kind)
        assert (answer.status_code, told(answer)) == (201, ["teaser", "meta.colour"])


ALONE = [{"nonsense": "1"}, {"colour": None, "_private": 1}]


@pytest.mark.parametrize("meta", ALONE)
def test_a_meta_without_known_keys_is_refused_but_below_wp_json(client: Client, meta: Any) -> None:
    page, names = client.page(), [f"meta.{name}" for name in meta]
    for method, path in (("POST", "/pages"), ("PUT", f"/pages/{page['id']}")):
        body = {"title": "New", "meta": meta}
        assert set(params(client.open(path, method=method, json=body))) == {*names}
        assert client.get("/pages?context=edit").get_json() == [page]
    for path, headers in ((f"{WP}/pages", {}), ("/pages", LENIENT)):
        assert set(told(client.post(path, json=body, headers=headers))) == {*names}
    for other in ({}, [], None, {"_yoast_title": "x", "_edit_lock": "y"}):
        assert client.post("/pages", json={"title": "x", "meta": other}).status_code == 201
    many = {f"nonsense{number}": number for number in range(99)}
    assert client.post("/pages", json={"title": "x", "meta": many}).status_code == 400


def test_a_body_that_is_not_read_is_named_without_its_text(client: Client) -> None:
    form = {"data": "title: hunter2", "content_type": "application/x-www-form-urlencoded"}
    path = f"/pages/{client.page()['id']}"
    refused = client.put(path, headers=STRICT, **form)
    assert params(refused) == {"title:...": 'title:... is unknown; did you mean "title"?'}
    answer = client.put(path, **form)
    assert (answer.status_code, told(answer)) == (200, ["title:..."])
    assert "hunter2" not in f"{answer.headers}{refused.text}"


# Names are what somebody sent.
ODD = {
    "a,b": "a%2Cb", "größe": "gr%C3%B6%C3%9Fe", "日": "%E6%97%A5", "a\tb": "a...",
    "x\r\nSet-Cookie: a=b": "x...", "a.b": "a%2Eb", "a;b=c": "a%3Bb%3Dc", "%2C": "%252C",
    "(b)": "%28b%29", "\x7f\x00": "%7F%00", "x" * 99: "x" * 48
    + "...", "<script>": "...", "": "...", "a\\b": "a%5Cb",
}  # fmt: skip


def test_an_unknown_name_is_encoded_in_headers_and_errors(client: Client) -> None:
    for name, text in ODD.items():
        answer = client.post(f"{WP}/pages", json={"title": "x", name: 1, "meta": {name: 1}})
        assert answer.status_code == 201
        assert told(answer) == [text, f"meta.{text}"]
        assert len(answer.headers.getlist(HEADER)) == 1
        refused = client.post("/pages", json={"title": "x", name: 1}, headers=STRICT)
        assert list(params(refused)) == [text]
        assert told(client.get("/pages", query_string={name: "1"})) == [text]
    answer = client.get("/pages", query_string={f"{n}é" * 40: "1" for n in range(99)})
    assert len(answer.headers[HEADER]) < 3300


# Strict and lenient.
PREFER = {
    "strict": (
        "handling=strict", 'Handling="STRICT"', "respond-async, wait=10, handling = strict; x",
        ",,handling=strict,", 'handling="str\\ict"', "handling=strict, handling=lenient",
    ),
    "lenient": (' handling="lenient" ; a=b', "handling=lenient, handling=strict"),
    "": (
        "", "strict", "handling=", "handling=x, handling=strict", "return=minimal; handling=strict",
        'foo="a, handling=strict"', "xhandling=strict", 'foo="\\", handling=strict"',
        "handling=str\\ict", "handling==strict",
    ),
}  # fmt: skip


@pytest.mark.parametrize("meant", PREFER)
def test_the_preference_is_read_as_rfc_7240_says(anonymous: FlaskClient, meant: str) -> None:
    for sent in PREFER[meant]:
        answer = anonymous.get("/pages?nonsense=1", headers={"Prefer": sent})
        assert answer.status_code == (400 if meant == "strict" else 200), sent
        applied = answer.headers.get("Preference-Applied", "")
        assert applied == (f"handling={meant}" if meant else ""), sent
        assert "Prefer" in answer.vary


PAGE = {"title": "x"}
# What is refused without a preference at our own paths, and what was probably meant by it.
MISSPELT: list[tuple[str, Any, dict[str, str]]] = [
    ("POST /pages", {**PAGE, "contnet": "hunter2", "lnk": 1}, {"contnet": "content", "lnk": ""}),
    ("POST /pages", {**PAGE, "Status": 1, "fields": 1}, {"Status": "status", "fields": "_fields"}),
    ("POST /pages", {**PAGE, "passwort": "hunter2"}, {"passwort": "password"}),
    (
        "POST /pages",
        {**PAGE, "metas": 1, "form_id": 1},
        {"metas": "meta", "form_id": "meta.form_id"},
    ),
    ("POST /pages", {"titel": "x"}, {"titel": "title"}),
    ("PATCH /pages/1", {"meta": {"form_idd": "7"}}, {"meta.form_idd": "meta.form_id"}),
    ("DELETE /pages/1", {"forc": True}, {"forc": "force"}),
    ("POST /feeds", {**FEED, "is_activ": False}, {"is_activ": "is_active"}),
    ("PUT /forms/3/feeds/order", {"feeds": [1], "partal": True}, {"partal": "partial"}),
    ("PATCH /feeds/1", {"Is_Active": 1}, {"Is_Active": "is_active"}),
    ("PUT /feeds/1/properties", {"zzz": 1}, {"zzz": ""}),
    *(case for cases in tables("MISSPELT") for case in cases),
]


@pytest.mark.parametrize("case", MISSPELT, ids=lambda case: case[0])
def test_a_misspelt_name_in_a_body_is_refused_at_our_own_paths(client: Client, case: Any) -> None:
    operation, body, meant = case
    client.page()
    client.feed(**FEED)
    before, (method, path) = state(client), operation.split()
    for headers in ({}, STRICT):
        refused = client.open(path, method=method, json=body, headers=headers)
        found = refused.get_json()["data"]["params"]
        assert (refused.status_code, "hunter2" in refused.text) == (400, False)
        assert found.keys() & meant.keys()
        for name, message in found.items():
            said = re.search('id you mean "(.*)"', message)
            assert (said.group(1) if said else "") == meant[name]
        assert state(client) == before
    assert found.keys() == meant.keys()
    if path == "/feeds" or (path.startswith("/pages") and "titel" not in body):
        assert client.open(path, method=method, json=body, headers=LENIENT).status_code < 300


@pytest.mark.settings(STRICT="1")
def test_the_setting_strict_applies_unless_a_request_is_lenient(client: Client) -> None:
    answer = client.post("/pages", json={"title": "x", "contnet": "y"})
    assert params(answer) == {"contnet": 'contnet is unknown; did you mean "content"?'}
    assert "Preference-Applied" not in answer.headers
    assert client.get("/pages").get_json() == []
    answer = client.post("/pages", json={"title": "x", "contnet": "y"}, headers=LENIENT)
    assert (answer.status_code, told(answer)) == (201, ["contnet"])
    assert answer.headers["Preference-Applied"] == "handling=lenient"
    assert client.get("/pages?x=1", headers={"Prefer": "handling=other"}).status_code == 400
    assert client.get("/pages").status_code == 200


# What stands between.
def test_errors_and_a_304_name_what_was_ignored(client: Client) -> None:
    client.page()
    missing = client.post(f"{WP}/pages", json={"titel": "x"})
    assert (missing.status_code, told(missing)) == (400, ["titel"])
    error = missing.get_json()
    assert (error["code"], error["data"]["params"]) == ("rest_missing_callback_param", ["title"])
    assert error["message"] == "title is required."
    assert told(client.get("/pages/99?x=1")) == ["x"]
    assert told(client.put("/pages/1?x=1", headers={"If-Match": '"other"'})) == ["x"]
    assert told(client.get("/pages/1?x=1", headers={"If-None-Match": "*"})) == ["x"]
    assert HEADER not in client.get("/nowhere?x=1").headers
