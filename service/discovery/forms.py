"""The forms that feeds and pages name: landform holds none, and knows their numbers alone."""

from collections.abc import Sequence

from flask import Response

from landform.schemas import discovery as schemas
from landform.schemas.pages import STATUSES
from landform.service.errors import refusal
from landform.service.http.arguments import API
from landform.service.http.contract import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage import feeds
from landform.storage.pages import counts

RESOURCE = Resource()
BASE = f"{API}/gf/v2/forms"
LIST, LISTED, FORM = schemas.FormList(), schemas.FormListed(), schemas.Form()


@RESOURCE.operation(Contract("GET", BASE, LISTED, keyed=True, scope="feeds:read", query=LIST))
def list_forms(request: ApiRequest) -> Response:
    """Return the forms that feeds name, and pages that the caller may see, by their numbers."""
    wanted, store = request.parameters.get("include"), request.store
    found = sorted({*feeds.list_forms(store), *counts.list_forms(store, _statuses(request))})
    return request.json_response(
        {str(form): _listed(form) for form in found if not wanted or form in wanted}
    )


@RESOURCE.operation(
    Contract("GET", f"{BASE}/<form_id>", FORM, scope="feeds:read", errors=("gf_not_found",))
)
def get_form(request: ApiRequest, form_id: int) -> Response:
    """Return a form that a feed names, or a page that the caller may see."""
    store, statuses = request.store, _statuses(request)
    if not (feeds.names_form(store, form_id) or counts.names_form(store, form_id, statuses)):
        raise refusal("gf_not_found")
    return request.json_response({"id": form_id, "title": f"Form {form_id}"})


def _statuses(request: ApiRequest) -> Sequence[str]:
    """Return the statuses of the pages that the caller may see."""
    return STATUSES if request.has_scope("pages:read") else ("publish",)


def _listed(form: int) -> JsonObject:
    return {"id": str(form), "title": f"Form {form}", "entries": "0"}
