"""The responses that the worker gives itself, without asking the application."""


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
