"""Webhooks: what is written, what is returned, and their deliveries."""

from marshmallow import Schema, ValidationError

from landform.schemas import fields
from landform.schemas.fields import MAX_INTEGER, SHORT_TEXT, Shown, UtcTime, required
from landform.schemas.known_names import KnownOnly
from landform.schemas.receiver_urls import parse_url
from landform.storage.event_types import WANTED

NO_URL = (
    "must be an http or https URL that can be sent to: a host, a port from 1 to 65535 if any, "
    "no user, no fragment, no blanks and no backslashes."
)


def check_url(text: str) -> None:
    """Refuse what is no URL of a receiver, or has credentials in it."""
    try:
        parse_url(text)
    except ValueError:
        raise ValidationError(NO_URL) from None


class WebhookUpdate(KnownOnly):
    """The body of an update: what is sent is changed."""

    url = fields.Text("Where events are sent to.", validate=check_url)
    types = fields.JsonList(
        "The types of events that are sent; a new webhook gets all by default.",
        fields.Text(choices=WANTED),
        least=1,
        most=30,
    )
    description = fields.Text("What the receiver is.", longest=SHORT_TEXT)
    active = fields.Flag("Whether events are sent; `true` tries again at once.")


class WebhookCreate(WebhookUpdate):
    """The body of a create."""

    url = fields.Text(validate=check_url, **required("url"))
    types = fields.JsonList("", fields.Text(choices=WANTED), least=1, most=30, load_default=["*"])


class WebhookReplay(KnownOnly):
    """What is to be delivered again: with nothing, the events that were set aside."""

    after = fields.Integer("All events after this id.", 0, MAX_INTEGER)
    since = fields.DateTime("All events from this time on, instead of `after`.")


class Delivery(Schema):
    """An attempt to deliver an event, or a test."""

    event = Shown("The id of the event; 0 for a test.", int)
    time = Shown("When it was tried, in UTC.")
    status = Shown("The status of the response; 0 where there was none.", int)
    milliseconds = Shown("How long it took.", int)
    response = Shown("The first 200 characters of the response, or why there was none.")


class Webhook(Schema):
    """A webhook."""

    id = Shown("The number of the webhook.", int)
    url = Shown("Where events are sent to.")
    types = Shown("The types of events that are sent.", list[str], choices=WANTED)
    description = Shown("What the receiver is.")
    active = Shown("Whether events are sent.", bool)
    reason = Shown("Why it was switched off, or what it has missed; else empty.")
    last_event = Shown("The id of the last event that it has received.", int, attribute="cursor")
    waiting = Shown("How many events wait to be delivered.", int)
    failures = Shown("How many attempts have failed since the last one that did not.", int)
    next_try = UtcTime("When it is tried again; null where nothing failed.", allow_none=True)
    delivered = Shown("How many events were delivered.", int)
    failed = Shown("How many attempts failed.", int)
    set_aside = Shown("The ids of events that it refused.", list[int])
    deliveries = Shown("The last attempts, the newest first.", list[Delivery])
    created = UtcTime("When it was created.", attribute="created_utc")


class WebhookWithSecret(Webhook):
    """A webhook, and the secret that its events are signed with."""

    secret = Shown("The secret, which is shown this once: `whsec_` and Base64.")
