"""The responses that the worker gives itself, without asking the application."""

from gunicorn.http.errors import (
    ConfigurationProblem,
    ExpectationFailed,
    ForbiddenProxyRequest,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)


def _refusal(status: int, reason: str, code: str, message: str, *headers: str) -> bytes:
    body = f'{{"code":"{code}","message":"{message}","data":{{"status":{status}}}}}'
    lines = [
        f"HTTP/1.1 {status} {reason}", "Connection: close", "Content-Type: application/json",
        f"Content-Length: {len(body)}", *headers, "", body,
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


TOO_SLOW = _refusal(
    408, "Request Timeout", "rest_request_timeout", "The request did not arrive in time."
)
TOO_MUCH = _refusal(
    503, "Service Unavailable", "rest_too_busy", "Too many requests are arriving at once.",
    "Retry-After: 2",
)  # fmt: skip
UNREADABLE = _refusal(400, "Bad Request", "rest_bad_request", "The request cannot be read as HTTP.")
# The other statuses that gunicorn has for what its parser refuses.
OTHERS: dict[type[ParseException], bytes] = {
    LimitRequestLine: _refusal(
        414, "URI Too Long", "rest_uri_too_long", "The URL is longer than this server takes."
    ),
    LimitRequestHeaders: _refusal(
        431, "Request Header Fields Too Large", "rest_headers_too_large",
        "The headers are more, or longer, than this server takes.",
    ),
    UnsupportedTransferCoding: _refusal(
        501, "Not Implemented", "rest_bad_request", "This Transfer-Encoding is unknown here."
    ),
    ExpectationFailed: _refusal(
        417, "Expectation Failed", "rest_bad_request", "This Expect is unknown here."
    ),
    ForbiddenProxyRequest: _refusal(
        403, "Forbidden", "rest_bad_request", "This request may not come by the PROXY protocol."
    ),
    ConfigurationProblem: _refusal(
        500, "Internal Server Error", "internal_server_error", "The server is configured wrongly."
    ),
}  # fmt: skip


def unreadable(error: ParseException) -> bytes:
    """Return the response to what is no request; it repeats nothing of it."""
    return OTHERS.get(type(error), UNREADABLE)
