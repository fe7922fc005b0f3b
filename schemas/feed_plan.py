"""Schemas of plans: the feeds that run for an entry."""

from functools import partial
from itertools import chain

from marshmallow import Schema, ValidationError

from landform.schemas import fields
from landform.schemas.feeds import ABOUT_SETTINGS, StoredSettings
from landform.schemas.fields import Data, JsonObject, Output, Rows, RowSchema, required
from landform.schemas.known_names import KnownOnly, Tolerant
from landform.storage.rows import count_keys

LONGEST_ID, LONGEST_NAME, LONGEST_VALUE = 200, 200, 65_536
MOST_VALUES = 5000
ENTRY_ID = "The caller's id of the entry; a whole number is the same as its text."
REASONS = ("inactive", "addon", "event_type", "already_run", "condition", "first_only")
EntryId = partial(fields.IdText, blank=False, line=True, longest=LONGEST_ID)
KINDS: list[JsonObject] = [{"type": kind} for kind in ("string", "number", "boolean", "null")]


class EntryValues(fields.Field[JsonObject]):
    """Values by field ids or names: texts, numbers, flags, nulls, or lists of these.

    No message repeats a value. An empty list is an empty object, which PHP cannot tell apart.
    """

    wordpress_type = {"type": "object"}
    json_type = {
        "type": "object",
        # Generated clients send described items of a list in a choice as something else.
        "additionalProperties": {"anyOf": [*KINDS, {"type": "array", "items": {}}]},
        "examples": [{"1": "ada@example.com", "2.1": "Yes", "3": ["red", "blue"]}],
        "propertyNames": {"maxLength": LONGEST_NAME},
    }

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> JsonObject:
        value = {} if value == [] else value
        if not isinstance(value, dict):
            raise ValidationError(f"{attr} must be an object of fields and their values.")
        if any(len(name) > LONGEST_NAME for name in value):
            raise ValidationError(f"{attr} has a field whose name is too long.")
        if count_keys(value) > MOST_VALUES:
            raise ValidationError(f"{attr} must not have more than {MOST_VALUES} fields and items.")
        lists = (item if isinstance(item, list) else [item] for item in value.values())
        for item in chain.from_iterable(lists):
            if isinstance(item, (dict, list)):
                raise ValidationError(
                    f"Each value in {attr} must be a text, a number, true, false, null, or a list "
                    "of these."
                )
            if isinstance(item, str) and len(item) > LONGEST_VALUE:
                message = f"{attr} has a value of more than {LONGEST_VALUE} characters."
                raise ValidationError(message)
        return value


class PlanParameters(Tolerant):
    """The query of a plan."""

    group = fields.Text("`addon`: the response has `groups` of feeds by their add-on.", ("addon",))


class PlanRequest(KnownOnly, PlanParameters):
    """The body of a plan."""

    group = fields.Text(choices=("addon",), allow_none=True)
    entry = EntryValues("The values of fields and inputs by their ids.", **required("entry"))
    properties = EntryValues("Values that rules name, such as `payment_status`.", load_default=dict)
    addon = fields.Text("Only feeds of this add-on.", allow_none=True)
    event_type = fields.Text("Only feeds with exactly this event type, or null.", allow_none=True)
    form_0 = fields.Flag("Whether the feeds of form 0 run too.", load_default=False)
    first_only = fields.JsonList(
        "Add-ons with at most one feed that runs.", fields.Text(blank=False), load_default=list
    )
    entry_id = EntryId(f"{ENTRY_ID} With it, feeds that were run are left out.", allow_none=True)
    explain = fields.Flag("Whether to say why other feeds do not run.", load_default=False)


class FeedVersion(Schema):
    """A feed at one version."""

    id = Output("The number of the feed.", int)
    version = Output("A number that every write of the feed increments.", int)
    form_id = Output("The form that the feed belongs to; 0 for all forms.", int)
    addon_slug = Output("The add-on of the feed.")
    event_type = Output("The event that the feed is for, or null.", allow_none=True)


class PlannedFeed(FeedVersion, RowSchema):
    """A feed that runs."""

    meta = StoredSettings(ABOUT_SETTINGS)
    run_key = Output(
        "A text that is the same for the same feed and entry; null without `entry_id`.",
        allow_none=True,
    )


class ComparedRule(Schema):
    """A rule, the values that it was compared with, and whether they match."""

    fieldId = Output("The id of a field or input, or the name of a property.")  # noqa: N815 - as rules have it
    operator = Output("The operator.")
    value = Output("The value of the rule, as it was compared.")
    values = Output("The values of the entry, as they were compared.", list[str])
    matches = Output("Whether the rule matches.", bool)


class SkippedFeed(FeedVersion):
    """A feed that does not run, and the reason."""

    reason = Output("Why the feed does not run.", choices=REASONS)
    problem = Output("Why its conditional logic cannot be understood.", optional=True)
    rules = Rows("The rules of a condition that is not met.", ComparedRule(), optional=True)


class FeedProblem(Schema):
    """A feed whose conditional logic cannot be understood."""

    id = Output("The number of the feed.", int)
    problem = Output("Why its conditional logic cannot be understood.")


class AddonFeeds(Schema):
    """The feeds of one add-on that run."""

    addon_slug = Output("The add-on.")
    feeds = Rows("Its feeds that run, in their order.", PlannedFeed())


class FeedPlan(Schema):
    """A plan with `feeds`, or `groups` of them; `explain` adds `skipped`."""

    form_id = Output("The form.", int)
    entry_id = Output("The id of the entry, if one was sent.", allow_none=True)
    feeds = Rows("The feeds that run, in their order.", PlannedFeed(), optional=True)
    groups = Rows(
        "The feeds that run by their add-on, instead of `feeds`.", AddonFeeds(), optional=True
    )
    problems = Rows("Feeds whose conditional logic cannot be understood.", FeedProblem())
    skipped = Rows("The feeds that do not run, with `explain`.", SkippedFeed(), optional=True)
