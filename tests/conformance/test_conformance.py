"""The recorded answers of the peers, replayed."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conformance.conform import run
from conftest import basic
from flask import Flask
from part_tables import ROUTES

FOLDER = Path(__file__).parent
SCENARIOS = [
    s for name in ("pages", "feeds") for s in json.loads((FOLDER / f"{name}.json").read_text())
]


def declared_codes(method: str, path: str, status: int) -> list[str]:
    """Return the codes that the contract of an operation names for a status."""
    plain = path.partition("?")[0].rstrip("/")
    for route in ROUTES:
        if any(re.fullmatch(re.sub("<.*?>", "[0-9]+", rule), plain) for rule in route.rules):
            operation = route.operations.get("GET" if method == "HEAD" else method)
            return operation.error_codes[status] if operation else ["rest_no_route"]
    return ["rest_no_route"]


def replay(app: Flask, scenario: dict[str, Any], base: str = "") -> list[str]:
    """Send the requests of a scenario, and return what is not as recorded.

    `base`: what paths begin with; the URLs of files have none.
    """
    client = app.test_client()

    def send(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        role = headers.pop("X-Role")
        # As a server passes them on.
        sent = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        sent |= basic() if role == "admin" else {}
        is_file = path.startswith("http")
        path = urlsplit(path).path if is_file else base + path
        answer = client.open(path, method=method, headers=sent, data=body)
        problem = answer.get_json() if answer.status_code >= 400 and answer.data else None
        is_described = not is_file and "override" not in scenario["name"]
        if is_described and isinstance(problem, dict) and "code" in problem:
            assert problem["code"] in declared_codes(method, path, answer.status_code)
        return answer.status_code, answer.headers.items(), answer.data

    return run(scenario, send)


def test_no_scenario_is_missing() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS) == 245


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_service_answers_as_recorded(app: Flask, scenario: dict[str, Any]) -> None:
    assert replay(app, scenario) == []
