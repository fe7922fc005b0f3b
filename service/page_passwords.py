"""Passwords of pages: the content behind one is shown to callers who send it."""

from collections.abc import Sequence

from landform.service.errors import INVALID, ApiError, refusal
from landform.service.http.request import ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage.rows import Row

# Each wrong one may cost a write.
MOST_COMPARED = 10
TOO_MANY = f"The password can be compared with at most {MOST_COMPARED} pages: name fewer slugs."


def sent_password(request: ApiRequest, query: JsonObject) -> str:
    """Return the password of a page that a request brings: in the header, or in its query."""
    return request.header("X-Page-Password") or str(query["password"])


class ListPassword:
    """The password that the request for a list brings: it opens pages that are named by slug.

    It is taken out of the query, so that no link, entity tag or cache key is made of it.
    """

    def __init__(self, request: ApiRequest, query: JsonObject) -> None:
        self._request = request
        self._sent = sent_password(request, query)
        del query["password"]
        self._opens = bool(self._sent and query.get("slug") and query["context"] != "edit")
        self._shows_all = query["context"] == "edit"
        if self.is_sent:
            request.forbid_storing()

    @property
    def is_sent(self) -> bool:
        """Whether there is one; then the response may not be stored anywhere."""
        return bool(self._sent)

    def with_columns(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns of a list with those that are compared, where any are."""
        return tuple(dict.fromkeys((*columns, "id", "password"))) if self._opens else columns

    def visible(self, rows: Sequence[Row]) -> list[bool]:
        """Return of each page whether its content may be shown.

        403 where the password is that of none of the pages that have one.
        """
        protected = [row for row in rows if row.get("password")] if self._opens else []
        if len(protected) > MOST_COMPARED:
            raise ApiError(400, INVALID, TOO_MANY, {"params": {"password": TOO_MANY}})
        opened = {row["id"] for row in protected if self._is_that_of(row)}
        if protected and not opened:
            raise refusal("rest_post_incorrect_password")
        return [
            self._shows_all or not row.get("password") or row.get("id") in opened for row in rows
        ]

    def _is_that_of(self, page: Row) -> bool:
        return self._request.access.is_password(page["id"], page["password"], self._sent)
