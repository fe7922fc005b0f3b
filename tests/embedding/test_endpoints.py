"""Endpoints: each operation has one with its name, as Flask's own tools show them."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask, request, url_for
from flask.cli import FlaskGroup

from landform.service import ApiError, create_blueprint


@pytest.fixture
def host(tmp_path: Path) -> Flask:
    host = Flask("host")
    landing = create_blueprint(
        f"sqlite:///{tmp_path}/l.db", credentials={"admin": "secret"}, wp_json_paths=True
    )

    @landing.before_request
    def refuse() -> None:
        if "X-Closed" in request.headers:
            raise ApiError(503, "closed", "We are closed.")

    host.register_blueprint(landing, url_prefix="/landing")
    return host


def operations(host: Flask) -> dict[str, tuple[str, set[str]]]:
    """Return the path and the methods of each operation by its name, as the document has them."""
    described = host.test_client().get("/landing/openapi.json").get_json()
    operations: dict[str, tuple[str, set[str]]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"].split("_by_")[0]
            names = {"GET", "HEAD"} if method == "get" else {method.upper()}
            operations[name] = path, operations.get(name, ("", set()))[1] | names
    assert len(operations) > 40
    return operations


def test_flask_lists_each_operation_with_its_own_methods(host: Flask) -> None:
    group = FlaskGroup(create_app=lambda: host, add_version_option=False)
    lines = CliRunner().invoke(group, ["routes", "--all-methods"]).output.splitlines()
    cells = [re.split(r"\s{2,}", line.strip(), maxsplit=2) for line in lines]
    listed = {(cell[0], cell[2]): {*cell[1].split(", ")} for cell in cells if len(cell) == 3}
    for name, (path, methods) in operations(host).items():
        rule = "/landing" + path.replace("{", "<").replace("}", ">")
        assert listed[f"landform.{name}", rule] == methods, name


def test_flask_makes_the_url_of_each_operation(host: Flask) -> None:
    for name, (path, methods) in operations(host).items():
        variables = re.findall(r"{(\w+)}", path)
        ids = dict(zip(variables, (17, 18), strict=False))
        with host.test_request_context():
            url = url_for(f"landform.{name}", **ids)
        assert url == f"/landing{path.format(**ids)}"
        for method in methods:
            with host.test_request_context(url, method=method):
                assert request.endpoint == f"landform.{name}"
        response = host.test_client().open(url, method="TRACE")
        assert (response.status_code, response.mimetype) == (405, "application/json")


def test_an_error_of_a_hook_of_the_host_is_answered_in_the_shape_of_errors(host: Flask) -> None:
    response = host.test_client().get("/landing/pages", headers={"X-Closed": "1"})
    assert (response.status_code, response.get_json()["code"]) == (503, "closed")
    assert response.get_json()["data"] == {"status": 503}
