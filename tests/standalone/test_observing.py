"""Probes, the line a request, slow queries and metrics: what they tell, and what they never do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from applications import service
from conftest import ROOT, Server, basic
from databases import run_sql
from processes import reload, until

from landform.standalone.logs import UNLISTED


def move(url: str, there: bool) -> None:
    """Put a file away and back."""
    file = Path(url.removeprefix("sqlite:///"))
    away = Path(f"{file}.away")
    (file if there else away).rename(away if there else file)


def age(url: str, there: bool) -> None:
    """Say that a later version of landform has changed the schema, and that it has not."""
    later = "INSERT INTO schema_migration (name, applied) VALUES ('9999_x', '2099-01-01')"
    run_sql(url, later if there else "DELETE FROM schema_migration WHERE name = '9999_x'")


def rename(url: str, there: bool) -> None:
    """Let the table of pages be gone, and be back."""
    one, other = ("page", "gone") if there else ("gone", "page")
    run_sql(url, f"ALTER TABLE {one} RENAME TO {other}")


@pytest.mark.parametrize(
    "spoil", [pytest.param(move, marks=pytest.mark.sqlite("it moves a file")), age, rename]
)
def test_readiness_follows_the_database_and_liveness_does_not(
    database_url: str, spoil: Callable[[str, bool], None]
) -> None:
    client = service(database_url).anonymous
    spoil(database_url, True)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.get_json()["status"]) == (503, "unavailable")
    assert database_url.partition("//")[2] not in answer.text
    assert client.get("/healthz").status_code == 200
    spoil(database_url, False)
    for path in ("/healthz", "/readyz"):
        answer = client.get(path)
        assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"})
        assert answer.headers["Cache-Control"] == "no-store"


def test_every_request_is_one_line_with_its_route_and_caller(
    database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = service(database_url, ACCESS_LOG="ON", LOG_FORMAT="JSON").anonymous
    client.post("/pages", json={"title": "One"}, headers=basic())
    for _ in range(2):
        client.get("/pages/1?context=edit", headers={**basic(), "X-Request-ID": "given-1"})
    client.get("/wp-json/wp/v2/pages")
    client.get("/no/such/place/17")
    client.get("/pages?per_page=0")
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    routes = [(line["method"], line["route"], line["status"], line["caller"]) for line in told]
    assert routes == [
        ("POST", "/pages", 201, "admin"),
        ("GET", "/pages/{id}", 200, "admin"),
        ("GET", "/pages/{id}", 200, "admin"),
        ("GET", "/wp-json/wp/v2/pages", 200, None),
        ("GET", UNLISTED, 404, None),
        ("GET", "/pages", 400, None),
    ]
    assert [line["cached"] for line in told] == [False, False, True, False, False, False]
    ids = [line["request_id"] for line in told]
    assert ids[1:3] == ["given-1"] * 2
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in (ids[0], *ids[3:]))
    assert len(set(ids)) == 5
    assert all(0 <= line["ms"] < 60_000 for line in told)


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, 'a"b', "ü", "a\tb", "a-1_b.c"])
def test_an_invalid_request_id_is_replaced(database_url: str, sent: str) -> None:
    headers = {"X-Request-ID": sent.encode().decode("latin-1")}
    found = service(database_url).anonymous.get("/pages", headers=headers).headers["X-Request-ID"]
    assert found == sent if sent == "a-1_b.c" else re.fullmatch("[0-9a-f]{32}", found)


def test_metrics_are_of_all_workers_together(start_server: Callable[..., Server]) -> None:
    server = start_server(LANDFORM_METRICS="1", LANDFORM_WORKERS="2")
    assert server.call("POST", "/pages", {"title": "Counted"})[0] == 201
    due = "2999-01-01T00:00:00"
    assert server.call("POST", "/pages", {"title": "Later", "date": due})[0] == 201
    for _ in range(30):
        server.call("GET", "/pages/1")
    server.call("GET", "/pages/99")

    def counted() -> str:
        return server.send("GET", "/metrics", basic(), None)[2].decode()

    wanted = 'landform_requests_total{method="GET",route="/pages/{id}",status="200"} 30.0'
    until(lambda: wanted in counted(), "Not all requests are counted.")
    text = counted()
    assert 'landform_requests_total{method="GET",route="/pages/{id}",status="404"} 1.0' in text
    assert 'landform_pages{status="publish"} 1.0' in text
    assert "landform_future_pages 1.0" in text
    kept = re.search(r"landform_cache_hits_total (\d+)", text)
    assert kept
    assert int(kept[1]) >= 26
    for name in ("request_seconds_bucket", "database_seconds_count", "lock_wait_seconds_count"):
        assert f"landform_{name}" in text


@pytest.mark.parametrize(
    ("uri", "deliver", "is_started"),
    [("wsgi:app", "1", True), ("landform.wsgi:app", "0", False), ("host:app", "1", False)],
)
def test_a_worker_delivers_for_landform_alone_and_for_no_host(
    monkeypatch: pytest.MonkeyPatch, uri: str, deliver: str, is_started: bool
) -> None:
    monkeypatch.setenv("LANDFORM_DELIVER", deliver)
    started = Event()
    landform = SimpleNamespace(deliver=lambda forever: started.set())
    application = SimpleNamespace(blueprints={"landform": landform})
    worker = SimpleNamespace(wsgi=application, app=SimpleNamespace(app_uri=uri))
    run_path(str(ROOT / "gunicorn.conf.py"))["post_worker_init"](worker)
    assert started.wait(5 if is_started else 0.2) == is_started


@pytest.mark.parametrize("arguments", [(), ("--preload",)], ids=["plain", "preload"])
def test_the_folder_of_the_metrics_outlives_reloads_and_goes_with_its_master(
    start_server: Callable[..., Server], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    server = start_server(
        *arguments, TMPDIR=str(temporary), LANDFORM_METRICS="1", LANDFORM_WORKERS="1"
    )
    [first] = temporary.glob("landform-metrics-*")
    reload(server)
    assert [*temporary.glob("landform-metrics-*")] == [first]
    server.stop()
    assert [*temporary.glob("landform-metrics-*")] == []


def test_metrics_are_for_this_machine_and_for_callers_whose_guesses_are_counted(
    database_url: str,
) -> None:
    client = service(database_url, METRICS=True, FAILED_ATTEMPTS_PER_MINUTE=3).anonymous
    far: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", **far).status_code == 401
    read = client.get("/metrics", headers=basic(), **far)
    assert (read.status_code, read.headers["X-Content-Type-Options"]) == (200, "nosniff")
    wrong = [client.get("/metrics", headers=basic("admin:wrong"), **far) for _ in range(8)]
    assert {answer.status_code for answer in wrong} == {401, 429}
    assert all(answer.is_json for answer in wrong)


@pytest.mark.parametrize("site", [False, True])
def test_probes_and_metrics_respond_to_other_methods_as_all_routes_do(
    database_url: str, site: bool
) -> None:
    client = service(database_url, METRICS=True, SITE=site).anonymous
    for path in ("/healthz", "/readyz", "/metrics"):
        for method, status in (("OPTIONS", 200), ("POST", 405), ("COPY", 405)):
            answers = [client.open(url, method=method) for url in (path, "/docs")]
            assert [answer.status_code for answer in answers] == [status] * 2
            assert answers[0].get_json() == answers[1].get_json()
            assert {*answers[0].allow} == {"GET", "HEAD", "OPTIONS"}
            headers = [{**answer.headers} for answer in answers]
            own = {name: headers[1][name] for name in ("X-Request-ID", "Allow")}
            assert headers[0] | own == headers[1]
