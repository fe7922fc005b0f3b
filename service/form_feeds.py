"""The operations on all feeds of a form together: which run for an entry, and their order."""

from flask import Response

from landform.schemas import feed_plan, feeds
from landform.schemas.responses import compile_serializer
from landform.service.http.contract import Contract, Resource
from landform.service.http.lists import ResponseBound
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.service.planning.plan import plan
from landform.storage import feed_order

RESOURCE = Resource(WP_JSON_PATHS[1])
PLAN, REQUEST = feed_plan.FeedPlan(), feed_plan.PlanRequest()
PLAN_PARAMETERS = feed_plan.PlanParameters()
READ, ORDER, ORDER_PARAMETERS = feeds.FeedRead(), feeds.FeedOrder(), feeds.OrderParameters()
COLUMNS, dump = tuple(READ.fields), compile_serializer(READ)
EXAMPLE = {"entry": {"1": "ada@example.com", "2.1": "Yes"}, "entry_id": "17", "explain": True}


@RESOURCE.operation(
    Contract(
        "POST", "/forms/<form_id>/feeds/plan", PLAN, safe=True, scope="feeds:read",
        query=PLAN_PARAMETERS, body=REQUEST, example=EXAMPLE,
        errors=("rest_missing_callback_param",),
    )
)  # fmt: skip
def plan_feeds(request: ApiRequest, form_id: int) -> Response:
    """Return the feeds of a form that run for an entry, in their order, and why others do not.

    It changes nothing, and stores nothing of the entry.
    """
    wanted = {**request.parameters, **request.values()}
    bound = ResponseBound(request, "addon")
    found = plan(request.store, form_id, wanted, check_row=bound.count)
    return bound.checked(request.json_response(found))


@RESOURCE.operation(
    Contract(
        "PUT", "/forms/<form_id>/feeds/order", READ, many=True, scope="feeds:write",
        query=ORDER_PARAMETERS, body=ORDER, body_list="feeds", if_match="feeds", headers=("ETag",),
        example={"feeds": [3, 1, 2]},
        errors=("rest_missing_callback_param", "rest_order_incomplete"),
    )
)  # fmt: skip
def order_feeds(request: ApiRequest, form_id: int) -> Response:
    """Put the feeds of a form into an order, all at once, and return them in it.

    The list has to hold each feed of the form, unless `partial` says that the others follow.
    """
    wanted = {"partial": False, **request.parameters, **request.values()}
    ordered, version = feed_order.set_order(
        request.store, form_id, wanted["feeds"], partial=wanted["partial"],
        expected=request.expected, columns=COLUMNS,
    )  # fmt: skip
    request.set_etag(request.etag("feeds", version))
    return request.json_response([dump(feed) for feed in ordered])
