"""Runs: which feeds were run for an entry, each by one worker at a time, and how it ended."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from landform.parts.errors import errors_in
from landform.parts.feed_runs import FailingFeed, FeedRun
from landform.parts.option import option, whole
from landform.parts.part import Metric, Part
from landform.parts.runs import errors


@dataclass(frozen=True, kw_only=True)
class Runs(Part):
    """Runs of feeds for entries, which workers claim and end."""

    tables = (FeedRun, FailingFeed)
    scopes = ("runs:write",)
    event_types = ("run.succeeded", "run.failed")
    event_fields = {
        "feed_id": ("The feed of a run.", int),
        "entry_id": ("The caller's id of the entry of a run.", str),
        "attempt": ("How often a run was claimed.", int),
        "retryable": ("Whether a run that failed will be tried again.", bool),
    }
    errors = errors_in(errors)

    days: int = option(
        30,
        whole(1, 36_500),
        "how long [runs of feeds](feeds.md#what-is-remembered) are kept after their last write",
        setting="run_days",
    )

    def metrics(self, store: Any) -> Iterable[Metric]:
        """Return how many runs wait, are claimed, and have failed."""
        from landform.parts.runs import storage  # noqa: PLC0415 - needs the store

        counts = storage.count_unfinished(store)
        yield Metric("runs", "Runs of feeds that have not succeeded", "state", counts)
