"""Plans: requests for one, and the feeds that run for an entry."""

from marshmallow import EXCLUDE, Schema, ValidationError, fields

from landform.schemas.feeds import StoredSettings
from landform.schemas.fields import (
    CONTROL,
    Data,
    Flag,
    JsonList,
    JsonObject,
    Text,
    required,
)
from landform.schemas.known_names import KnownOnly
from landform.schemas.pages import one_of
from landform.storage.rows import count_keys

LONGEST_ID, LONGEST_NAME, LONGEST_VALUE = 200, 200, 65_536
MOST_VALUES = 5000
REASONS = ("inactive", "addon", "event_type", "already_run", "condition", "first_only")


class EntryId(Text):
    """The caller's id of an entry: a text, or a whole number."""

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            # No number that is as long has an id in any database.
            value = str(value) if abs(value) < 10**LONGEST_ID else ""
        text = super()._deserialize(value, attr, data, **kw)
        if not 0 < len(text) <= LONGEST_ID or CONTROL.search(text):
            message = f"{attr} must have 1 to {LONGEST_ID} characters, and no control characters."
            raise ValidationError(message)
        return text


class EntryValues(fields.Field[JsonObject]):
    """Values by the ids of fields, or by names: texts, numbers, flags, nulls, or lists of these.

    What they are stands in no message.
    """

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> JsonObject:
        # PHP cannot tell an empty object from an empty list.
        value = {} if value == [] else value
        if not isinstance(value, dict):
            raise ValidationError(f"{attr} must be an object of fields and their values.")
        if any(len(name) > LONGEST_NAME for name in value):
            raise ValidationError(f"{attr} has a field whose name is too long.")
        items = [one for of in value.values() for one in (of if isinstance(of, list) else [of])]
        if count_keys(value) > MOST_VALUES:
            raise ValidationError(f"{attr} must not have more than {MOST_VALUES} fields and items.")
        if any(isinstance(one, str) and len(one) > LONGEST_VALUE for one in items):
            raise ValidationError(f"{attr} has a value of more than {LONGEST_VALUE} characters.")
        if not all(map(_is_value, value.values())):
            raise ValidationError(
                f"Each value in {attr} must be a text, a number, true, false, null, or a list of "
                "these."
            )
        return value


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(item, (dict, list)) for item in value)
    return not isinstance(value, dict)


class PlanParameters(Schema):
    """The query of a plan."""

    class Meta:
        unknown = EXCLUDE

    group = Text(validate=one_of(("addon",)))


class PlanRequest(KnownOnly):
    """The body of a plan."""

    entry = EntryValues(**required("entry"))
    properties = EntryValues(load_default=dict)
    addon = Text(allow_none=True)
    event_type = Text(allow_none=True)
    form_0 = Flag(load_default=False)
    first_only = JsonList(Text(blank=False), load_default=list)
    entry_id = EntryId(allow_none=True)
    explain = Flag(load_default=False)
    group = Text(validate=one_of(("addon",)), allow_none=True)


class FeedVersion(Schema):
    """A feed at one version."""

    id = fields.Integer()
    version = fields.Integer()
    form_id = fields.Integer()
    addon_slug = fields.String()
    event_type = fields.String(allow_none=True)


class PlannedFeed(FeedVersion):
    """A feed that runs."""

    meta = StoredSettings()
    run_key = fields.String(allow_none=True)


class ComparedRule(Schema):
    """A rule, the values that it was compared with, and whether they match."""

    fieldId = fields.String()  # noqa: N815 - as rules have it
    operator = fields.String()
    value = fields.String()
    values = fields.List(fields.String())
    matches = fields.Boolean()


class SkippedFeed(FeedVersion):
    """A feed that does not run, and why."""

    reason = fields.String(validate=one_of(REASONS))
    problem = fields.String()
    rules = fields.List(fields.Nested(ComparedRule))


class FeedProblem(Schema):
    """A feed whose conditional logic cannot be understood."""

    id = fields.Integer()
    problem = fields.String()


class AddonFeeds(Schema):
    """The feeds of one add-on that run."""

    addon_slug = fields.String()
    feeds = fields.List(fields.Nested(PlannedFeed))


class FeedPlan(Schema):
    """A plan. There are `groups` or `feeds`; `skipped` where it was to be explained."""

    form_id = fields.Integer()
    entry_id = fields.String(allow_none=True)
    feeds = fields.List(fields.Nested(PlannedFeed))
    groups = fields.List(fields.Nested(AddonFeeds))
    problems = fields.List(fields.Nested(FeedProblem))
    skipped = fields.List(fields.Nested(SkippedFeed))
