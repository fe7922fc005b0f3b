"""The recorded answers of WordPress for pictures, replayed."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from conformance.conform import run
from conformance.test_conformance import declared_codes, with_role
from flask import Flask

SCENARIOS = json.loads((Path(__file__).parent / "media.json").read_text())
BASES = ("", "/wp-json/wp/v2")


def test_no_scenario_is_missing() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS) == 52


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_service_answers_as_recorded(app: Flask, scenario: dict[str, Any], base: str) -> None:
    client = app.test_client()

    def send(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        # As a server passes them on.
        sent = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        is_file = path.startswith("http")
        path = urlsplit(path).path if is_file else base + path
        answer = client.open(path, method=method, headers=sent, data=body)
        problem = answer.get_json() if answer.status_code >= 400 and answer.data else None
        if isinstance(problem, dict) and not is_file:
            assert problem["code"] in declared_codes(method, path, answer.status_code)
        return answer.status_code, answer.headers.items(), answer.data

    assert run(scenario, with_role(send)) == []
