"""The description and the service say the same: a fuzzer, a validator and a made client agree."""

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from applications import Client
from conftest import SECRET, Start, basic
from flask import Flask
from flask.testing import FlaskClient
from part_tables import WORDPRESS_ROUTES, tables

from landform.parts import all_parts
from landform.service.pipeline.codes import all_error_codes
from landform.service.resources import HOME

ROUTES = (HOME, *WORDPRESS_ROUTES)
SCRIPTS = Path(sys.executable).parent
FUZZER, GENERATOR = SCRIPTS / "schemathesis", SCRIPTS / "openapi-python-client"
CHECKED = ["--max-examples", "4", "--seed", "1", "--checks", "all", "--no-color"]
# OPTIONS returns the methods that the caller may use, not all that are described.
CHECKED += ["--exclude-checks", "allow_header_conformance"]
# Without credentials most requests are refused before they are looked at: fewer will do.
PHASES = {
    "admin": ["--phases", "examples,coverage,fuzzing,stateful", "--auth", SECRET],
    "anonymous": ["--phases", "examples,fuzzing"],
}


@pytest.fixture
def description(anonymous: FlaskClient) -> Any:
    answer = anonymous.get("/openapi.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    return answer.get_json()


def test_the_description_is_valid(description: Any) -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="the extra contract")
    validator.validate(description)
    assert description["openapi"].startswith("3.1")
    # Some validators ask for one of `identifier` and `url`.
    assert description["info"]["license"] == {"name": "MIT", "identifier": "MIT"}


def test_every_operation_is_described_and_no_other(app: Flask, description: Any) -> None:
    described = {path: {*map(str.upper, one)} for path, one in description["paths"].items()}
    client = app.test_client()
    paths = {rule.rule for rule in app.url_map.iter_rules()}
    others = ("/docs", "/console", "/openapi", "/healthz", "/readyz", "/metrics")
    # What visitors and search engines read.
    others += ("/<slug>/", "/sitemap.xml", "/robots.txt", "/media-files/", "/forms/<form_id>/embed")
    # Below /wp-json the same operations are there once more.
    twins = {f"/wp-json{base}{path}" for base in ("", "/wp/v2", "/gf/v2") for path in paths}
    own = {path for path in paths - twins if not path.startswith(others) and path != "/"}
    assert described.keys() == {path.replace("<", "{").replace(">", "}") for path in own}
    for path, methods in described.items():
        url = re.sub("{.*?}", "1", path)
        assert {*client.options(url).get_json()["methods"]} == methods
        allowed = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"} - allowed:
            refused = client.open(url, method=method)
            assert (refused.status_code, refused.get_json()["code"]) == (405, "rest_no_route")
            assert {*refused.headers["Allow"].split(", ")} == allowed
    names = [one["operationId"] for path in description["paths"].values() for one in path.values()]
    assert len(names) == len(set(names)) > 40


