"""The operations on runs of feeds for entries."""

from collections.abc import Callable
from typing import Any

from landform.parts.feed_runs import CLAIMED, run_key
from landform.parts.runs import Runs, schemas, storage
from landform.parts.runs.errors import RunNotClaimed, RunNotDue, RunNotFinished, RunNotFound
from landform.service.pages.resource import PAGING, paging
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import Reply
from landform.storage import Store
from landform.storage.rows import NO_VALUES, Row, Values

RESOURCE = Resource(GRAVITY_FORMS)
RESOURCES = (RESOURCE,)
RUN = schemas.Run()

RUNS_PATH = "/feeds/<feed_id>/runs"
RUN_PATH = f"{RUNS_PATH}/<run_id>"
EXAMPLE = {"attempt": 1, "state": "failed", "code": "timeout", "retryable": True}
# What both lists declare, what operations on one run do, and what the writes among these do.
LIST: dict[str, Any] = {
    "response": RUN,
    "many": True,
    "scope": "feeds:read",
    "headers": PAGING,
    "errors": ("rest_post_invalid_page_number", "rest_search_too_expensive"),
}
ONE_RUN: dict[str, Any] = {"response": RUN, "headers": ("ETag", "Last-Modified")}
WRITE: dict[str, Any] = {**ONE_RUN, "scope": "runs:write", "if_match": "run"}


@RESOURCE.get("/runs", query=schemas.RunList(), **LIST)
def list_runs(call: Call) -> Reply:
    """Return runs by form, feed, entry, state and time, the newest first."""
    return _list_reply(call, storage.list_runs)


@RESOURCE.get("/runs/due", query=schemas.RunDue(), **LIST)
def list_due_runs(call: Call) -> Reply:
    """Return the runs that may be claimed again now, in the order of their due times.

    Their lease has ended, or they failed temporarily, or are replayed.
    """
    return _list_reply(call, storage.list_due)


@RESOURCE.post(
    RUNS_PATH,
    body=schemas.RunClaim(),
    response=RUN,
    status=201,
    repeatable=False,
    scope="runs:write",
    headers=("Location", "ETag"),
    example={"entry_id": "17", "lease": 60},
    errors=("rest_missing_callback_param", "gf_feed_invalid_id", RunNotDue),
)
def claim_run(call: Call, feed_id: int) -> Reply:
    """Claim the run of a feed for an entry, exclusively until the lease ends."""
    days = call.part(Runs).days
    run = storage.claim(call.store, feed_id, call.body["entry_id"], call.body["lease"], days)
    location = f"{call.root_url}/feeds/{feed_id}/runs/{run['id']}"
    return run_reply(call, run, {"Location": location})


@RESOURCE.get(RUN_PATH, **ONE_RUN, scope="feeds:read", errors=(RunNotFound,))
def get_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """Return a run of a feed."""
    return run_reply(call, storage.get(call.store, feed_id, run_id))


@RESOURCE.patch(
    RUN_PATH,
    **WRITE,
    body=schemas.RunEnd(),
    example=EXAMPLE,
    errors=("rest_missing_callback_param", RunNotFound, RunNotClaimed),
)
def end_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """End a claimed run with success, as skipped, or with a failure."""
    outcome = call.body
    if retry_at := outcome.get("retry_at"):
        outcome = {**outcome, "retry_at": call.store.clock.moment(retry_at).utc}
    return run_reply(call, storage.end(call.store, feed_id, run_id, outcome, call.if_match))


@RESOURCE.post(
    f"{RUN_PATH}/replay", **WRITE, errors=(RunNotFound, "gf_feed_invalid_id", RunNotFinished)
)
def replay_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """Let a run that has ended be claimed once more, unless its feed is deleted."""
    return run_reply(call, storage.replay(call.store, feed_id, run_id, call.if_match))


def _list_reply(call: Call, query: Callable[[Store, JsonObject], tuple[list[Row], int]]) -> Reply:
    rows, total = query(call.store, call.query)
    feed_ids = storage.existing_feeds(call.store, rows)
    body = [_dump(call, run, has_feed=run["feed_id"] in feed_ids) for run in rows]
    return Reply(body, headers=paging(call, total))


def run_reply(call: Call, run: Row, headers: Values = NO_VALUES) -> Reply:
    """Return the reply with a run."""
    has_feed = bool(storage.existing_feeds(call.store, [run]))
    etag, modified = call.row_etag("run", run, has_feed), run["modified_utc"]
    body = _dump(call, run, has_feed=has_feed)
    return Reply(body, headers=headers, etag=etag, last_modified=modified)


def _dump(call: Call, run: Row, *, has_feed: bool) -> JsonObject:
    """Return a run; nobody can claim that of a deleted feed again."""
    is_claimed = run["state"] == CLAIMED
    computed = {
        "until": run["due_utc"] if is_claimed else None,
        "retry_at": run["due_utc"] if has_feed and not is_claimed else None,
        "run_key": run_key(call.store, run["feed_id"], run["entry_id"]),
    }
    body: JsonObject = RUN.dump({**run, **computed})
    return body
