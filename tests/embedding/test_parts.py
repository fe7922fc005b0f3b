"""A blueprint has the operations of the parts that it names, each with an endpoint of its name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask, request, url_for
from flask.cli import FlaskGroup
from processes import python

from landform.parts import all_parts, modules_of
from landform.service import ApiError, Identity, create_blueprint
from landform.service.pipeline.operations import Operation, Route, all_routes
from landform.service.resources import api_routes

SCRIPT = """
import json, sys
from flask import Flask
from landform.service import Identity, create_blueprint

guest = create_blueprint(
    "sqlite:///:memory:", parts=(), authorizer=lambda request: Identity("host"),
    site=True, wp_json_paths=True, root_page=True,
)
host = Flask("host")
host.register_blueprint(guest)
client = host.test_client()
assert client.post("/pages", json={"title": "Fair", "status": "publish"}).status_code == 201
assert client.post("/feeds", json={"form_id": 1, "addon_slug": "a", "meta": {"k": 1}}).is_json
plan = client.post("/forms/1/feeds/plan", json={"entry": {}})
paths = "/ /fair/ /wp-json/wp/v2/pages /events /whoami /sitemap.xml".split()
assert {client.get(path).status_code for path in paths} | {plan.status_code} == {200}
guest.deliver()
print(json.dumps([name for name in sys.modules if name.startswith("landform.parts.")]))
"""


def routes_of_parts(*names: str) -> list[Route]:
    """Return the routes of all parts, of operations and screens."""
    modules = modules_of(all_parts().values(), "operations")
    names = names or ("RESOURCES", "SCREENS")
    resources = [one for module in modules for name in names for one in getattr(module, name, ())]
    return all_routes(resources)


def operations_of_parts() -> list[Operation]:
    """Return the operations of the API that parts have."""
    return [one for route in routes_of_parts("RESOURCES") for one in route.methods]


def make_host(**guests: Any) -> Flask:
    """Return a host with a blueprint for each name, which has these parts."""
    host = Flask("host")
    for name, parts in guests.items():
        guest = create_blueprint(
            "sqlite:///:memory:", name=name, parts=parts, wp_json_paths=True,
            authorizer=lambda request: Identity("host"),
        )  # fmt: skip
        host.register_blueprint(guest, url_prefix=f"/{name}")
    return host


def test_without_parts_there_is_no_route_or_method_of_one() -> None:
    host = make_host(core=(), every=[part() for part in all_parts().values()])
    rules = {rule.rule for rule in host.url_map.iter_rules()}
    assert {"/core/pages", "/core/wp-json/wp/v2/pages", "/core/whoami"} <= rules
    of_parts = api_routes(tuple(all_parts().values()), wordpress=True)
    added = {rule for route in of_parts for rule in route.rules} - {
        rule for route in api_routes((), wordpress=True) for rule in route.rules
    }
    added |= {rule for route in routes_of_parts("SCREENS") for rule in route.rules}
    assert {f"/every{rule}" for rule in added} <= rules
    assert not {f"/core{rule}" for rule in added} & rules
    core, every = (host.blueprints[name].api for name in ("core", "every"))  # type: ignore[attr-defined]
    for operation in operations_of_parts():
        assert callable(getattr(every, operation.name))
        assert operation.name in dir(every)
        assert operation.name not in dir(core)
        with pytest.raises(AttributeError, match=f"no attribute '{operation.name}'"):
            getattr(core, operation.name)


def test_a_disabled_part_has_no_route() -> None:
    host = make_host(off=[part(enabled=False) for part in all_parts().values()], core=())
    rules = {rule.rule for rule in host.url_map.iter_rules()}
    off, core = (
        {rule.removeprefix(f"/{name}") for rule in rules if rule.startswith(f"/{name}/")}
        for name in ("off", "core")
    )
    assert off == core


@pytest.mark.servers
def test_without_parts_only_their_classes_tables_and_errors_are_imported(tmp_path: Path) -> None:
    ended = python("-c", SCRIPT, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    allowed = {
        f"landform.parts.{name}{module}"
        for name in all_parts()
        for module in ("", ".models", ".errors", ".options")
    }
    core = ("part", "option", "errors", "http_urls", "feed_runs", "worker")
    allowed |= {f"landform.parts.{module}" for module in core}
    assert set(json.loads(ended.stdout)) <= allowed


def test_a_guest_has_those_of_guests_unless_it_names_parts() -> None:
    parts = all_parts().values()
    host = make_host(default=None, guests=[p() for p in parts if p.in_guests])
    rules = {rule.rule for rule in host.url_map.iter_rules()}
    default, guests = (
        {rule.removeprefix(f"/{name}") for rule in rules if rule.startswith(f"/{name}/")}
        for name in ("default", "guests")
    )
    assert default == guests


@pytest.mark.parametrize(
    "parts",
    [
        *(["runs"], "runs", 5, [None]),
        *([kind] for kind in all_parts().values()),
        *([kind(), kind()] for kind in all_parts().values()),
    ],
)
def test_what_is_no_list_of_parts_is_refused(parts: Any) -> None:
    with pytest.raises(ValueError, match="parts must be a list of parts"):
        create_blueprint("sqlite:///:memory:", parts=parts)


# Each operation has an endpoint with its name.
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
    """Return the path and the methods of each operation by its name."""
    parts = host.blueprints["landform"].service.options.part_types  # type: ignore[attr-defined]
    operations = {
        operation.name: (route.path.replace("<", "{").replace(">", "}"), {*methods})
        for route in api_routes(parts, wordpress=True)
        for operation, methods in route.methods.items()
    }
    assert len(operations) > 25
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
