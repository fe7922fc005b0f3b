"""Tests of webhooks: sent at once in a thread of their own, for whose end a request waits briefly.

So they are sent by whichever process is asked, whoever delivers events, and a receiver that takes
long keeps no thread that serves requests.
"""

import logging
from contextlib import suppress
from queue import Empty, SimpleQueue

from landform.service.call import Service
from landform.service.errors import api_error
from landform.service.json_codec import JsonObject
from landform.service.webhooks.delivery import Deliverer
from landform.service.webhooks.sending import start_thread
from landform.storage import webhooks
from landform.storage.errors import StorageError
from landform.storage.rows import Row

log = logging.getLogger("landform")
# How many tests of a process may be under way, and how many seconds a request waits for one.
TESTS, MOST_TESTS, MOST_SECONDS = "landform-webhook-test", 4, 2.0
PENDING = "It goes on: the result will be among the deliveries of the webhook."


def run_test(service: Service, webhook: Row) -> tuple[JsonObject, bool]:
    """Send a test to a webhook; return what came of it, and whether it has ended.

    In any case it is remembered among the deliveries, with the same time.
    """
    begun = f"{service.store.clock.now().utc}Z"
    results = SimpleQueue[JsonObject]()

    def run() -> None:
        try:
            result = Deliverer(service).test(webhook)
        except Exception as error:
            log.exception("The test of webhook %d could not be sent.", webhook["id"])
            failed = {"status": 0, "milliseconds": 0, "response": type(error).__name__}
            result = {"event": 0, **failed}
        result["time"] = begun
        _record(service, webhook["id"], result)
        results.put(result)

    if not start_thread(TESTS, MOST_TESTS, run):
        raise api_error("rest_too_many_tests")
    with suppress(Empty):
        return results.get(timeout=MOST_SECONDS), True
    pending = {"status": 0, "milliseconds": round(MOST_SECONDS * 1000), "response": PENDING}
    return {"event": 0, "time": begun, **pending}, False


def _record(service: Service, webhook_id: int, result: JsonObject) -> None:
    """Remember what came of a test; of a webhook that was deleted meanwhile nothing."""
    try:
        with service.store.connection():
            webhooks.record_test(service.store, webhook_id, result)
    except StorageError:
        log.exception("The test of webhook %d could not be recorded.", webhook_id)
