"""The operations on runs: which feed was run for which entry, and what became of it."""

from collections.abc import Callable

from flask import Response

from landform.schemas import runs as schemas
from landform.schemas.fields import compile_serializer
from landform.service.http.contract import Resource
from landform.service.http.request import WP_JSON_PATHS, ApiRequest
from landform.service.json_codec import JsonObject
from landform.storage import Store, runs
from landform.storage.rows import Row

RESOURCE = Resource(WP_JSON_PATHS[1])
RUN, LIST, DUE = schemas.Run(), schemas.RunList(), schemas.RunDue()
CLAIM, END = schemas.RunClaim(), schemas.RunEnd()
dump = compile_serializer(RUN)

PATH = "/feeds/<feed_id>/runs"
PAGED = ("X-WP-Total", "X-WP-TotalPages", "Link")
LIST_ERRORS = ("rest_post_invalid_page_number", "rest_search_too_expensive")
EXAMPLE = {"attempt": 1, "state": "failed", "code": "timeout", "retryable": True}


@RESOURCE.operation(
    "GET", "/runs", RUN, many=True, scope="feeds:read", query=LIST, headers=PAGED,
    errors=LIST_ERRORS,
)  # fmt: skip
def list_runs(request: ApiRequest) -> Response:
    """Return runs by form, feed, entry, state and time, the newest first."""
    return _list(request, runs.list_runs)


@RESOURCE.operation(
    "GET", "/runs/due", RUN, many=True, scope="feeds:read", query=DUE, headers=PAGED,
    errors=LIST_ERRORS,
)  # fmt: skip
def list_due_runs(request: ApiRequest) -> Response:
    """Return the runs that may be claimed again now, those first that are due for the longest.

    Their lease has lapsed, or they failed in a way that may pass, or are to be replayed.
    """
    return _list(request, runs.list_due)


@RESOURCE.operation(
    "POST", PATH, RUN, status=201, repeatable=False, headers=("Location", "ETag"),
    scope="runs:write", body=CLAIM, example={"entry_id": "17", "lease": 60},
    errors=("rest_missing_callback_param", "gf_feed_invalid_id", "rest_run_not_due"),
)  # fmt: skip
def claim_run(request: ApiRequest, feed_id: int) -> Response:
    """Claim the run of a feed for an entry, for a lease; nobody else can until it ends."""
    values, days = request.values(), request.service.options.run_days
    run = runs.claim(request.store, feed_id, values["entry_id"], values["lease"], days)
    location = f"{request.api_base_url}/feeds/{feed_id}/runs/{run['id']}"
    return _show(request, run, {"Location": location})


@RESOURCE.operation(
    "GET", f"{PATH}/<run_id>", RUN, scope="feeds:read", headers=("ETag", "Last-Modified"),
    errors=("rest_run_invalid_id",),
)  # fmt: skip
def get_run(request: ApiRequest, feed_id: int, run_id: int) -> Response:
    """Return a run of a feed."""
    return _show(request, runs.get(request.store, feed_id, run_id))


@RESOURCE.operation(
    "PATCH", f"{PATH}/<run_id>", RUN, scope="runs:write", body=END, if_match="run",
    headers=("ETag", "Last-Modified"), example=EXAMPLE,
    errors=("rest_missing_callback_param", "rest_run_invalid_id", "rest_run_not_claimed"),
)  # fmt: skip
def end_run(request: ApiRequest, feed_id: int, run_id: int) -> Response:
    """End a claimed run: it was a success, was skipped, or failed for good or for now."""
    outcome = request.values()
    attempt, expected = outcome.pop("attempt"), request.expected
    run = runs.end(request.store, feed_id, run_id, attempt, outcome, expected=expected)
    return _show(request, run)


@RESOURCE.operation(
    "POST", f"{PATH}/<run_id>/replay", RUN, scope="runs:write", if_match="run",
    headers=("ETag", "Last-Modified"), errors=("rest_run_invalid_id", "rest_run_not_finished"),
)  # fmt: skip
def replay_run(request: ApiRequest, feed_id: int, run_id: int) -> Response:
    """Let a run that has ended be claimed once more."""
    return _show(request, runs.replay(request.store, feed_id, run_id, request.expected))


def _list(
    request: ApiRequest, find: Callable[[Store, JsonObject], tuple[list[Row], int]]
) -> Response:
    query = request.parameters
    found, total = find(request.store, query)
    headers = request.paging_headers(query, total)
    return request.json_response([_shown(request, run) for run in found], headers)


def _show(request: ApiRequest, run: Row, headers: dict[str, str] | None = None) -> Response:
    """Return the response that shows a run."""
    request.set_row_etag("run", run)
    return request.json_response(_shown(request, run), headers)


def _shown(request: ApiRequest, run: Row) -> JsonObject:
    is_claimed = run["state"] == runs.CLAIMED
    return dump({
        **run,
        "until": run["due_utc"] if is_claimed else None,
        "retry_at": None if is_claimed else run["due_utc"],
        "retryable": bool(run["retryable"]),
        "run_key": runs.run_key(request.store, run["feed_id"], run["entry_id"]),
    })  # fmt: skip
