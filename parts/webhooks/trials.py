"""Tests of webhooks, sent in a thread for which the request waits briefly.

So any process can send them, and a slow receiver blocks no thread that serves requests.
"""

import logging
from contextlib import suppress
from queue import Empty, SimpleQueue

from landform.parts.webhooks import storage
from landform.parts.webhooks.delivery import Deliverer
from landform.parts.webhooks.errors import TooManyTests
from landform.service.call import Service
from landform.service.json_codec import JsonObject
from landform.service.outgoing.sending import start_thread
from landform.storage.errors import StorageError
from landform.storage.rows import Row

log = logging.getLogger("landform")
# How many tests may run in a process, and how many seconds a request waits for one.
THREAD_NAME, MOST_TESTS, MOST_SECONDS = "landform-webhook-test", 4, 2.0
PENDING = "Still running: the result will be in the deliveries of the webhook."


def run_test(service: Service, webhook: Row, *, private: bool) -> tuple[JsonObject, bool]:
    """Send a test to a webhook; return its result, and whether it has ended.

    The result is also stored among the deliveries, with the same time.
    """
    started = f"{service.store.clock.now().utc}Z"
    results = SimpleQueue[JsonObject]()

    def run() -> None:
        try:
            result = Deliverer(service, private=private).test(webhook)
        except Exception as error:
            log.exception("The test of webhook %d could not be sent.", webhook["id"])
            failed = {"status": 0, "milliseconds": 0, "response": type(error).__name__}
            result = {"event": 0, **failed}
        result["time"] = started
        _record(service, webhook["id"], result)
        results.put(result)

    if not start_thread(THREAD_NAME, MOST_TESTS, run):
        raise TooManyTests
    with suppress(Empty):
        return results.get(timeout=MOST_SECONDS), True
    pending = {"status": 0, "milliseconds": round(MOST_SECONDS * 1000), "response": PENDING}
    return {"event": 0, "time": started, **pending}, False


def _record(service: Service, webhook_id: int, result: JsonObject) -> None:
    """Store the result of a test, unless the webhook was deleted meanwhile."""
    try:
        with service.store.connection():
            storage.record_test(service.store, webhook_id, result)
    except StorageError:
        log.exception("The test of webhook %d could not be recorded.", webhook_id)
