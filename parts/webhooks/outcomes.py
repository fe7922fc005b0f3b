"""The changes of a webhook after an attempt, and the time of the next attempt.

How long a webhook has failed is the sum of the pauses between its attempts: neither jumps of the
clock nor hours without a deliverer count.
"""

import random

from landform.parts.http_client import Result
from landform.parts.webhooks.storage import NO_FAILURES
from landform.storage.rows import Row

# In seconds: the first pause after a failure, which doubles, the longest pause, and how long a
# webhook may fail before it is switched off.
FIRST_WAIT, LONGEST_WAIT, LONGEST_FAILURE = 1.0, 6 * 3600.0, 75 * 3600.0
# An event is set aside after so many responses with these statuses; how many of them are stored.
REFUSED, MOST_REFUSALS, MOST_SET_ASIDE = (400, 422), 5, 1000
# How many milliseconds make an attempt slow.
SLOW = 1000
RECEIVER_GONE = "The receiver answered 410: it is not there any more."
# Without the text of the response, which may repeat a secret in the URL: this is logged.
RECEIVER_FAILING = "Nothing was accepted for 75 hours; the last status was {}."


def seconds_to_wait(webhook: Row, now: float) -> float:
    """Return in how many seconds the next attempt is due; 0 for now."""
    return max(0.0, float(webhook["next_try"] - now))


def is_slow(webhook: Row) -> bool:
    """Return whether the last attempt was slow; true without an attempt."""
    attempts = webhook["deliveries"]
    return not attempts or attempts[0]["milliseconds"] >= SLOW


def changes_after(webhook: Row, event_id: int, result: Result, now: float) -> Row:
    """Return the columns that an attempt to send an event changes, beside the deliveries."""
    if 200 <= result.status < 300:
        return {**_passed(webhook, event_id), "delivered": webhook["delivered"] + 1}
    failures = webhook["failures"]
    failed_for = webhook["next_try"] - webhook["failing_since"] if failures else 0.0
    changes = {"failed": webhook["failed"] + 1, "failing_since": now - failed_for}
    if result.status == 410 or failed_for > LONGEST_FAILURE:
        reason = RECEIVER_GONE if result.status == 410 else RECEIVER_FAILING.format(result.status)
        return {**changes, "active": False, "reason": reason}
    # Tests do not count, nor attempts before the last success or the last change of the webhook.
    streak = [past for past in webhook["deliveries"] if past["event"]][:failures]
    refusals = [past for past in streak if past["event"] == event_id and past["status"] in REFUSED]
    if result.status in REFUSED and len(refusals) + 1 >= MOST_REFUSALS:
        return {**changes, **set_aside(webhook, event_id)}
    pause = FIRST_WAIT * 2 ** min(failures, 30)
    pause *= random.uniform(0.5, 1)  # noqa: S311 # nosec B311
    if result.status in (429, 503):
        pause = max(pause, result.retry_after)
    return {**changes, "failures": failures + 1, "next_try": now + min(pause, LONGEST_WAIT)}


def set_aside(webhook: Row, event_id: int) -> Row:
    """Return the columns that change when an event is set aside."""
    events = [*webhook["set_aside"], event_id][-MOST_SET_ASIDE:]
    return {**_passed(webhook, event_id), "set_aside": events}


def _passed(webhook: Row, event_id: int) -> Row:
    """Return the columns that change when an event needs no further attempt."""
    if event_id not in webhook["resend"]:
        return {"cursor": event_id, **NO_FAILURES}
    return {"resend": [other for other in webhook["resend"] if other != event_id], **NO_FAILURES}
