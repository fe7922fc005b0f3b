"""Schemas of webhooks and their deliveries."""

from functools import partial

from marshmallow import Schema, ValidationError

from landform.parts.http_urls import parse_url
from landform.schemas import fields
from landform.schemas.fields import SHORT_TEXT, Output, UtcTime, required
from landform.schemas.known_names import KnownOnly
from landform.storage.event_types import type_patterns
from landform.storage.rows import MAX_INTEGER

NO_URL = (
    "must be an http or https URL that can be sent to: a host, a port from 1 to 65535 if any, "
    "no user, no fragment, no blanks and no backslashes."
)
Types = partial(
    fields.JsonList[str], inner=fields.Text(choices=type_patterns), min_items=1, max_items=30
)


def check_url(text: str) -> None:
    """Refuse a text that is not the URL of a receiver, or contains credentials."""
    try:
        parse_url(text)
    except ValueError:
        raise ValidationError(NO_URL) from None


class WebhookUpdate(KnownOnly):
    """The body of an update; absent fields keep their values."""

    url = fields.Text("The URL that events are sent to.", validate=check_url)
    types = Types("The types of events that are sent; a new webhook gets all by default.")
    description = fields.Text("A description of the receiver.", longest=SHORT_TEXT)
    active = fields.Flag("Whether events are sent; `true` also retries at once.")


class WebhookCreate(WebhookUpdate):
    """The body of a create."""

    url = fields.Text(validate=check_url, **required("url"))
    types = Types("", load_default=["*"])


class WebhookReplay(KnownOnly):
    """The body of a replay, by default of the events that were set aside."""

    after = fields.Integer("All events after this id.", 0, MAX_INTEGER)
    since = fields.DateTime("All events from this time on, instead of `after`.")


class Delivery(Schema):
    """An attempt to deliver an event, or a test."""

    event = Output("The id of the event; 0 for a test.", int)
    time = Output("When the attempt was made, in UTC.")
    status = Output("The status of the response; 0 if there was none.", int)
    milliseconds = Output("How long the attempt took.", int)
    response = Output("The first 200 characters of the response, or why there was none.")


class Webhook(Schema):
    """A webhook."""

    id = Output("The number of the webhook.", int)
    url = Output("The URL that events are sent to.")
    types = Output("The types of events that are sent.", list[str], choices=type_patterns)
    description = Output("A description of the receiver.")
    active = Output("Whether events are sent.", bool)
    reason = Output("Why the webhook was switched off, or which events it missed; otherwise empty.")
    last_event = Output("The id of the last event that was received.", int, attribute="cursor")
    waiting = Output("How many events wait to be delivered.", int)
    failures = Output("How many attempts failed since the last success.", int)
    next_try = UtcTime("When the next attempt is made; null if nothing failed.", allow_none=True)
    delivered = Output("How many events were delivered.", int)
    failed = Output("How many attempts failed.", int)
    set_aside = Output("The ids of events that the receiver refused.", list[int])
    deliveries = Output("The last attempts, the newest first.", list[Delivery])
    created = UtcTime("When the webhook was created.", attribute="created_utc")


class WebhookWithSecret(Webhook):
    """A webhook, and the secret that its events are signed with."""

    secret = Output("The secret, shown only once: `whsec_` and Base64.")
