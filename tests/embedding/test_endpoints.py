"""Endpoints: each operation has one with its name, as Flask's own tools show them."""

from pathlib import Path

import pytest
from flask import Flask, request, url_for

from landform.service import ApiError, create_blueprint

METHODS = {
    "list_pages": {"GET", "HEAD"},
    "create_page": {"POST"},
    "get_page": {"GET", "HEAD"},
    "update_page": {"PUT", "POST", "PATCH"},
    "delete_page": {"DELETE"},
    "list_feeds": {"GET", "HEAD"},
    "create_feed": {"POST"},
    "get_feed": {"GET", "HEAD"},
    "update_feed": {"PUT"},
    "patch_feed": {"PATCH"},
    "delete_feed": {"DELETE"},
    "update_properties": {"PUT"},
    "list_form_feeds": {"GET", "HEAD"},
    "create_form_feed": {"POST"},
}
VALUES = {"page_id": 1, "feed_id": 2, "form_id": 3}


@pytest.fixture
def host(tmp_path: Path) -> Flask:
    host = Flask("host")
    landing = create_blueprint(f"sqlite:///{tmp_path}/l.db", credentials={"admin": "secret"})

    @landing.before_request
    def refuse() -> None:
        if "X-Closed" in request.headers:
            raise ApiError(503, "closed", "We are closed.")

    host.register_blueprint(landing, url_prefix="/landing")
    return host


@pytest.mark.parametrize("name", METHODS)
def test_an_operation_has_an_endpoint_with_its_name_and_its_methods(host: Flask, name: str) -> None:
    rules = host.url_map.iter_rules(f"landform.{name}")
    assert {method for rule in rules for method in rule.methods or ()} == METHODS[name]
    [rule, *_] = host.url_map.iter_rules(f"landform.{name}")
    with host.test_request_context():
        path = url_for(f"landform.{name}", **{one: VALUES[one] for one in rule.arguments})
    client = host.test_client()
    response = client.open(path, method=min(METHODS[name]))
    assert response.mimetype == "application/json"
    assert response.status_code in (200, 401, 404)
    assert client.open(path, method="TRACE").status_code == 405


def test_an_error_of_a_hook_of_the_host_is_answered_in_the_shape_of_errors(host: Flask) -> None:
    response = host.test_client().get("/landing/pages", headers={"X-Closed": "1"})
    assert (response.status_code, response.get_json()["code"]) == (503, "closed")
    assert response.get_json()["data"] == {"status": 503}
