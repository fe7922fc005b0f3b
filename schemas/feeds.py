"""Feeds: read variants in strings, write variants in integers, and queries."""

from typing import Unpack

from marshmallow import EXCLUDE, Schema, ValidationError, fields, validates_schema

from landform.schemas.fields import (
    CodedMessage,
    Data,
    Flag,
    Ignored,
    Integer,
    JsonList,
    JsonObject,
    ListOf,
    Number,
    Options,
    StoredJson,
    Text,
    check_keys,
    required,
    required_nonblank,
)
from landform.schemas.known_names import KnownOnly

# The most feeds that are put into an order at once.
MOST_FEEDS = 100_000
UNKNOWN = CodedMessage("invalid_property", "This property of a feed is unknown or read-only.")
NO_META = CodedMessage("missing_feed_meta", "meta is required: an object of settings.")
BAD_META = CodedMessage("invalid_meta", "meta must be an object of settings.")


class Settings(fields.Field[JsonObject]):
    """The settings of a feed: a JSON object. `empty` is the message that refuses an empty one.

    Only what clients send is bounded, not what an export holds.
    """

    def __init__(
        self, *, empty: CodedMessage | None, is_bounded: bool = True, **kw: Unpack[Options]
    ) -> None:
        kw["allow_none"] = True
        super().__init__(**kw)
        self.empty, self.is_bounded = empty, is_bounded

    def deserialize(
        self, value: object, attr: str | None = None, data: Data = None, **kw: object
    ) -> JsonObject:
        """Return the object; a list, null or emptiness is another error than a scalar."""
        if isinstance(value, (dict, list)) or value is None:
            if not value and (self.empty or value != {}):
                raise ValidationError(self.empty or BAD_META)
            if isinstance(value, list):
                raise ValidationError(BAD_META)
        return super().deserialize(value, attr, data, **kw)

    def _deserialize(self, value: object, attr: str | None, data: Data, **kw: object) -> JsonObject:
        if not isinstance(value, dict):
            raise ValidationError(f"{attr} must be an object of settings.")
        if self.is_bounded:
            check_keys(attr, value)
        return value


class StoredSettings(StoredJson):
    """The settings of a feed as rows hold them."""


class Digits(fields.Field[int]):
    """An integer or flag that responses show as a string of digits."""

    def _serialize(self, value: int | None, attr: str | None, obj: object, **kw: object) -> str:
        return str(int(value or 0))


class FeedRead(Schema):
    """A feed as get, list and delete return it."""

    id = Digits()
    form_id = Digits()
    is_active = Digits()
    feed_order = Digits()
    meta = StoredSettings()
    addon_slug = fields.String()
    event_type = fields.String(allow_none=True)


class FeedDeleted(FeedRead):
    """A feed as it last was."""

    deleted = fields.Constant(True)


class FeedWritten(Schema):
    """A feed as create and the updates return it."""

    id = fields.Integer()
    form_id = fields.Integer()
    meta = StoredSettings()
    addon_slug = fields.String()


class FeedCreate(Schema):
    """The body of a create. Unknown keys are ignored."""

    class Meta:
        unknown = EXCLUDE

    form_id = Integer(minimum=0, **required_nonblank("form_id", "missing_form_id"))
    addon_slug = Text(blank=False, **required_nonblank("addon_slug", "missing_addon_slug"))
    meta = Settings(empty=NO_META, required=True, error_messages={"required": NO_META})
    is_active = Flag()
    feed_order = Integer(minimum=0)
    event_type = Ignored(only=[None])


class FormFeedCreate(FeedCreate):
    """The body of a create for the form in the path."""

    class Meta:
        unknown = EXCLUDE
        exclude = ("form_id",)


class FeedUpdate(KnownOnly, FeedCreate):  # type: ignore[misc] # the first Meta counts
    """The body of a full update. Unknown keys are refused; the id may come along."""

    error_messages = {"unknown": UNKNOWN}
    id = Ignored()
    event_type = Text(allow_none=True)  # type: ignore[assignment] # the metaclass takes it away


class FeedPatch(KnownOnly):
    """The body of a partial update: any of the fields; `meta` is merged."""

    error_messages = {"unknown": UNKNOWN}
    id = Ignored()
    form_id = Integer(minimum=0)
    addon_slug = Text(blank=False)
    meta = Settings(empty=None)
    is_active = Flag()
    feed_order = Integer(minimum=0)
    event_type = Text(allow_none=True)


class FeedProperties(FeedPatch):
    """The body of an update of properties: `meta` replaces, and the id is no property."""

    class Meta(KnownOnly.Meta):
        exclude = ("id",)

    meta = Settings(empty=BAD_META)


class FeedCopy(KnownOnly):
    """The body of a duplicate."""

    error_messages = {"unknown": UNKNOWN}
    form_id = Integer(minimum=0, allow_none=True)


class OrderParameters(Schema):
    """The query of an order."""

    class Meta:
        unknown = EXCLUDE

    partial = Flag()  # type: ignore[assignment] # the metaclass takes it away


class FeedOrder(KnownOnly):
    """The body of an order: the ids of the feeds, each once."""

    error_messages = {"unknown": UNKNOWN}
    feeds = JsonList(Integer(minimum=1), most=MOST_FEEDS, **required("feeds"))
    partial = Flag()  # type: ignore[assignment] # the metaclass takes it away

    @validates_schema
    def check_ids(self, data: JsonObject, **kw: object) -> None:
        """Refuse an id that is given twice."""
        if len(set(data["feeds"])) < len(data["feeds"]):
            raise ValidationError("feeds must hold each id once.", "feeds")


class FeedFilter(Schema):
    """The query of one feed or of a form's feeds."""

    class Meta:
        unknown = EXCLUDE

    include = ListOf(Number())
    addon = Text()


class FeedList(FeedFilter):
    """The query of a list of feeds."""

    form_id = ListOf(Number())
    is_active = Flag()
