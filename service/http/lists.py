"""Lists: a bound on their bytes, and headers for pages of results."""

from math import ceil

from landform.service.errors import INVALID, ApiError
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject

# The parameter that makes a list smaller, of those that an operation takes.
SMALLER = ("per_page", "include", "addon")


def list_too_large(request: ApiRequest) -> ApiError:
    """Return the error for a list of too many bytes."""
    known = request.contract.body or request.contract.query
    name = next(name for name in SMALLER if known and name in known.load_fields)
    most = request.service.options.max_response_bytes
    text = f"The list has more than {most} bytes: ask for less by {name}, or for fewer _fields."
    return ApiError(400, INVALID, text, {"params": {name: text}})


def paging_headers(
    request: ApiRequest,
    query: JsonObject,
    total: int,
    beyond: str = "rest_post_invalid_page_number",
) -> dict[str, str]:
    """Return the headers of a page of results.

    A page beyond the last one is refused with a code.
    """
    page, last = query["page"], ceil(total / query["per_page"])
    if page > last and total:
        message = f"There are only {last} pages of results."
        raise ApiError(400, beyond, message)
    headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
    links = [("prev", min(page - 1, last))] if page > 1 and last else []
    links += [("next", page + 1)] if page < last else []
    if links:
        kept = request.query_without("page")
        url = f"{request.url.rstrip('/')}?{kept and kept + '&'}"
        headers["Link"] = ", ".join(f'<{url}page={number}>; rel="{rel}"' for rel, number in links)
    return headers
