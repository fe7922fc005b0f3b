"""Schemas of feeds: reads return numbers as strings, writes as integers."""

from math import inf
from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from landform.schemas import fields
from landform.schemas.export import Line, StoredText
from landform.schemas.fields import (
    CodedMessage,
    Constant,
    Data,
    Digits,
    Ignored,
    JsonObject,
    ListOf,
    Number,
    Output,
    StoredJson,
    check_keys,
    required,
)
from landform.schemas.known_names import KnownOnly, Tolerant

# How many feeds one request may order.
MOST_FEEDS = 100_000
UNKNOWN = CodedMessage("invalid_property", "This property of a feed is unknown or read-only.")
NO_META = CodedMessage("missing_feed_meta", "meta is required: an object of settings.")
BAD_META = CodedMessage("invalid_meta", "meta must be an object of settings.")
META_EXAMPLE = {"feedName": "Newsletter"}
ABOUT_SETTINGS = (
    "The settings, which depend on the add-on. Most feeds have `feedName`, and for "
    'conditional logic `feed_condition_conditional_logic`, the string "0" or "1", and '
    "`feed_condition_conditional_logic_object`, an array or an object of rules."
)
# An object of any keys.
OBJECT = {"type": "object", "additionalProperties": True}


class Settings(fields.Field[JsonObject]):
    """The settings of a feed, a JSON object; `empty`: the error for an empty one.

    A list, null or an empty object has another error code than a scalar. Requests have bounds,
    exports have not.
    """

    wordpress_type = {"type": "object"}

    def __init__(
        self, about: str = "", *, empty: CodedMessage | None, is_bounded: bool = True, **kw: Any
    ) -> None:
        messages = dict.fromkeys(("required", "null"), empty or BAD_META)
        super().__init__(about, error_messages=messages, **kw)
        self.empty, self.is_bounded = empty, is_bounded
        min_properties = {"minProperties": 1} if empty else {}
        self.json_type = {**OBJECT, "examples": [META_EXAMPLE], **min_properties}

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> JsonObject:
        if value == [] or (value == {} and self.empty):
            raise ValidationError(self.empty or BAD_META)
        if isinstance(value, list):
            raise ValidationError(BAD_META)
        if not isinstance(value, dict):
            raise ValidationError(f"{attr} must be an object of settings.")
        if self.is_bounded:
            check_keys(attr, value)
        return value


class StoredSettings(StoredJson):
    """The stored settings of a feed."""

    json_type = {**OBJECT, "examples": [META_EXAMPLE]}


class FeedRead(Schema):
    """A feed as get, list and delete return it."""

    id = Digits("The number of the feed.")
    form_id = Digits("The form that the feed belongs to; 0 for all forms.")
    is_active = Digits("`1` if the feed is active, otherwise `0`.")
    feed_order = Digits("The position of the feed in its form, for lists and plans.")
    meta = StoredSettings(ABOUT_SETTINGS)
    addon_slug = Output("The add-on of the feed, such as `gravityformsmailchimp`.")
    event_type = Output("The event that the feed is for; null by default.", allow_none=True)


class FeedDeleted(FeedRead):
    """A feed as it last was."""

    deleted = Constant("Always true.", True)


class FeedWritten(Schema):
    """A feed as create and the updates return it: with these fields only, as Gravity Forms does."""

    id = Output("The number of the feed.", int)
    form_id = Output("The form that the feed belongs to; 0 for all forms.", int)
    meta = StoredSettings(ABOUT_SETTINGS)
    addon_slug = Output("The add-on of the feed.")


class FeedCreate(Tolerant):
    """The body of a create. Unknown keys are ignored."""

    form_id = fields.Integer(
        "The form that the feed belongs to; 0 for all forms.",
        minimum=0,
        **required("form_id", "missing_form_id", "null"),
    )
    addon_slug = fields.Text(
        "The add-on of the feed, such as `gravityformsmailchimp`.",
        blank=False,
        **required("addon_slug", "missing_addon_slug", "null", "blank"),
    )
    meta = Settings("The settings, which depend on the add-on.", empty=NO_META, required=True)
    is_active = fields.Flag("Whether the feed is active; a new one is, by default.")
    feed_order = fields.Integer("The position of the feed in its form.", 0)
    event_type = Ignored("Always null: any other value is ignored.", {"type": ["string", "null"]})


class FormFeedCreate(FeedCreate):
    """The body of a create for the form in the path."""

    class Meta(Tolerant.Meta):
        exclude = ("form_id",)


class FeedUpdate(KnownOnly, FeedCreate):
    """The body of a PUT. Unknown keys are refused; an id is ignored."""

    error_messages = {"unknown": UNKNOWN}
    id = Ignored("Ignored: the id in the path counts.")
    event_type = fields.Text("The event that the feed is for, or null.", allow_none=True)  # type: ignore[assignment] # the metaclass takes it away


class FeedPatch(FeedUpdate):
    """The body of a partial update: any of the fields; `meta` is merged."""

    form_id = fields.Integer(minimum=0)
    addon_slug = fields.Text(blank=False)
    meta = Settings("The settings to change, as a JSON Merge Patch: null removes one.", empty=None)


class FeedProperties(FeedPatch):
    """The body of an update of properties, in which `meta` replaces the settings."""

    class Meta(KnownOnly.Meta):
        exclude = ("id",)

    meta = Settings("The settings, which replace all others.", empty=BAD_META)


class FeedCopy(KnownOnly):
    """The body of a request to duplicate a feed."""

    error_messages = {"unknown": UNKNOWN}
    form_id = fields.Integer("The form of the copy, if it is another form.", 0, allow_none=True)


class OrderParameters(Tolerant):
    """The query of a request to order feeds."""

    partial = fields.Flag(  # type: ignore[assignment] # the metaclass takes it away
        "Whether the list may omit feeds of the form; these then come last."
    )


class FeedOrder(KnownOnly, OrderParameters):
    """The ids of the feeds of a form in their new order."""

    error_messages = {"unknown": UNKNOWN}
    feeds = fields.JsonList(
        "The ids of the form's feeds, in their new order.",
        fields.Integer(minimum=1),
        max_items=MOST_FEEDS,
        **required("feeds"),
    )

    @validates_schema
    def check_ids(self, data: JsonObject, **kw: object) -> None:
        """Refuse an id that is in the list twice."""
        if len(set(data["feeds"])) < len(data["feeds"]):
            raise ValidationError("feeds must hold each id once.", "feeds")


class FeedFilter(Tolerant):
    """The query of one feed or of a form's feeds."""

    include = ListOf("Only feeds with these ids.", Number())
    addon = fields.Text("Only feeds of this add-on.")


class FeedList(FeedFilter):
    """The query of a list of feeds."""

    form_id = ListOf("Only feeds of these forms.", Number())
    is_active = fields.Flag("Only active feeds, or only inactive ones.")


class FeedLine(Line):
    """A feed in a line of an export."""

    form_id = fields.Integer(minimum=0, required=True)
    is_active = fields.Flag(required=True)
    feed_order = fields.Integer(minimum=0, required=True)
    addon_slug = fields.Text(blank=False, longest=inf, required=True)
    event_type = StoredText(allow_none=True, required=True)
    # Earlier versions let a patch remove every setting.
    meta = Settings(empty=None, is_bounded=False, required=True)
