"""Schemas of runs: claims, ends and lists."""

from marshmallow import Schema, ValidationError, pre_load, validates_schema

from landform.schemas import fields
from landform.schemas.feed_plan import ENTRY_ID, EntryId
from landform.schemas.fields import JsonObject, ListOf, Number, Output, UtcTime, required
from landform.schemas.known_names import KnownOnly
from landform.schemas.pages import Paged

ENDS = ("success", "skipped", "failed")
STATES = ("claimed", "pending", *ENDS)
# How many seconds a claim lasts by default, and at most.
LEASE, LONGEST_LEASE = 300, 86_400


class RunWrite(KnownOnly):
    """The base of both writes; null is the same as an absent field."""

    @pre_load
    def leave_out_null(self, data: JsonObject, **kw: object) -> JsonObject:
        """Drop fields that are null."""
        return {name: value for name, value in data.items() if value is not None}


class RunClaim(RunWrite):
    """The body of a claim."""

    entry_id = EntryId(ENTRY_ID, **required("entry_id"))
    lease = fields.Integer(
        "How many seconds it lasts; 300 by default.", 1, LONGEST_LEASE, load_default=LEASE
    )


class RunEnd(RunWrite):
    """The body that ends a run."""

    state = fields.Text("How the run ended.", ENDS, **required("state"))
    code = fields.Text("Your own code, such as `timeout`.", longest=100, load_default="")
    message = fields.Text("A message for people, without values of the entry.", load_default="")
    retryable = fields.Flag("Whether a failed run may be claimed again.", load_default=False)
    retry_at = fields.DateTime("When the run may be claimed again; at once by default.")
    attempt = fields.Integer("The attempt of the claim that ends.", 1, **required("attempt"))

    @validates_schema
    def check_retry(self, data: JsonObject, **kw: object) -> None:
        """Refuse a retry of a run that has not failed, and a time without a retry."""
        if data.get("retryable") and data.get("state") != "failed":
            raise ValidationError("Only a failed run is retryable.", "retryable")
        if "retry_at" in data and not data.get("retryable"):
            raise ValidationError("retry_at needs retryable.", "retry_at")


class RunPage(Paged):
    """The query of any list of runs."""

    form_id = ListOf("Only runs of feeds of these forms.", Number())
    feed_id = ListOf("Only runs of these feeds.", Number())


class RunList(RunPage):
    """The query of a list of runs, the newest first."""

    entry_id = EntryId("Only runs for this entry.")
    state = ListOf("Only runs in these states.", fields.Text(choices=STATES))
    after = fields.DateTime("Only runs first claimed after this time.")
    before = fields.DateTime("Only runs first claimed before this time.")
    modified_after = fields.DateTime("Only runs last written after this time.")
    modified_before = fields.DateTime("Only runs last written before this time.")
    order = fields.Text("The direction of the order.", ("asc", "desc"), load_default="desc")


class RunDue(RunPage):
    """The query of the runs that are due."""

    addon = fields.Text("Only runs of feeds of this add-on.")


class Run(Schema):
    """A run of a feed for an entry."""

    id = Output("The number of the run.", int)
    feed_id = Output("The number of the feed.", int)
    form_id = Output("The form of the feed when the run was last claimed.", int)
    entry_id = Output("The caller's id of the entry.")
    state = Output("The state; a `pending` run waits to be claimed.", choices=STATES)
    attempt = Output("How often the run was claimed.", int)
    until = UtcTime("The end of the lease of a claimed run; null for other runs.", allow_none=True)
    retry_at = UtcTime("When the run may be claimed again; null if it may not.", allow_none=True)
    code = Output("The code that was reported.")
    message = Output("The message that was reported.")
    retryable = Output("Whether the failure may be temporary.", bool)
    created = UtcTime("When the run was first claimed, or planned.", attribute="created_utc")
    modified = UtcTime("When the run was last written.", attribute="modified_utc")
    run_key = Output("A text that is the same for the same feed and entry, as in a plan.")
