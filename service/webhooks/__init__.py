"""Webhooks: who gets which events, and what became of the deliveries."""

from datetime import UTC, datetime

from flask import Response

from landform.schemas import webhooks as schemas
from landform.schemas.fields import compile_serializer
from landform.service.http.contract import Resource
from landform.service.http.request import ApiRequest
from landform.service.webhooks.delivery import Deliverer
from landform.storage import events, webhooks
from landform.storage.clock import utc_text
from landform.storage.rows import Row

RESOURCE = Resource()
WEBHOOK, WITH_SECRET = schemas.Webhook(), schemas.WebhookWithSecret()
dump, dump_with_secret = compile_serializer(WEBHOOK), compile_serializer(WITH_SECRET)

ONE, SCOPE, UNKNOWN = "/webhooks/<webhook_id>", "webhooks:write", "rest_webhook_invalid_id"
EXAMPLE = {"url": "https://example.com/hook", "types": ["page.*"]}


@RESOURCE.operation("GET", "/webhooks", WEBHOOK, many=True, scope=SCOPE)
def list_webhooks(request: ApiRequest) -> Response:
    """Return all webhooks, by `id`."""
    return request.json_response([
        dump(_shown(request, one)) for one in webhooks.list_all(request.store)
    ])  # fmt: skip


@RESOURCE.operation(
    "POST", "/webhooks", WITH_SECRET, status=201, repeatable=False, headers=("Location",),
    scope=SCOPE, body=schemas.WebhookCreate(), example=EXAMPLE,
    errors=("rest_missing_callback_param",),
)  # fmt: skip
def create_webhook(request: ApiRequest) -> Response:
    """Create a webhook, which gets events from now on; its secret is shown this once."""
    made = webhooks.create(request.store, request.values())
    request.headers["Location"] = f"{request.api_base_url}/webhooks/{made['id']}"
    return _with_secret(request, made)


@RESOURCE.operation("GET", ONE, WEBHOOK, scope=SCOPE, errors=(UNKNOWN,))
def get_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Return a webhook, with its last deliveries."""
    return _show(request, webhooks.get(request.store, webhook_id))


@RESOURCE.operation(
    "PATCH", ONE, WEBHOOK, scope=SCOPE, body=schemas.WebhookUpdate(), example={"active": True},
    errors=(UNKNOWN,),
)  # fmt: skip
def update_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Change what is sent of a webhook; one that is switched on goes on from where it stood."""
    return _show(request, webhooks.update(request.store, webhook_id, request.values()))


@RESOURCE.operation("DELETE", ONE, WEBHOOK, scope=SCOPE, errors=(UNKNOWN,))
def delete_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Remove a webhook and return it as it last was."""
    return _show(request, webhooks.delete(request.store, webhook_id))


@RESOURCE.operation("POST", f"{ONE}/rotate", WITH_SECRET, scope=SCOPE, errors=(UNKNOWN,))
def rotate_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Give a webhook another secret; for a day the one before signs too."""
    return _with_secret(request, webhooks.rotate(request.store, webhook_id))


@RESOURCE.operation(
    "POST", f"{ONE}/test", schemas.Delivery(), scope=SCOPE, batch=False, errors=(UNKNOWN,)
)
def test_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Send an event of the type `test` at once, and return what came of it."""
    webhook = webhooks.get(request.store, webhook_id)
    return request.json_response(Deliverer(request.service).test(webhook))


@RESOURCE.operation(
    "POST", f"{ONE}/replay", WEBHOOK, scope=SCOPE, body=schemas.WebhookReplay(),
    example={"after": 17}, errors=(UNKNOWN, "rest_events_expired"),
)  # fmt: skip
def replay_webhook(request: ApiRequest, webhook_id: int) -> Response:
    """Deliver events again: all after an id, all since a time, or those that were set aside."""
    wanted, store = request.values(), request.store
    after = wanted.get("after")
    if since := wanted.get("since"):
        after = events.before(store, store.clock.moment(since).utc)
    return _show(request, webhooks.replay(store, webhook_id, after))


def _show(request: ApiRequest, webhook: Row) -> Response:
    return request.json_response(dump(_shown(request, webhook)))


def _with_secret(request: ApiRequest, webhook: Row) -> Response:
    request.forbid_storing()
    return request.json_response(dump_with_secret(_shown(request, webhook)))


def _shown(request: ApiRequest, webhook: Row) -> Row:
    """Return a webhook with what follows from its columns."""
    tried = webhook["failures"] and utc_text(datetime.fromtimestamp(webhook["next_try"], UTC))
    waiting = webhooks.waiting(request.store, webhook)
    return {**webhook, "waiting": waiting, "next_try": tried or None}
