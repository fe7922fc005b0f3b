"""Runs: which feeds were run for an entry, each by one worker at a time, and how it ended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from landform.parts.errors import errors_in
from landform.parts.option import option, whole
from landform.parts.part import Metric, Part
from landform.parts.runs import errors
from landform.parts.runs.models import FeedRun


@dataclass(frozen=True, kw_only=True)
class Runs(Part):
    """Runs of feeds for entries, which workers claim and end."""

    tables = (FeedRun,)
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

    @classmethod
    def feeds_of_entry(cls, store: Any, entry_id: str) -> Mapping[int, bool]:
        """Return, for each feed that was run for an entry, whether it may be run again now."""
        from landform.parts.runs import storage  # noqa: PLC0415 - needs the store

        return storage.feeds_of_entry(store, entry_id)

    @classmethod
    def run_queue(cls) -> Any:
        """Return the queue of the runs that the service carries out."""
        from landform.parts.runs.queue import Queue  # noqa: PLC0415 - needs the store

        return Queue()

    def metrics(self, store: Any) -> Iterable[Metric]:
        """Return how many runs wait, are claimed, and have failed."""
        from landform.parts.runs import storage  # noqa: PLC0415 - needs the store

        counts = storage.count_unfinished(store)
        yield Metric("runs", "Runs of feeds that have not succeeded", "state", counts)
