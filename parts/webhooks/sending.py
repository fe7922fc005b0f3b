"""Attempts to send an event to a webhook, signed, and tests of webhooks."""

import base64
import hmac
import logging
import secrets

from landform.parts.http_client import FINAL, send
from landform.parts.webhooks import storage
from landform.parts.webhooks.errors import TooManyTests
from landform.parts.worker import FAILED, SUCCESS, AttemptFailed, Outcome, outcome_of, wait_briefly
from landform.service.pipeline.call import Service
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.storage.errors import StorageError
from landform.storage.rows import Row

log = logging.getLogger("landform")
PRIVATE_SETTING = "LANDFORM_WEBHOOK_PRIVATE"
# How many tests may run in a process, and how many seconds a request waits for one.
THREAD_NAME, MOST_TESTS, MOST_SECONDS = "landform-webhook-test", 4, 2.0
PENDING = "Still running: the result will be in the deliveries of the webhook."
CANNOT_SIGN = "The secret of the webhook is damaged."


def send_event(
    service: Service, webhook: Row, event: JsonObject, *, private: bool, message: str = ""
) -> Outcome:
    """Send an event to a webhook; raises `AttemptFailed`.

    `event`: as clients read it. `message`: an id for receivers instead of that of the event.
    """
    now, body = service.store.clock.seconds(), dumps(event)
    keys = [webhook["secret"], *storage.previous_secrets(webhook, now)]
    message = f"evt_{str(service.store.identity)[:12]}_{message or event['id']}"
    headers = {"Content-Type": "application/json", "User-Agent": "landform"}
    try:
        headers |= sign(keys, message, int(now), body)
    except ValueError:
        raise AttemptFailed(CANNOT_SIGN) from None
    result = send(webhook["url"], headers, body, private, setting=PRIVATE_SETTING)
    if result.is_accepted:
        return Outcome(SUCCESS, result.text, result.status)
    is_final, pause = result.status in FINAL, result.retry_after
    raise AttemptFailed(
        result.text, retryable=not is_final, retry_after=pause, status=result.status
    )


def sign(keys: list[str], message: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with a signature for each key."""
    signed = f"{message}.{timestamp}.".encode() + body
    decoded = (base64.b64decode(key.removeprefix("whsec_")) for key in keys)
    digests = (base64.b64encode(hmac.digest(key, signed, "sha256")).decode() for key in decoded)
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{digest}" for digest in digests),
    }


def make_record(event_id: int, utc: str, outcome: Outcome) -> JsonObject:
    """Return the record of an attempt, made at a time in UTC."""
    times = {"time": f"{utc}Z", "milliseconds": outcome.milliseconds}
    return {"event": event_id, **times, "status": outcome.status, "response": outcome.text}


def run_test(service: Service, webhook: Row, *, private: bool) -> tuple[JsonObject, bool]:
    """Send an event of the type `test` to a webhook; return its record, and whether it has ended.

    It is sent in a thread, for which the request waits briefly: so any process can send it, and a
    slow receiver blocks no request. The record is also stored, with the same time.
    """
    now = service.store.clock.now().utc
    event = {"id": 0, "type": "test", "created": f"{now}Z", "data": {"resource": "webhook"}}
    # Receivers ignore known ids.
    message = f"test_{secrets.token_hex(8)}"

    def attempt() -> Outcome:
        return send_event(service, webhook, event, private=private, message=message)

    def test() -> JsonObject:
        record = make_record(0, now, outcome_of(attempt, f"webhook {webhook['id']}"))
        try:
            with service.store.connection():
                storage.record_attempt(service.store, webhook["id"], record)
        except StorageError:
            log.exception("The test of webhook %d could not be recorded.", webhook["id"])
        return record

    record = wait_briefly(THREAD_NAME, MOST_TESTS, MOST_SECONDS, test, TooManyTests)
    pending = Outcome(FAILED, PENDING, milliseconds=round(MOST_SECONDS * 1000))
    return record or make_record(0, now, pending), record is not None
