"""Schemas of events and of their list."""

from marshmallow import Schema

from landform.schemas import fields
from landform.schemas.fields import ListOf, Number, Output, UtcTime
from landform.schemas.known_names import Tolerant
from landform.storage.event_types import all_resources, all_types, part_fields, type_patterns


class EventList(Tolerant):
    """The query of a list of events."""

    after = fields.Integer("Only events after this id; by default all that are stored.", 0)
    before = fields.Integer("Only events before this id, in descending order.", 0)
    until = fields.DateTime("Only events before this time, in descending order.")
    order = fields.Text(
        "The oldest first, or with `desc` the newest, for which `after` has no effect.",
        ("asc", "desc"),
        load_default="asc",
    )
    type = ListOf("Only events of these types.", fields.Text(choices=type_patterns))
    resource_id = ListOf("Only events of resources with these ids.", Number())
    per_page = fields.Integer("How many events are returned.", 1, 100, load_default=100)


class EventData(Schema):
    """The data of an event; which optional fields it has depends on the resource."""

    resource = Output("The type of the resource.", choices=all_resources)
    id = Output("The id of the resource; null if there are several.", int, allow_none=True)
    version = Output("The version of the resource after the event.", int, optional=True)
    slug = Output("The slug of a page.", optional=True)
    previous_slug = Output("The former slug of a page, if it has changed.", optional=True)
    status = Output("The status of the resource, if it has one.", optional=True)
    link = Output("The public URL of a page; null if unknown.", allow_none=True, optional=True)
    form_id = Output("The form of the resource, if it has one.", int, optional=True)
    addon_slug = Output("The add-on of a feed.", optional=True)
    is_active = Output("Whether a feed is active.", bool, optional=True)
    changed = Output("The names of the fields that changed.", list[str], optional=True)


def event_data() -> type[EventData]:
    """Return the schema of the data of events, with the fields of all parts."""
    outputs = {
        name: Output(about, kind, optional=True) for name, (about, kind) in part_fields().items()
    }
    return type("EventData", (EventData,), {**outputs, "__doc__": EventData.__doc__})


class Event(Schema):
    """An event."""

    id = Output("The number of the event, higher than any before.", int)
    type = Output("The type of the event.", choices=all_types)
    timestamp = UtcTime(
        "The time of the event; of a scheduled page, when it was due.", attribute="created_utc"
    )
    data = Output("The resource of the event.", event_data)
