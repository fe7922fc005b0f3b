"""What an attempt to deliver an event changes of its webhook, and when the next one is due.

A webhook fails for as long as the waits between its attempts are together: neither a clock that
jumps nor the hours in which nobody delivers count.
"""

import random
from datetime import UTC, datetime

from landform.service.json_codec import JsonObject
from landform.service.webhooks.sending import Answer
from landform.storage.clock import utc_text
from landform.storage.rows import Row
from landform.storage.webhooks import AFRESH

# In seconds: the first wait after a failure, which doubles, the longest one, and for how long
# failures are put up with.
FIRST_WAIT, LONGEST_WAIT, PATIENCE = 1.0, 6 * 3600.0, 75 * 3600.0
# By how many seconds an attempt may be in the future before the clock was ahead when it was made.
AHEAD = 10
# After so many responses with one of these an event is set aside; so many attempts are remembered.
REFUSALS, MOST_REFUSALS, REMEMBERED = (400, 422), 5, 20
# How many events that were set aside are known, the last ones.
MOST_SET_ASIDE = 1000
# An attempt that took so many milliseconds was slow.
SLOW = 1000
GONE = "The receiver answered 410: it is not there any more."
# Without the words of the receiver, which may repeat a secret of the URL: it is logged.
FAILING = "Nothing was accepted for 75 hours; the last status was {}."


def seconds_to_wait(webhook: Row, now: float) -> float:
    """Return in how many seconds a webhook may be tried; 0 for now.

    What a clock that was ahead has planned has no meaning.
    """
    pause, limit = webhook["next_try"] - now, datetime.fromtimestamp(now + AHEAD, UTC)
    last = webhook["deliveries"][0]["time"] if webhook["deliveries"] else ""
    was_ahead = pause > LONGEST_WAIT or str(last) > f"{utc_text(limit)}Z"
    return 0.0 if was_ahead else max(0.0, pause)


def is_slow(webhook: Row) -> bool:
    """Return whether the last attempt was slow, or there was none yet."""
    attempts = webhook["deliveries"]
    return not attempts or attempts[0]["milliseconds"] >= SLOW


def changes_after(
    webhook: Row, attempt: JsonObject, answer: Answer, now: float, first_wait: float
) -> Row:
    """Return the columns that an attempt changes; `attempt` is what is remembered of it."""
    number, attempts = attempt["event"], [attempt, *webhook["deliveries"]][:REMEMBERED]
    if 200 <= answer.status < 300:
        delivered = {"delivered": webhook["delivered"] + 1, "deliveries": attempts}
        return {**passed(webhook, number), **delivered}
    failed_for = _failed_for(webhook, now)
    failed = {"failed": webhook["failed"] + 1, "deliveries": attempts}
    failed["failing_since"] = now - failed_for
    if answer.status == 410 or failed_for > PATIENCE:
        reason = GONE if answer.status == 410 else FAILING.format(answer.status)
        return {**failed, "active": False, "reason": reason}
    # Those before the last success, or the last change of the webhook, do not count; tests neither.
    streak = [one for one in attempts if one["event"]][: webhook["failures"] + 1]
    refusals = [one for one in streak if one["event"] == number and one["status"] in REFUSALS]
    if answer.status in REFUSALS and len(refusals) >= MOST_REFUSALS:
        return {**failed, **set_aside(webhook, number)}
    pause = first_wait * 2 ** min(webhook["failures"], 30)
    pause *= random.uniform(0.5, 1)  # noqa: S311 # nosec B311
    if answer.status in (429, 503):
        pause = max(pause, answer.retry_after)
    again = {"failures": webhook["failures"] + 1, "next_try": now + min(pause, LONGEST_WAIT)}
    return {**failed, **again}


def set_aside(webhook: Row, number: int) -> Row:
    """Return the columns that change where an event is set aside."""
    events = [*webhook["set_aside"], number][-MOST_SET_ASIDE:]
    return {**passed(webhook, number), "set_aside": events}


def passed(webhook: Row, number: int) -> Row:
    """Return the columns that change where an event is done with."""
    place: Row = {"cursor": number}
    if number in webhook["resend"]:
        place = {"resend": [other for other in webhook["resend"] if other != number]}
    return {**place, **AFRESH}


def _failed_for(webhook: Row, now: float) -> float:
    """Return for how many seconds a webhook fails, of which the last wait has just ended."""
    if not webhook["failures"] or webhook["failing_since"] is None:
        return 0.0
    last_wait_ended = float(webhook["next_try"]) or now
    return max(0.0, last_wait_ended - float(webhook["failing_since"]))
