"""The recorded answers of the peers, replayed."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.conform import run
from conftest import basic
from flask import Flask
from part_tables import ROUTES

FOLDER = Path(__file__).parent
SCENARIOS = [
    s for name in ("pages", "feeds") for s in json.loads((FOLDER / f"{name}.json").read_text())
]


def with_role(send: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the role of a step into credentials."""

    def role_sent(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        role = headers.pop("X-Role")
        return send(method, path, {**headers, **(basic() if role == "admin" else {})}, body)

    return role_sent


def declared_codes(method: str, path: str, status: int) -> list[str]:
    """Return the codes that the contract of an operation names for a status."""
    plain = path.partition("?")[0].rstrip("/")
    for route in ROUTES:
        if any(re.fullmatch(re.sub("<.*?>", "[0-9]+", rule), plain) for rule in route.rules):
            operation = route.operations.get("GET" if method == "HEAD" else method)
            return operation.error_codes[status] if operation else ["rest_no_route"]
    return ["rest_no_route"]


def test_no_scenario_is_missing() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS) == 245


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_service_answers_as_recorded(app: Flask, scenario: dict[str, Any]) -> None:
    client = app.test_client()

    def send(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        answer = client.open(path, method=method, headers=headers, data=body)
        if answer.status_code >= 400 and answer.data and "override" not in scenario["name"]:
            assert answer.get_json()["code"] in declared_codes(method, path, answer.status_code)
        return answer.status_code, answer.headers.items(), answer.data

    assert run(scenario, with_role(send)) == []
