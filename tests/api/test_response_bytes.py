"""The bytes of a list: bounded by a setting, told before all of it is read, and kept nowhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SECRET, Start, basic
from databases import run_sql
from flask.testing import FlaskClient
from processes import peak_of_workers

from landform.app import create_app
from landform.storage.models import Page

FEED = {"form_id": 3, "addon_slug": "mailer"}
BOUND = 20_000
pytestmark = pytest.mark.settings(MAX_RESPONSE_BYTES=BOUND)


def refused(answer: Any, name: str) -> bool:
    error = answer.get_json()
    assert (answer.status_code, error["code"]) == (400, "rest_invalid_param"), answer.text[:300]
    assert name in error["data"]["params"][name]
    assert "_fields" in error["data"]["params"][name]
    return list(error["data"]["params"]) == [name]


def test_a_list_of_pages_of_many_bytes_is_refused(client: FlaskClient, database_url: str) -> None:
    page = {"title": "A", "content": '"\n\\é日\x01🎉' * 200}
    for _ in range(12):
        assert client.post("/pages", json=page).status_code == 201
    loose = create_app({"DATABASE_URL": database_url, "CREDENTIALS": SECRET}).test_client()
    outcomes = set()
    for query in ("", "&context=edit", "&orderby=include&include=3,1,2,4,5,6,7,8,9,10,11,12"):
        for per_page in range(1, 13):
            path = f"/pages?per_page={per_page}{query}"
            whole = loose.get(path, headers=basic())
            answer = client.get(path)
            outcomes.add(answer.status_code)
            if len(whole.get_data()) > BOUND:
                assert refused(answer, "per_page")
            else:
                assert answer.get_json() == whole.get_json()
    assert outcomes == {200, 400}
    for query in ("per_page=12&_fields=id,title", "per_page=12&context=embed"):
        assert client.get(f"/pages?{query}").status_code == 200


def test_a_list_of_feeds_beyond_the_limit_of_bytes_is_refused(client: FlaskClient) -> None:
    for _ in range(15):
        assert client.post("/feeds", json={**FEED, "meta": {"note": "é" * 1000}}).status_code == 201
    for path in ("/feeds", "/forms/3/feeds"):
        assert refused(client.get(path), "include")
        assert len(client.get(f"{path}?_fields=id,form_id").get_json()) == 15
        assert len(client.get(f"{path}?include=1,2,3").get_json()) == 3
    assert client.get("/feeds/1").status_code == 200


def test_the_largest_list_uses_bounded_memory(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    headers = {"Content-Type": "application/json", **basic()}
    sent = {"title": "A", "content": "<!-- wp:html -->" + "x" * 1_999_900 + "🎉"}
    body = json.dumps(sent, ensure_ascii=False).encode()
    assert server.send("POST", "/pages", headers, body)[0] == 201
    columns = [name for name in Page._meta.columns if name not in ("id", "slug")]  # type: ignore[attr-defined]
    names = ", ".join(columns)
    for number in range(2, 21):
        run_sql(
            server.database,
            f"INSERT INTO page (slug, {names}) SELECT 'a-{number}', {names} FROM page WHERE id = 1",
        )
    asked = {"per_page=20": 400, "per_page=16": 200, "per_page=16&_envelope=1": 200}
    for query, status in asked.items():
        answered, _, raw = server.send("GET", f"/pages?{query}", {}, None)
        assert answered == status, raw[:300]
        assert (len(raw) > 31_000_000) is (status == 200)
    if Path("/proc/self/status").exists():
        assert peak_of_workers(server) < 300
