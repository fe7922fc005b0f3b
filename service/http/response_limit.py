"""A bound on the bytes of a list, checked while its rows are read."""

import orjson

from landform.service.errors import INVALID, ApiError
from landform.storage.rows import Row

# How short a text is to be counted as it is: in JSON a character may take six bytes.
SHORT = 512
# What makes a list smaller, by the parameter that does.
SMALLER = {
    "per_page": "a smaller per_page",
    "include": "fewer ids in include",
    "addon": "the feeds of one addon",
}


class ResponseBound:
    """Adds up what the rows of a list take as JSON; 400 where it is more than a response may have.

    `parameter`: the one that makes the list smaller.
    """

    def __init__(self, most_bytes: int, parameter: str) -> None:
        self._most_bytes, self._parameter = most_bytes, parameter
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
        self.check(self._bytes)

    def count(self, row: Row) -> None:
        """Take one more row into account, and leave it as it is."""
        self._bytes += len(row["meta"].encode())
        self.check(self._bytes)

    def check(self, size: int) -> None:
        """Refuse a response of so many bytes if those are too many."""
        if size > self._most_bytes:
            name = self._parameter
            how = SMALLER[name]
            text = (
                f"The list has more than {self._most_bytes} bytes: ask for {how}, or fewer _fields."
            )
            raise ApiError(400, INVALID, text, {"params": {name: text}})
