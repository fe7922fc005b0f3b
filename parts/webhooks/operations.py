"""The operations on webhooks."""

from datetime import UTC, datetime

from landform.parts.webhooks import Webhooks, schemas, storage
from landform.parts.webhooks.errors import TooManyTests, TooManyWebhooks, WebhookNotFound
from landform.parts.webhooks.trials import run_test
from landform.service.call import Call
from landform.service.operations import Resource
from landform.service.reply import NO_STORE, Reply
from landform.storage import events
from landform.storage.clock import utc_text
from landform.storage.rows import Row

RESOURCE = Resource()
RESOURCES = (RESOURCE,)
WEBHOOK, WITH_SECRET = schemas.Webhook(), schemas.WebhookWithSecret()
DELIVERY = schemas.Delivery()

WEBHOOK_PATH, SCOPE = "/webhooks/<webhook_id>", "webhooks:write"
NOT_FOUND = (WebhookNotFound,)
# The scope of all events, and that of the events of one resource.
EVENTS, READ_SCOPES = "events:read", {"page": "pages:read", "feed": "feeds:read"}
EXAMPLE = {"url": "https://example.com/hook", "types": ["page.*"]}


@RESOURCE.get("/webhooks", response=WEBHOOK, many=True, scope=SCOPE)
def list_webhooks(call: Call) -> Reply:
    """Return all webhooks, by `id`."""
    rows = [_with_computed(call, webhook) for webhook in storage.list_all(call.store)]
    return Reply(WEBHOOK.dump(rows, many=True))


@RESOURCE.post(
    "/webhooks",
    body=schemas.WebhookCreate(),
    response=WITH_SECRET,
    status=201,
    repeatable=False,
    scope=SCOPE,
    headers=("Location",),
    example=EXAMPLE,
    errors=("rest_missing_callback_param", TooManyWebhooks),
)
def create_webhook(call: Call) -> Reply:
    """Create a webhook for events from now on; its secret is returned only once."""
    check_readable(call, call.body["types"])
    webhook = storage.create(call.store, call.body)
    return _secret_reply(call, webhook, {"Location": _url(call, webhook["id"])})


@RESOURCE.get(WEBHOOK_PATH, response=WEBHOOK, scope=SCOPE, errors=NOT_FOUND)
def get_webhook(call: Call, webhook_id: int) -> Reply:
    """Return a webhook, with its last deliveries."""
    return webhook_reply(call, storage.get(call.store, webhook_id))


@RESOURCE.patch(
    WEBHOOK_PATH,
    body=schemas.WebhookUpdate(),
    response=WEBHOOK,
    scope=SCOPE,
    example={"active": True},
    errors=NOT_FOUND,
)
def update_webhook(call: Call, webhook_id: int) -> Reply:
    """Change the fields that are sent; when activated it continues where it stopped."""
    stored = storage.get(call.store, webhook_id)
    if call.body.keys() & {"url", "types"}:
        check_readable(call, call.body.get("types", stored["types"]) or ["*"])
    return webhook_reply(call, storage.update(call.store, webhook_id, call.body))


@RESOURCE.delete(WEBHOOK_PATH, response=WEBHOOK, scope=SCOPE, errors=NOT_FOUND)
def delete_webhook(call: Call, webhook_id: int) -> Reply:
    """Delete a webhook and return it."""
    return webhook_reply(call, storage.delete(call.store, webhook_id))


@RESOURCE.post(f"{WEBHOOK_PATH}/rotate", response=WITH_SECRET, scope=SCOPE, errors=NOT_FOUND)
def rotate_webhook(call: Call, webhook_id: int) -> Reply:
    """Replace the secret of a webhook; the former secrets also sign for a day."""
    return _secret_reply(call, storage.rotate(call.store, webhook_id))


@RESOURCE.post(
    f"{WEBHOOK_PATH}/test",
    response=DELIVERY,
    scope=SCOPE,
    responds_early=True,
    batch=False,
    headers=("Location",),
    errors=(*NOT_FOUND, TooManyTests),
)
def test_webhook(call: Call, webhook_id: int) -> Reply:
    """Send a `test` event; return its result, or a 202 after two seconds."""
    webhook = storage.get(call.store, webhook_id)
    result, has_ended = run_test(call.service, webhook, private=call.part(Webhooks).private)
    body = DELIVERY.dump(result)
    if has_ended:
        return Reply(body)
    return Reply(body, status=202, headers={"Location": _url(call, webhook_id)})


@RESOURCE.post(
    f"{WEBHOOK_PATH}/replay",
    body=schemas.WebhookReplay(),
    response=WEBHOOK,
    scope=SCOPE,
    example={"after": 17},
    errors=(*NOT_FOUND, "rest_events_expired"),
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
    scopes = {READ_SCOPES.get(name.partition(".")[0], EVENTS) for name in types}
    if not call.access.has_scope(EVENTS):
        for scope in sorted(scopes):
            call.access.require(scope)


def _url(call: Call, webhook_id: int) -> str:
    """Return the URL of a webhook."""
    return f"{call.root_url}/webhooks/{webhook_id}"


def webhook_reply(call: Call, webhook: Row) -> Reply:
    """Return the reply with a webhook."""
    return Reply(WEBHOOK.dump(_with_computed(call, webhook)))


def _secret_reply(call: Call, webhook: Row, headers: dict[str, str] | None = None) -> Reply:
    """Return the reply with a webhook and its secret."""
    body = WITH_SECRET.dump(_with_computed(call, webhook))
    return Reply(body, headers=headers or {}, caching=NO_STORE)


def _with_computed(call: Call, webhook: Row) -> Row:
    """Return a webhook with its computed fields."""
    next_try = webhook["failures"] and utc_text(datetime.fromtimestamp(webhook["next_try"], UTC))
    waiting = storage.waiting(call.store, webhook)
    return {**webhook, "waiting": waiting, "next_try": next_try or None}
