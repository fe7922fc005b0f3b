"""The operations on previews: signed addresses that show a page which is not public."""

from datetime import UTC, datetime

from flask import Response

from landform.schemas import pages as schemas
from landform.service.http.contract import Contract, Resource
from landform.service.http.request import ApiRequest
from landform.service.signing import sign_preview
from landform.storage import AlreadyTrashed, pages, previews

RESOURCE = Resource()
WRITE = schemas.PreviewWrite()
PREVIEW, REVOKED = schemas.PagePreview(), schemas.PreviewsRevoked()
PATH = "/pages/<page_id>/preview"


@RESOURCE.operation(
    Contract(
        "POST", PATH, PREVIEW, scope="pages:read", body=WRITE, example={"expires_in": 86400},
        errors=("rest_post_invalid_id", "rest_already_trashed"),
    )
)  # fmt: skip
def create_preview(request: ApiRequest, page_id: int) -> Response:
    """Return a signed address that shows the page as it is, whatever its status and window."""
    seconds = request.values()["expires_in"]
    if pages.get(request.store, page_id, ("status",))["status"] == "trash":
        raise AlreadyTrashed
    signed = sign_preview(request.store, page_id, seconds)
    request.forbid_storing()
    ends = request.store.clock.moment(datetime.fromtimestamp(signed.until, UTC))
    address = f"{request.public_base_url(3)}/?page_id={page_id}&preview={signed.token}"
    body = {"id": page_id, "token": signed.token, "link": address, "expires": ends.local}
    return request.json_response({**body, "expires_gmt": ends.utc})


@RESOURCE.operation(
    Contract("DELETE", PATH, REVOKED, scope="pages:read", errors=("rest_post_invalid_id",))
)
def revoke_previews(request: ApiRequest, page_id: int) -> Response:
    """End every preview of the page at once."""
    pages.get(request.store, page_id, ("id",))
    previews.revoke(request.store, page_id)
    return request.json_response({"revoked": True})
