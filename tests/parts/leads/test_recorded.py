"""The recorded answers of Gravity Forms for forms, submissions and entries, replayed."""

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.conform import run
from conformance.test_conformance import declared_codes, with_role
from flask import Flask

FOLDER = Path(__file__).parent
SCENARIOS = [
    scenario
    for name in ("forms", "submissions", "entries")
    for scenario in json.loads((FOLDER / f"{name}.json").read_text())
]


def test_no_scenario_is_missing() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS) == 208


@pytest.mark.settings(ENTRY_IP=True)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_service_answers_as_recorded(app: Flask, scenario: dict[str, Any]) -> None:
    client = app.test_client()

    def send(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
        answer = client.open(path, method=method, headers=headers, data=body)
        problem = answer.get_json() if answer.status_code >= 400 and answer.data else None
        if isinstance(problem, dict) and "code" in problem:
            assert problem["code"] in declared_codes(method, path, answer.status_code)
        return answer.status_code, answer.headers.items(), answer.data

    assert run(scenario, with_role(send)) == []
