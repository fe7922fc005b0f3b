"""The operations on runs of feeds for entries."""

from collections.abc import Callable

from landform.parts.runs import Runs, schemas, storage
from landform.parts.runs.errors import RunNotClaimed, RunNotDue, RunNotFinished, RunNotFound
from landform.service.call import Call
from landform.service.json_codec import JsonObject
from landform.service.operations import GRAVITY_FORMS, Resource
from landform.service.pages import PAGING, paging
from landform.service.reply import Reply
from landform.storage import Store
from landform.storage.rows import Row
from landform.storage.run_keys import run_key

RESOURCE = Resource(GRAVITY_FORMS)
RESOURCES = (RESOURCE,)
RUN = schemas.Run()

RUNS_PATH = "/feeds/<feed_id>/runs"
LIST_ERRORS = ("rest_post_invalid_page_number", "rest_search_too_expensive")
EXAMPLE = {"attempt": 1, "state": "failed", "code": "timeout", "retryable": True}


@RESOURCE.get(
    "/runs",
    query=schemas.RunList(),
    response=RUN,
    many=True,
    scope="feeds:read",
    headers=PAGING,
    errors=LIST_ERRORS,
)
def list_runs(call: Call) -> Reply:
    """Return runs by form, feed, entry, state and time, the newest first."""
    return _list_reply(call, storage.list_runs)


@RESOURCE.get(
    "/runs/due",
    query=schemas.RunDue(),
    response=RUN,
    many=True,
    scope="feeds:read",
    headers=PAGING,
    errors=LIST_ERRORS,
)
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


@RESOURCE.get(
    f"{RUNS_PATH}/<run_id>",
    response=RUN,
    scope="feeds:read",
    headers=("ETag", "Last-Modified"),
    errors=(RunNotFound,),
)
def get_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """Return a run of a feed."""
    return run_reply(call, storage.get(call.store, feed_id, run_id))


@RESOURCE.patch(
    f"{RUNS_PATH}/<run_id>",
    body=schemas.RunEnd(),
    response=RUN,
    scope="runs:write",
    if_match="run",
    headers=("ETag", "Last-Modified"),
    example=EXAMPLE,
    errors=("rest_missing_callback_param", RunNotFound, RunNotClaimed),
)
def end_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """End a claimed run with success, as skipped, or with a failure."""
    outcome = {name: value for name, value in call.body.items() if name != "attempt"}
    attempt, if_match = call.body["attempt"], call.if_match
    return run_reply(
        call, storage.end(call.store, feed_id, run_id, attempt, outcome, if_match=if_match)
    )


@RESOURCE.post(
    f"{RUNS_PATH}/<run_id>/replay",
    response=RUN,
    scope="runs:write",
    if_match="run",
    headers=("ETag", "Last-Modified"),
    errors=(RunNotFound, RunNotFinished),
)
def replay_run(call: Call, feed_id: int, run_id: int) -> Reply:
    """Let a run that has ended be claimed once more."""
    return run_reply(call, storage.replay(call.store, feed_id, run_id, call.if_match))


def _list_reply(call: Call, query: Callable[[Store, JsonObject], tuple[list[Row], int]]) -> Reply:
    rows, total = query(call.store, call.query)
    headers = paging(call, total)
    rows = [_with_computed(call, run) for run in rows]
    return Reply(RUN.dump(rows, many=True), headers=headers)


def run_reply(call: Call, run: Row, headers: dict[str, str] | None = None) -> Reply:
    """Return the reply with a run."""
    return Reply(
        RUN.dump(_with_computed(call, run)),
        headers=headers or {},
        etag=call.row_etag("run", run),
        last_modified=run["modified_utc"],
    )


def _with_computed(call: Call, run: Row) -> Row:
    """Return a run with its computed fields."""
    is_claimed = run["state"] == storage.CLAIMED
    return {
        **run,
        "until": run["due_utc"] if is_claimed else None,
        "retry_at": None if is_claimed else run["due_utc"],
        "retryable": bool(run["retryable"]),
        "run_key": run_key(call.store, run["feed_id"], run["entry_id"]),
    }
