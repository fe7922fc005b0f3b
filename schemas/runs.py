"""Runs: claims, how they end, lists, and what is returned."""

from marshmallow import EXCLUDE, Schema, ValidationError, fields, pre_load, validate
from marshmallow.decorators import validates_schema

from landform.schemas.feed_plan import EntryId
from landform.schemas.fields import (
    DateTime,
    Flag,
    Integer,
    JsonObject,
    ListOf,
    Number,
    Options,
    Text,
    required,
)
from landform.schemas.known_names import KnownOnly
from landform.schemas.pages import FURTHEST, one_of

ENDS = ("success", "skipped", "failed")
STATES = ("claimed", "pending", *ENDS)
# In seconds: how long a claim lasts where nothing is said, and at most.
LEASE, LONGEST_LEASE = 300, 86_400
LONGEST_CODE, LONGEST_MESSAGE = 100, 2000


STATE: Options = {**required("state"), "validate": one_of(ENDS)}


class Write(KnownOnly):
    """The base of both writes: null is the same as nothing."""

    @pre_load
    def leave_out_null(self, data: JsonObject, **kw: object) -> JsonObject:
        """Take null for what is not sent."""
        return {name: value for name, value in data.items() if value is not None}


class RunClaim(Write):
    """The body of a claim."""

    entry_id = EntryId(**required("entry_id"))
    lease = Integer(minimum=1, maximum=LONGEST_LEASE, load_default=LEASE)


class RunEnd(Write):
    """The body that ends a run."""

    state = Text(**STATE)
    code = Text(validate=validate.Length(max=LONGEST_CODE), load_default="")
    message = Text(validate=validate.Length(max=LONGEST_MESSAGE), load_default="")
    retryable = Flag(load_default=False)
    retry_at = DateTime()
    attempt = Integer(minimum=1, **required("attempt"))

    @validates_schema
    def check_retry(self, data: JsonObject, **kw: object) -> None:
        """Refuse to retry what has not failed, and a time for what is not to be retried."""
        if data.get("retryable") and data.get("state") != "failed":
            raise ValidationError("Only a failed run is retryable.", "retryable")
        if "retry_at" in data and not data.get("retryable"):
            raise ValidationError("retry_at needs retryable.", "retry_at")


class RunPage(Schema):
    """The query of any list of runs."""

    class Meta:
        unknown = EXCLUDE

    page = Integer(minimum=1, maximum=FURTHEST, load_default=1)
    per_page = Integer(minimum=1, maximum=100, load_default=10)
    form_id = ListOf(Number())
    feed_id = ListOf(Number())


class RunList(RunPage):
    """The query of a list of runs, the newest first."""

    entry_id = EntryId()
    state = ListOf(Text(validate=one_of(STATES)))
    after = DateTime()
    before = DateTime()
    modified_after = DateTime()
    modified_before = DateTime()
    order = Text(validate=one_of(("asc", "desc")), load_default="desc")


class RunDue(RunPage):
    """The query of the runs that are due."""

    addon = Text()


class UtcTime(fields.Field[str]):
    """A stored time, shown with the Z of UTC."""

    def _serialize(self, value: str | None, attr: str | None, obj: object, **kw: object) -> object:
        return f"{value}Z" if value else None


class Run(Schema):
    """A run. `until`: the end of a lease; `retry_at`: from when on it may be claimed again."""

    id = fields.Integer()
    feed_id = fields.Integer()
    form_id = fields.Integer()
    entry_id = fields.String()
    state = fields.String(validate=one_of(STATES))
    attempt = fields.Integer()
    until = UtcTime(allow_none=True)
    retry_at = UtcTime(allow_none=True)
    code = fields.String()
    message = fields.String()
    retryable = fields.Boolean()
    created = UtcTime(attribute="created_utc")
    modified = UtcTime(attribute="modified_utc")
    run_key = fields.String()