def test_the_description_names_its_host_and_has_an_etag(anonymous: FlaskClient) -> None:
    here = anonymous.get("/openapi.json", base_url="https://example.com/shop").get_json()
    assert here["servers"] == [{"url": "https://example.com/shop"}]
    tag = anonymous.get("/openapi.json").headers["ETag"]
    again = anonymous.get("/openapi.json", headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")


def test_the_docs_page_loads_nothing_from_elsewhere(anonymous: FlaskClient) -> None:
    for part in ("", "/docs.css", "/docs.js", "/fields.js", "/docs.svg", "/", "?_envelope=1"):
        answer = anonymous.get(f"/docs{part}")
        assert answer.status_code == 200
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        text = answer.text.replace("http://www.w3.org/2000/svg", "").replace("HTTP", "")
        assert "http" not in text
    # What is no JSON is in no envelope.
    assert answer.data == anonymous.get("/docs").data
    assert anonymous.get("/openapi.json?_envelope=1").get_json()["status"] == 200


@pytest.mark.clients
@pytest.mark.slow
@pytest.mark.sqlite("the description is the same on any engine")
@pytest.mark.skipif(not FUZZER.exists(), reason="the extra contract is not installed")
@pytest.mark.parametrize("caller", PHASES)
def test_a_fuzzer_finds_all_described(
    start_server: Start, tmp_path: Path, description: Any, caller: str
) -> None:
    server = start_server(LANDFORM_FAILED_ATTEMPTS_PER_MINUTE="1000000")
    configuration = Path(__file__).with_name("schemathesis.toml")
    command = [FUZZER, "--config-file", configuration, "run", f"{server.url}/openapi.json"]
    ran = subprocess.run(
        [*command, *CHECKED, *PHASES[caller]],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert f"Tested: {sum(map(len, description['paths'].values()))}" in ran.stdout
    assert "Traceback" not in (tmp_path / "server.log").read_text()


@pytest.mark.clients
@pytest.mark.slow
@pytest.mark.skipif(not GENERATOR.exists(), reason="the extra contract is not installed")
def test_a_client_made_from_the_description_creates_reads_and_writes_back(
    start_server: Start,
    tmp_path: Path,
    description: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(description))
    command = [str(GENERATOR), "generate", "--path", "openapi.json", "--output-path", "made"]
    ran = subprocess.run(
        [*command, "--meta", "none"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert "Unable to" not in ran.stdout
    monkeypatch.syspath_prepend(tmp_path)
    server = start_server()
    made = importlib.import_module("made")
    prefix, token = basic()["Authorization"].split()
    client = made.AuthenticatedClient(base_url=server.url, token=token, prefix=prefix)
    models = importlib.import_module("made.models")

    def call(resource: str, name: str, *ids: int, **arguments: Any) -> Any:
        module = importlib.import_module(f"made.api.{resource}.{name}")
        return module.sync(*ids, client=client, **arguments)

    meta = {"form_id": "7", "language": ["en", {"name": "German"}], "gallery": [1, "a"]}
    body = models.PageCreate.from_dict({"title": "Made", "meta": meta})
    created = call("pages", "create_page", body=body)
    assert created.meta.to_dict().items() >= meta.items()
    edit = models.GetPageContext("edit")
    read = call("pages", "get_page", created.id, context=edit).to_dict()
    again = call("pages", "update_page", created.id, body=models.PageUpdate.from_dict(read))
    assert {**again.to_dict(), "modified": ""} == {**read, "modified": ""}
    assert [page.id for page in call("pages", "list_pages")] == [created.id]
    settings = {"feedName": "F", "mappedFields_email": "3", "own": [{"deep": [1]}], "tags": ""}
    feed = {"form_id": 3, "addon_slug": "mailer", "meta": settings}
    written = call("feeds", "create_feed", body=models.FeedCreate.from_dict(feed))
    assert written.meta.to_dict() == settings
    read = call("feeds", "get_feed", written.id).to_dict()
    call("feeds", "update_feed", written.id, body=models.FeedUpdate.from_dict(read))
    assert call("feeds", "get_feed", written.id).to_dict() == read
    if "webhooks" in all_parts():
        hook = {"url": "https://example.com/hook", "types": ["page.*"]}
        webhook = call("webhooks", "create_webhook", body=models.WebhookCreate.from_dict(hook))
        assert (webhook.types, bool(webhook.secret)) == (["page.*"], True)
    client.get_httpx_client().close()


def properties(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every property of every schema in a document, by where it is."""
    if isinstance(node, dict):
        found = node.get("properties")
        if isinstance(found, dict) and ("type" in node or "anyOf" in node):
            yield from ((f"{path}.{name}", one) for name, one in found.items())
        for name, inner in node.items():
            if name not in ("example", "examples"):
                yield from properties(inner, f"{path}.{name}")
    elif isinstance(node, list):
        for inner in node:
            yield from properties(inner, path)


def test_every_parameter_and_property_is_described(description: Any) -> None:
    described = {
        f"{method} {path}: {one['name']}": one
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        for one in operation["parameters"]
    } | dict(properties(description))
    assert len(described) > 250
    texts = {name: one.get("description", "") for name, one in described.items()}
    silent = [name for name, text in texts.items() if not text]
    assert not silent, f"Describe them: {silent}"
    odd = [text for text in texts.values() if not re.match(r"[A-Z0-9`].*\.$", text)]
    assert not odd, f"No sentences: {odd}"
    unpaired = [text for text in texts.values() if text.count("`") % 2]
    assert not unpaired


def test_every_declared_code_is_known_and_every_known_one_declared() -> None:
    declared = {"rest_no_route"}
    for route in ROUTES:
        for operation in route.operations.values():
            declared.update(*operation.error_codes.values())
    assert declared == set(all_error_codes())


# What generators of clients need of the document.
def test_fields_that_every_response_has_are_required(client: Client) -> None:
    page, feed = client.page(), client.feed()
    plan = client.post("/forms/1/feeds/plan", json={"entry": {}, "entry_id": 1}).get_json()
    client.put(f"/pages/{page['id']}", json={"title": "Other"})
    event = client.get("/events").get_json()[0]
    error = client.get("/pages/99").get_json()
    always = {
        "PageEdit": page, "PageView": client.get(f"/pages/{page['id']}").get_json(),
        "PageEmbed": client.get(f"/pages/{page['id']}?context=embed").get_json(),
        "RawAndRendered": page["title"], "EditContent": page["content"],
        "FeedRead": client.get(f"/feeds/{feed['id']}").get_json(),
        "FeedWritten": client.patch(f"/feeds/{feed['id']}", json={"is_active": False}).get_json(),
        "Caller": client.get("/whoami").get_json(), "PlannedFeed": plan["feeds"][0],
        "Event": event, "Error": error,
    }  # fmt: skip
    for name, (path, body) in (item for table in tables("RESPONSES") for item in table.items()):
        always[name] = client.post(path, json=body).get_json()
    schemas = client.get("/openapi.json").get_json()["components"]["schemas"]
    for name, response in always.items():
        assert (name, {*schemas[name]["required"]}) == (name, {*response})
    for name, response in (
        ("FeedPlan", plan), ("EventData", event["data"]), ("ErrorData", error["data"]),
    ):  # fmt: skip
        assert {*schemas[name]["required"]} <= {*response}
