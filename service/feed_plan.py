"""The operation that says which feeds run for an entry. It changes nothing."""

from flask import Response

from landform.schemas import feed_plan as schemas
from landform.service.http.limits import check_entry
from landform.service.http.operations import Contract, Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.service.planning.planner import plan

RESOURCE = Resource(WP_JSON_PATHS[1])
PLAN, REQUEST, PARAMETERS = schemas.FeedPlan(), schemas.PlanRequest(), schemas.PlanParameters()
EXAMPLE = {"entry": {"1": "ada@example.com", "2.1": "Yes"}, "entry_id": "17", "explain": True}


@RESOURCE.operation(
    Contract(
        "POST", "/forms/<form_id>/feeds/plan", PLAN, safe=True, scope="feeds:read",
        query=PARAMETERS, body=REQUEST, example=EXAMPLE, errors=("rest_missing_callback_param",),
    )
)  # fmt: skip
def plan_feeds(request: ApiRequest, form_id: int) -> Response:
    """Return the feeds of a form that run for an entry, in their order, and why others do not.

    It changes nothing, and stores nothing of the entry.
    """
    check_entry(request.service.options.limits, request.body, len(request.raw_body()))
    wanted = {**request.parameters, **request.values()}
    count = request.response_bound("addon").count
    return request.json_response(plan(request.store, form_id, wanted, check_row=count))
