"""The operation that sets the order of a form's feeds."""

from flask import Response

from landform.schemas import feeds as schemas
from landform.schemas.serializers import compile_serializer
from landform.service.http.operations import Contract, Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.storage import feed_order

RESOURCE = Resource(WP_JSON_PATHS[1])
READ, ORDER, PARAMETERS = schemas.FeedRead(), schemas.FeedOrder(), schemas.OrderParameters()
COLUMNS, dump = tuple(READ.fields), compile_serializer(READ)


@RESOURCE.operation(
    Contract(
        "PUT", "/forms/<form_id>/feeds/order", READ, many=True, scope="feeds:write",
        query=PARAMETERS, body=ORDER, body_list="feeds", if_match="feeds", headers=("ETag",),
        example={"feeds": [3, 1, 2]},
        errors=("rest_missing_callback_param", "rest_order_incomplete"),
    )
)  # fmt: skip
def order_feeds(request: ApiRequest, form_id: int) -> Response:
    """Put the feeds of a form into an order, all at once, and return them in it.

    The list has to hold each feed of the form, unless `partial` says that the others follow.
    """
    wanted = {"partial": False, **request.parameters, **request.values()}
    feeds, version = feed_order.set_order(
        request.store, form_id, wanted["feeds"], partial=wanted["partial"],
        expected=request.expected, columns=COLUMNS,
    )  # fmt: skip
    request.holds(request.etag("feeds", version))
    return request.json_response([dump(feed) for feed in feeds])
