"""The changes of a webhook after an attempt, and the time of the next attempt.

How long a webhook has failed is the sum of the pauses between its attempts: neither jumps of the
clock nor hours without a deliverer count.
"""

import random
from datetime import UTC, datetime

from landform.parts.webhooks.storage import NO_FAILURES
from landform.service.json_codec import JsonObject
from landform.service.outgoing.sending import Result
from landform.storage.clock import utc_text
from landform.storage.rows import Row

# In seconds: the first pause after a failure, which doubles, the longest pause, and how long a
# webhook may fail before it is switched off.
FIRST_WAIT, LONGEST_WAIT, LONGEST_FAILURE = 1.0, 6 * 3600.0, 75 * 3600.0
# The last attempt may be so many seconds in the future, or else the clock was ahead then.
MOST_AHEAD = 10
# An event is set aside after so many responses with these statuses; how many attempts are stored.
REFUSED, MOST_REFUSALS, MOST_ATTEMPTS = (400, 422), 5, 20
# How many events that were set aside are stored.
MOST_SET_ASIDE = 1000
# How many milliseconds make an attempt slow.
SLOW = 1000
RECEIVER_GONE = "The receiver answered 410: it is not there any more."
# Without the text of the response, which may repeat a secret in the URL: this is logged.
RECEIVER_FAILING = "Nothing was accepted for 75 hours; the last status was {}."


def seconds_to_wait(webhook: Row, now: float) -> float:
    """Return in how many seconds the next attempt is due; 0 for now.

    A time that was computed while the clock was ahead is ignored.
    """
    pause, limit = webhook["next_try"] - now, datetime.fromtimestamp(now + MOST_AHEAD, UTC)
    last = webhook["deliveries"][0]["time"] if webhook["deliveries"] else ""
    was_ahead = pause > LONGEST_WAIT or str(last) > f"{utc_text(limit)}Z"
    return 0.0 if was_ahead else max(0.0, pause)


def is_slow(webhook: Row) -> bool:
    """Return whether the last attempt was slow; true without an attempt."""
    attempts = webhook["deliveries"]
    return not attempts or attempts[0]["milliseconds"] >= SLOW


def changes_after(
    webhook: Row, attempt: JsonObject, result: Result, now: float, first_wait: float
) -> Row:
    """Return the columns that an attempt changes; `attempt` is its record."""
    number, attempts = attempt["event"], [attempt, *webhook["deliveries"]][:MOST_ATTEMPTS]
    if 200 <= result.status < 300:
        delivered = {"delivered": webhook["delivered"] + 1, "deliveries": attempts}
        return {**passed(webhook, number), **delivered}
    failed_for = _failed_for(webhook, now)
    failed = {"failed": webhook["failed"] + 1, "deliveries": attempts}
    failed["failing_since"] = now - failed_for
    if result.status == 410 or failed_for > LONGEST_FAILURE:
        reason = RECEIVER_GONE if result.status == 410 else RECEIVER_FAILING.format(result.status)
        return {**failed, "active": False, "reason": reason}
    # Tests do not count, nor attempts before the last success or the last change of the webhook.
    streak = [past for past in attempts if past["event"]][: webhook["failures"] + 1]
    refusals = [past for past in streak if past["event"] == number and past["status"] in REFUSED]
    if result.status in REFUSED and len(refusals) >= MOST_REFUSALS:
        return {**failed, **set_aside(webhook, number)}
    pause = first_wait * 2 ** min(webhook["failures"], 30)
    pause *= random.uniform(0.5, 1)  # noqa: S311 # nosec B311
    if result.status in (429, 503):
        pause = max(pause, result.retry_after)
    retry = {"failures": webhook["failures"] + 1, "next_try": now + min(pause, LONGEST_WAIT)}
    return {**failed, **retry}


def set_aside(webhook: Row, number: int) -> Row:
    """Return the columns that change when an event is set aside."""
    events = [*webhook["set_aside"], number][-MOST_SET_ASIDE:]
    return {**passed(webhook, number), "set_aside": events}


def passed(webhook: Row, number: int) -> Row:
    """Return the columns that change when an event needs no further attempt."""
    place: Row = {"cursor": number}
    if number in webhook["resend"]:
        place = {"resend": [event for event in webhook["resend"] if event != number]}
    return {**place, **NO_FAILURES}


def _failed_for(webhook: Row, now: float) -> float:
    """Return how many seconds a webhook has failed, until the end of its last pause."""
    if not webhook["failures"] or webhook["failing_since"] is None:
        return 0.0
    last_wait_ended = float(webhook["next_try"]) or now
    return max(0.0, last_wait_ended - float(webhook["failing_since"]))
