"""Events: their list, and what is returned of each."""

from marshmallow import Schema

from landform.schemas import fields
from landform.schemas.fields import ListOf, Number, Shown, UtcTime
from landform.schemas.known_names import Tolerant
from landform.storage.event_types import TYPES, WANTED


class EventList(Tolerant):
    """The query of a list of events."""

    after = fields.Integer("Only events after this id; without it, all that are kept.", 0)
    before = fields.Integer("Only events before this id, in descending order.", 0)
    order = fields.Text(
        "The oldest first, or with `desc` the newest, for people; `after` has no effect on those.",
        ("asc", "desc"),
        load_default="asc",
    )
    type = ListOf("Only events of these types.", fields.Text(choices=WANTED))
    resource_id = ListOf("Only events of what has one of these ids.", Number())
    per_page = fields.Integer("How many events are returned.", 1, 100, load_default=100)


class EventData(Schema):
    """What an event tells of. Which of the others are there depends on the resource."""

    resource = Shown("What it happened to.", choices=("page", "feed", "run", "store"))
    id = Shown("The id of that; null where it happened to several.", int, allow_none=True)
    version = Shown("The version of that after it.", int, optional=True)
    slug = Shown("The slug of a page.", optional=True)
    previous_slug = Shown("The slug that a page had before, where that has changed.", optional=True)
    status = Shown("The status of a page or a run.", optional=True)
    link = Shown(
        "The public URL of a page; null where it is not known.", allow_none=True, optional=True
    )
    form_id = Shown("The form of a feed or a run.", int, optional=True)
    addon_slug = Shown("The add-on of a feed.", optional=True)
    is_active = Shown("Whether a feed is active.", bool, optional=True)
    feed_id = Shown("The feed of a run.", int, optional=True)
    entry_id = Shown("The caller's id of the entry of a run.", optional=True)
    attempt = Shown("How often a run was claimed.", int, optional=True)
    retryable = Shown("Whether a run that failed will be tried again.", bool, optional=True)
    changed = Shown("The names of the fields that have another value.", list[str], optional=True)


class Event(Schema):
    """An event."""

    id = Shown("The number of the event, higher than that of any before.", int)
    type = Shown("What happened.", choices=TYPES)
    timestamp = UtcTime(
        "When it happened; of a page that came due, when it was due.", attribute="created_utc"
    )
    data = Shown("What it happened to.", EventData)
