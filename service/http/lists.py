"""Lists: a bound on their bytes, and headers for pages of results."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil

from flask import Response

from landform.service.errors import INVALID, ApiError
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage import TooLarge

# What makes a list smaller, by the parameter that does.
SMALLER = {
    "per_page": "a smaller per_page",
    "include": "fewer ids in include",
    "addon": "the feeds of one addon",
}


@contextmanager
def response_bound(request: ApiRequest, parameter: str) -> Iterator[int]:
    """Yield the bytes that a list may have; 400 where what is made of it raises `TooLarge`.

    `parameter`: the one that makes the list smaller.
    """
    most = request.service.options.max_response_bytes
    try:
        yield most
    except TooLarge as error:
        text = (
            f"The list has more than {most} bytes: ask for {SMALLER[parameter]}, or fewer _fields."
        )
        raise ApiError(400, INVALID, text, {"params": {parameter: text}}) from error


def checked(response: Response, most_bytes: int) -> Response:
    """Return a response, if it is not too large as a whole either."""
    if (response.content_length or 0) > most_bytes:
        raise TooLarge
    return response


def paging_headers(request: ApiRequest, query: JsonObject, total: int) -> dict[str, str]:
    """Return the headers of a page of results.

    A page beyond the last one is refused.
    """
    page, last = query["page"], ceil(total / query["per_page"])
    if page > last and total:
        message = f"There are only {last} pages of results."
        raise ApiError(400, "rest_post_invalid_page_number", message)
    headers = {"X-WP-Total": str(total), "X-WP-TotalPages": str(last)}
    links = [("prev", min(page - 1, last))] if page > 1 and last else []
    links += [("next", page + 1)] if page < last else []
    if links:
        headers["Link"] = ", ".join(_page_links(request, links))
    return headers


def _page_links(request: ApiRequest, links: Iterable[tuple[str, int]]) -> Iterable[str]:
    """Yield the links to other pages of results: the same query with another number."""
    kept = request.query_without("page")
    for rel, number in links:
        query = "&".join([*filter(None, [kept]), f"page={number}"])
        yield f'<{request.url.rstrip("/")}?{query}>; rel="{rel}"'
