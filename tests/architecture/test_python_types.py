"""The types and methods of the Python API follow from the contracts and the schemas."""

import runpy

from rooms import ROOT

from landform.service.blueprint import RESOURCES
from landform.service.http.contract import all_routes

WRITTEN = runpy.run_path(str(ROOT / "docs/python_types.py"))["write"]()


def test_the_committed_code_is_what_the_script_writes() -> None:
    assert len(WRITTEN) == 2
    for file, code in WRITTEN.items():
        assert file.read_text() == code, "Run `python docs/python_types.py`."


def test_every_operation_has_a_name_of_its_own() -> None:
    routes = all_routes(RESOURCES)
    views = {one.view: one.name for route in routes for one in route.operations.values()}
    assert len(views) == len(set(views.values())) > 12
