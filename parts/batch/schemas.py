"""Batches: several requests in one, and their responses."""

from typing import Any

from marshmallow import Schema, ValidationError, validate

from landform.schemas import fields
from landform.schemas.fields import JsonObject, Output, required
from landform.schemas.known_names import Anything, Tolerant

MOST_REQUESTS, LONGEST_PATH, ALL = 25, 8190, "require-all-validate"
# Not a URL, nor a path that would be read as one.
PATH = validate.Regexp("/(?!/)", error="must begin with one slash.")


def check_headers(headers: JsonObject) -> None:
    """Refuse a header that is neither a text nor a list of texts."""
    for value in headers.values():
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in parts):
            raise ValidationError("must be texts, or lists of texts.")


class BatchItem(Tolerant):
    """A request of a batch."""

    method = fields.Text("Its method.", ("POST", "PUT", "PATCH", "DELETE"), load_default="POST")
    path = fields.Text(
        "Its path below that of the API, with its query.",
        longest=LONGEST_PATH,
        validate=PATH,
        **required("path"),
    )
    headers = fields.Nested(
        "`If-Match`, `Idempotency-Key` and `Prefer`; others are ignored.",
        Anything(),
        is_bounded=False,
        load_default=dict,
        validate=check_headers,
    )
    body = fields.Nested("Its body.", Anything(), is_bounded=False)


class Batch(Tolerant):
    """The body of a batch."""

    validation = fields.Text(
        "With `require-all-validate` nothing is written unless all requests are valid.",
        (ALL, "normal"),
        load_default="normal",
    )
    requests = fields.JsonList(
        "The requests, carried out in this order.",
        fields.Nested("", BatchItem(), is_bounded=False),
        max_items=MOST_REQUESTS,
        **required("requests"),
    )


class BatchResponses(Schema):
    """The responses to the requests of a batch."""

    failed = Output("`validation` if an invalid request prevented all writes.", optional=True)
    responses = Output(
        "The responses in the same order, each with `body`, `status` and `headers`; null for a "
        "valid request that was not carried out.",
        list[Any],
    )
