"""The headers of a list that comes in pages of results: how many there are, and where to go on."""

from collections.abc import Iterable
from math import ceil
from urllib.parse import urlencode

from landform.service.errors import ApiError
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject

# What the links to other pages of results do not repeat: their own number, and secrets.
UNLINKED = ("page", "password", "consumer_key", "consumer_secret")


def paging_headers(request: ApiRequest, query: JsonObject, total: int, path: str) -> dict[str, str]:
    """Return the headers of a page of results; `path` is that of the list, below the API's URL.

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
        headers["Link"] = ", ".join(_page_links(request, links, path))
    return headers


def _page_links(request: ApiRequest, links: Iterable[tuple[str, int]], path: str) -> Iterable[str]:
    """Yield the links to other pages of results: the same query with another number."""
    kept = [
        (name, value) for name, value in request.query_pairs
        if name not in UNLINKED and not name.startswith("oauth_")
    ]  # fmt: skip
    parts = [urlencode(kept)] if kept else []
    base = request.api_base_url(path.count("/"))
    for rel, number in links:
        query = "&".join([*parts, f"page={number}"])
        yield f'<{base}{path}?{query}>; rel="{rel}"'
