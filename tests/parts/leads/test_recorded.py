"""The recorded answers of Gravity Forms for forms, submissions and entries, replayed."""

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.test_conformance import replay
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
    assert replay(app, scenario) == []
