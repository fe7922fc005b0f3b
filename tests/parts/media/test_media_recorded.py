"""The recorded answers of WordPress for pictures, replayed."""

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.test_conformance import replay
from flask import Flask

SCENARIOS = json.loads((Path(__file__).parent / "media.json").read_text())
BASES = ("", "/wp-json/wp/v2")


def test_no_scenario_is_missing() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS) == 52


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_service_answers_as_recorded(app: Flask, scenario: dict[str, Any], base: str) -> None:
    assert replay(app, scenario, base) == []
