"""The types of the Python API follow from the contracts and the schemas."""

import runpy

from rooms import ROOT

from landform.service.http.contract import all_routes
from landform.service.python.operations import RESOURCES


def test_the_committed_stub_is_what_the_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "docs/python_types.py"))
    assert script["STUB"].read_text() == script["stub"](), "Run `make types`."


def test_every_operation_has_a_name_of_its_own() -> None:
    routes = all_routes(RESOURCES)
    views = {one.view: one.name for route in routes for one in route.operations.values()}
    assert len(views) == len(set(views.values())) > 12
