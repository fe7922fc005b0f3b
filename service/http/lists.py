"""Lists: a bound on their bytes, checked while rows are read, and headers for pages of results."""

from collections.abc import Iterable
from math import ceil
from typing import NoReturn
from urllib.parse import urlencode

import orjson
from flask import Response

from landform.service.errors import INVALID, ApiError
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage.rows import Row

# How short a text is to be counted as it is: in JSON a character may take six bytes.
SHORT = 512
# What makes a list smaller, by the parameter that does.
SMALLER = {
    "per_page": "a smaller per_page",
    "include": "fewer ids in include",
    "addon": "the feeds of one addon",
}
# What the links to other pages of results do not repeat: their own number, and secrets.
UNLINKED = ("page", "password", "consumer_key", "consumer_secret")


class ResponseBound:
    """Adds up what the rows of a list take as JSON; 400 where it is more than a response may have.

    `parameter`: the one that makes the list smaller.
    """

    def __init__(self, request: ApiRequest, parameter: str) -> None:
        self._most_bytes = request.service.options.max_response_bytes
        self._parameter = parameter
        self._bytes = 0

    def __call__(self, row: Row) -> None:
        """Take one more row into account.

        Its long texts become the JSON of the response, which takes less memory.
        """
        for name, value in row.items():
            if not isinstance(value, str):
                continue
            if name == "meta":
                # JSON text goes into the response as it is.
                self._bytes += len(value.encode())
            elif len(value) < SHORT:
                self._bytes += len(value)
            else:
                text = orjson.dumps(value)
                self._bytes += len(text) - 2
                row[name] = orjson.Fragment(text)
        if self._bytes > self._most_bytes:
            self._refuse()

    def count(self, row: Row) -> None:
        """Take one more row into account, and leave it as it is."""
        self._bytes += len(row["meta"].encode())
        if self._bytes > self._most_bytes:
            self._refuse()

    def checked(self, response: Response) -> Response:
        """Return a response, if it is not too large as a whole either."""
        if (response.content_length or 0) > self._most_bytes:
            self._refuse()
        return response

    def _refuse(self) -> NoReturn:
        name, how = self._parameter, SMALLER[self._parameter]
        text = f"The list has more than {self._most_bytes} bytes: ask for {how}, or fewer _fields."
        raise ApiError(400, INVALID, text, {"params": {name: text}})


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
    kept = [
        (name, value) for name, value in request.query_pairs
        if name not in UNLINKED and not name.startswith("oauth_")
    ]  # fmt: skip
    parts = [urlencode(kept)] if kept else []
    for rel, number in links:
        query = "&".join([*parts, f"page={number}"])
        yield f'<{request.url.rstrip("/")}?{query}>; rel="{rel}"'
