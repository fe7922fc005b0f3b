"""The forms that feeds name: landform holds none, and knows their numbers alone."""

from flask import Response

from landform.schemas import discovery as schemas
from landform.service.errors import refusal
from landform.service.http.arguments import API
from landform.service.http.json_codec import JsonObject
from landform.service.http.operations import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.storage import feeds

RESOURCE = Resource()
BASE = f"{API}/gf/v2/forms"
LIST, LISTED, FORM = schemas.FormList(), schemas.FormListed(), schemas.Form()


@RESOURCE.operation(Contract("GET", BASE, LISTED, keyed=True, scope="feeds:read", query=LIST))
def list_forms(request: ApiRequest) -> Response:
    """Return the forms that feeds name, by their numbers."""
    wanted, found = request.parameters.get("include"), feeds.list_forms(request.store)
    return request.json_response(
        {str(form): _listed(form) for form in found if not wanted or form in wanted}
    )


@RESOURCE.operation(
    Contract("GET", f"{BASE}/<form_id>", FORM, scope="feeds:read", errors=("gf_not_found",))
)
def get_form(request: ApiRequest, form_id: int) -> Response:
    """Return a form that feeds name."""
    if not feeds.names_form(request.store, form_id):
        raise refusal("gf_not_found")
    return request.json_response({"id": form_id, "title": f"Form {form_id}"})


def _listed(form: int) -> JsonObject:
    return {"id": str(form), "title": f"Form {form}", "entries": "0"}
