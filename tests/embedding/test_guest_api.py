"""The Python API in a host, also beside an installed wheel: it needs nothing of this folder."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from landform.service import ApiError, create_blueprint

TYPED = Path(__file__).parent / "typed_host.py"


@pytest.fixture
def host() -> Iterator[Flask]:
    host = Flask(__name__)
    landing = create_blueprint("sqlite:///:memory:", credentials={"editor": "secret"})
    host.register_blueprint(landing, url_prefix="/landing")

    @host.post("/offers")
    def offer() -> dict[str, Any]:
        return dict(landing.api.create_page(title="An offer"))

    @host.errorhandler(ApiError)
    def refuse(error: ApiError) -> tuple[dict[str, object], int]:
        return error.body(), error.status

    host.add_url_rule("/broken", "broken", lambda: landing.api.get_page(99))
    yield host
    landing.api.close()


def test_a_view_of_the_host_writes_what_landform_serves(host: Flask) -> None:
    client = host.test_client()
    made = client.post("/offers").get_json()
    assert client.get(f"/landing/pages/{made['id']}").get_json()["link"] == made["link"]
    assert made["link"] == "http://localhost/landing/an-offer/"


def test_an_error_that_a_view_lets_through_is_the_hosts_to_answer(host: Flask) -> None:
    answer = host.test_client().get("/broken")
    assert (answer.status_code, answer.get_json()["code"]) == (404, "rest_post_invalid_id")


def test_the_typed_host_runs() -> None:
    typed = runpy.run_path(str(TYPED))
    assert typed["make_host"]().test_client().get("/").text == " of 0"
