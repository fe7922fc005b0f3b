"""Errors: their JSON format, and the conversion of exceptions into it.

`{"code": ..., "message": ..., "data": {"status": ..., "params"?: ..., "details"?: ...}}`, with
the codes of WordPress and Gravity Forms, and our own messages.
"""

import logging
import re
from collections.abc import Iterator, Mapping

from marshmallow import ValidationError

from landform import storage
from landform.parts.errors import PartError
from landform.schemas.fields import CodedMessage
from landform.service.pipeline.codes import ERROR_CODES, all_error_codes
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.reply import Finished
from landform.storage.errors import reason_of

log = logging.getLogger("landform")

# Characters that would begin another line, or cannot be written.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
INVALID = "rest_invalid_param"
MISSING = "rest_missing_callback_param"
RETRY_AFTER_SECONDS = 2
STORAGE_CODES: dict[type[storage.StorageError], str] = {
    storage.PageNotFound: "rest_post_invalid_id",
    storage.FeedNotFound: "gf_feed_invalid_id",
    storage.OrderIncomplete: "rest_order_incomplete",
    storage.EventsExpired: "rest_events_expired",
    storage.AlreadyTrashed: "rest_already_trashed",
    storage.EmptyPage: "empty_content",
    storage.EmptyFeed: "missing_feed_meta",
    storage.VersionConflict: "rest_precondition_failed",
    storage.KeyReused: "rest_idempotency_key_reused",
    storage.TooExpensive: "rest_search_too_expensive",
    storage.DiskFull: "storage_full",
    storage.CommitUnknown: "storage_uncertain",
    storage.StorageError: "storage_unavailable",
}


def printable(text: object) -> str:
    """Return a text from elsewhere as one line, without characters that control a terminal."""
    return UNSAFE.sub(lambda match: ascii(match[0])[1:-1], str(text))


class ApiError(Exception):
    """An error with its status and code; `data` is added to the `data` of the body."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.data, self.headers = dict(data or {}), dict(headers or {})

    @property
    def params(self) -> Mapping[str, str]:
        """The messages of invalid parameters by name; empty for other errors."""
        params = self.data.get("params")
        if isinstance(params, list):
            return {name: f"{name} is required." for name in params}
        return params if isinstance(params, dict) else {}

    @property
    def details(self) -> object:
        """More details, or None."""
        return self.data.get("details")

    def __reduce__(self) -> tuple[object, ...]:
        arguments = (self.status, self.code, self.message, self.data, self.headers)
        return (type(self), arguments)

    def body(self) -> dict[str, object]:
        """Return the JSON object of the error."""
        data = {"status": self.status, **self.data}
        return {"code": self.code, "message": self.message, "data": data}

    def finished(self) -> Finished:
        """Return the reply with the error."""
        return Finished(dumps(self.body()), self.status, self.headers)


def api_error(code: str) -> ApiError:
    """Return the error of a code with one status, with its message in `error_codes`."""
    (status,), message = ERROR_CODES.get(code) or all_error_codes()[code]
    return ApiError(status, code, message)


def no_route() -> ApiError:
    """Return the error for a path without a route."""
    return ApiError(404, "rest_no_route", "No route matches this URL.")


def wrong_method(allowed: str) -> ApiError:
    """Return the error for a route without the method; `allowed` is for `Allow`."""
    message = "This URL does not support this method."
    return ApiError(405, "rest_no_route", message, headers={"Allow": allowed})


def internal_error() -> ApiError:
    """Return the 500; its reason is in the log."""
    return ApiError(500, "internal_server_error", "An unexpected error occurred.")


def http_error(status: int, reason: str) -> ApiError:
    """Return the error for a request that a server refuses, with the reason phrase of HTTP."""
    codes = {413: "rest_body_too_large", 500: "internal_server_error", 507: "storage_full"}
    return ApiError(status, codes.get(status, "rest_bad_request"), f"{reason}.")


def from_known(error: Exception) -> ApiError | None:
    """Return the API error for an exception; None for an unexpected one."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ValidationError):
        return from_validation(error)
    if isinstance(error, storage.StorageError):
        return _from_storage(error)
    return None


def from_validation(error: ValidationError) -> ApiError:
    """Return the error for an invalid body or query, with all invalid parameters."""
    params = dict(_flat(error.normalized_messages()))  # type: ignore[no-untyped-call]
    missing = [name for name, text in params.items() if getattr(text, "code", "") == MISSING]
    if missing:
        message = " ".join(str(params[name]) for name in missing)
        return ApiError(400, MISSING, message, {"params": missing})
    coded = [text for text in params.values() if isinstance(text, CodedMessage)]
    if len(coded) == len(params):
        return ApiError(400, coded[0].code, coded[0], {"params": params})
    return ApiError(400, INVALID, f"Invalid: {', '.join(params)}.", {"params": params})


def _flat(messages: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield each invalid parameter, such as `outer.inner`, with its first message."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            if key == "_schema":
                yield from _flat(inner, name)
            else:
                yield from _flat(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name or "body", messages[0] if isinstance(messages, list) else messages


def _from_storage(error: storage.StorageError) -> ApiError:
    if isinstance(error, storage.TextRefused):
        return from_validation(ValidationError(str(error), error.name))
    if isinstance(error, PartError):
        data = {} if error.details is None else {"details": error.details}
        headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if error.status == 503 else {}
        return ApiError(error.status, error.code, str(error), data, headers)
    known = api_error(next(code for kind, code in STORAGE_CODES.items() if isinstance(error, kind)))
    if isinstance(error, storage.OrderIncomplete):
        known.data["details"] = error.details
    if known.code.startswith("storage_"):
        if not isinstance(error, storage.DiskFull):
            # The storage itself logs a full disk, but not for each request.
            log.warning("Storage failed: %s", reason_of(error.__cause__ or error))
        retry = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return ApiError(known.status, known.code, str(error), headers=retry)
    return known
