"""The operations on webhooks."""

from datetime import UTC, datetime
from typing import Any

from marshmallow import Schema

from landform.parts.webhooks import Webhooks, schemas, storage
from landform.parts.webhooks.errors import TooManyTests, TooManyWebhooks, WebhookNotFound
from landform.parts.webhooks.sending import run_test
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import NO_STORE, NOT_CACHED, Reply
from landform.storage import events
from landform.storage.clock import utc_text
from landform.storage.rows import NO_VALUES, Row, Values

RESOURCE = Resource()
RESOURCES = (RESOURCE,)
WEBHOOK, WITH_SECRET = schemas.Webhook(), schemas.WebhookWithSecret()
DELIVERY = schemas.Delivery()

WEBHOOK_PATH, SCOPE = "/webhooks/<webhook_id>", "webhooks:write"
# What most operations on one webhook declare.
ONE_WEBHOOK: dict[str, Any] = {"scope": SCOPE, "response": WEBHOOK, "errors": (WebhookNotFound,)}
# The scope of all events, and that of the events of one resource.
EVENTS, READ_SCOPES = "events:read", {"page": "pages:read", "feed": "feeds:read"}
EXAMPLE = {"url": "https://example.com/hook", "types": ["page.*"]}


@RESOURCE.get("/webhooks", scope=SCOPE, response=WEBHOOK, many=True)
def list_webhooks(call: Call) -> Reply:
    """Return all webhooks, by `id`."""
    webhooks = storage.list_all(call.store)
    return Reply([_dump(call, webhook) for webhook in webhooks])


@RESOURCE.post(
    "/webhooks",
    scope=SCOPE,
    body=schemas.WebhookCreate(),
    response=WITH_SECRET,
    status=201,
    repeatable=False,
    headers=("Location",),
    example=EXAMPLE,
    errors=("rest_missing_callback_param", TooManyWebhooks),
)
def create_webhook(call: Call) -> Reply:
    """Create a webhook for events from now on; its secret is returned only once."""
    check_readable(call, call.body["types"])
    webhook = storage.create(call.store, call.body)
    return webhook_reply(call, webhook, WITH_SECRET, _location(call, webhook["id"]))


@RESOURCE.get(WEBHOOK_PATH, **ONE_WEBHOOK)
def get_webhook(call: Call, webhook_id: int) -> Reply:
    """Return a webhook, with its last deliveries."""
    return webhook_reply(call, storage.get(call.store, webhook_id))


@RESOURCE.patch(WEBHOOK_PATH, **ONE_WEBHOOK, body=schemas.WebhookUpdate(), example={"active": True})
def update_webhook(call: Call, webhook_id: int) -> Reply:
    """Change the fields that are sent; when activated it continues where it stopped."""
    stored = storage.get(call.store, webhook_id)
    if call.body.keys() & {"url", "types"}:
        check_readable(call, call.body.get("types", stored["types"]) or ["*"])
    return webhook_reply(call, storage.update(call.store, webhook_id, call.body))


@RESOURCE.delete(WEBHOOK_PATH, **ONE_WEBHOOK)
def delete_webhook(call: Call, webhook_id: int) -> Reply:
    """Delete a webhook and return it."""
    return webhook_reply(call, storage.delete(call.store, webhook_id))


@RESOURCE.post(f"{WEBHOOK_PATH}/rotate", **{**ONE_WEBHOOK, "response": WITH_SECRET})
def rotate_webhook(call: Call, webhook_id: int) -> Reply:
    """Replace the secret of a webhook; the former secrets also sign for a day."""
    return webhook_reply(call, storage.rotate(call.store, webhook_id), WITH_SECRET)


@RESOURCE.post(
    f"{WEBHOOK_PATH}/test",
    scope=SCOPE,
    response=DELIVERY,
    responds_early=True,
    batch=False,
    headers=("Location",),
    errors=(WebhookNotFound, TooManyTests),
)
def test_webhook(call: Call, webhook_id: int) -> Reply:
    """Send a `test` event; return its result, or a 202 after two seconds."""
    webhook = storage.get(call.store, webhook_id)
    record, has_ended = run_test(call.service, webhook, private=call.part(Webhooks).private)
    body = DELIVERY.dump(record)
    return Reply(body) if has_ended else Reply(body, 202, _location(call, webhook_id))


@RESOURCE.post(
    f"{WEBHOOK_PATH}/replay",
    scope=SCOPE,
    body=schemas.WebhookReplay(),
    response=WEBHOOK,
    example={"after": 17},
    errors=(WebhookNotFound, "rest_events_expired"),
)
def replay_webhook(call: Call, webhook_id: int) -> Reply:
    """Deliver events again: all after an id or a time, or all that were set aside.

    Events that still wait are not skipped.
    """
    after = call.body.get("after")
    if since := call.body.get("since"):
        after = events.before(call.store, call.store.clock.moment(since).utc)
    return webhook_reply(call, storage.replay(call.store, webhook_id, after))


def check_readable(call: Call, types: list[str]) -> None:
    """Require the scope to read the events of these types, or their rows."""
    if not call.access.has_scope(EVENTS):
        for scope in sorted({READ_SCOPES.get(name.partition(".")[0], EVENTS) for name in types}):
            call.access.require(scope)


def _location(call: Call, webhook_id: int) -> dict[str, str]:
    return {"Location": f"{call.root_url}/webhooks/{webhook_id}"}


def webhook_reply(
    call: Call, webhook: Row, schema: Schema = WEBHOOK, headers: Values = NO_VALUES
) -> Reply:
    """Return the reply with a webhook, which is stored nowhere if it has the secret."""
    caching = NO_STORE if schema is WITH_SECRET else NOT_CACHED
    return Reply(_dump(call, webhook, schema), headers=headers, caching=caching)


def _dump(call: Call, webhook: Row, schema: Schema = WEBHOOK) -> JsonObject:
    next_try = webhook["failures"] and utc_text(datetime.fromtimestamp(webhook["next_try"], UTC))
    waiting = storage.waiting(call.store, webhook)
    body: JsonObject = schema.dump({**webhook, "waiting": waiting, "next_try": next_try})
    return body
