"""Plans: requests for one, and the feeds that run for an entry."""

from functools import partial

from marshmallow import Schema, ValidationError

from landform.schemas import fields
from landform.schemas.feeds import ABOUT_SETTINGS, StoredSettings
from landform.schemas.fields import Data, JsonObject, Shown, required
from landform.schemas.known_names import KnownOnly, Tolerant
from landform.storage.rows import count_keys

LONGEST_ID, LONGEST_NAME, LONGEST_VALUE = 200, 200, 65_536
MOST_VALUES = 5000
ENTRY_ID = "The caller's id of the entry; a whole number is the same as its text."
REASONS = ("inactive", "addon", "event_type", "already_run", "condition", "first_only")
EntryId = partial(fields.IdText, blank=False, line=True, longest=LONGEST_ID)
KINDS: list[JsonObject] = [{"type": kind} for kind in ("string", "number", "boolean", "null")]


class EntryValues(fields.Field[JsonObject]):
    """Values by the ids of fields, or by names: texts, numbers, flags, nulls, or lists of these.

    What they are stands in no message. PHP cannot tell an empty object from an empty list.
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
        for item in (
            one for of in value.values() for one in (of if isinstance(of, list) else [of])
        ):
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
    addon = fields.Text("Only the feeds of this add-on.", allow_none=True)
    event_type = fields.Text("Only feeds with exactly this event type, or null.", allow_none=True)
    form_0 = fields.Flag("Whether the feeds of form 0 run too.", load_default=False)
    first_only = fields.JsonList(
        "Add-ons of which one feed runs at most.", fields.Text(blank=False), load_default=list
    )
    entry_id = EntryId(f"{ENTRY_ID} With it, what was run is left out.", allow_none=True)
    explain = fields.Flag("Whether to say why the other feeds do not run.", load_default=False)


class FeedVersion(Schema):
    """A feed at one version."""

    id = Shown("The number of the feed.", int)
    version = Shown("A number that every write of the feed increments.", int)
    form_id = Shown("The form that the feed belongs to; 0 for all forms.", int)
    addon_slug = Shown("The add-on of the integration.")
    event_type = Shown("The event that the feed is for, or null.", allow_none=True)


class PlannedFeed(FeedVersion):
    """A feed that runs."""

    meta = StoredSettings(ABOUT_SETTINGS)
    run_key = Shown(
        "The same for the same feed and entry; null without `entry_id`.", allow_none=True
    )


class ComparedRule(Schema):
    """A rule, the values that it was compared with, and whether they match."""

    fieldId = Shown("The id of a field or input, or the name of a property.")  # noqa: N815 - as rules have it
    operator = Shown("The operator.")
    value = Shown("The value of the rule, as it was compared.")
    values = Shown("The values of the entry, as they were compared.", list[str])
    matches = Shown("Whether the rule matches.", bool)


class SkippedFeed(FeedVersion):
    """A feed that does not run, and why."""

    reason = Shown("Why the feed does not run.", choices=REASONS)
    problem = Shown("Why its conditional logic cannot be understood.", optional=True)
    rules = Shown("The rules of a condition that is not met.", list[ComparedRule], optional=True)


class FeedProblem(Schema):
    """A feed whose conditional logic cannot be understood."""

    id = Shown("The number of the feed.", int)
    problem = Shown("Why its conditional logic cannot be understood.")


class AddonFeeds(Schema):
    """The feeds of one add-on that run."""

    addon_slug = Shown("The add-on.")
    feeds = Shown("Its feeds that run, in their order.", list[PlannedFeed])


class FeedPlan(Schema):
    """A plan. There are `groups` or `feeds`; `skipped` where it was to be explained."""

    form_id = Shown("The form.", int)
    entry_id = Shown("The id of the entry, if one was sent.", allow_none=True)
    feeds = Shown("The feeds that run, in their order.", list[PlannedFeed], optional=True)
    groups = Shown(
        "The feeds that run by their add-on, instead of `feeds`.", list[AddonFeeds], optional=True
    )
    problems = Shown("Feeds whose conditional logic cannot be understood.", list[FeedProblem])
    skipped = Shown(
        "The feeds that do not run, if that was to be explained.", list[SkippedFeed], optional=True
    )
