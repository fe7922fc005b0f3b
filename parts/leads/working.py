"""Runs of feeds for entries as a source of work: each until it succeeds or fails for good.

If the process is killed, a run is due again when its lease is over, and its key is the same: a
receiver ignores a key that it knows.
"""

import json
import logging
from collections.abc import Callable, Mapping

from landform.parts import feed_runs, worker
from landform.parts.errors import PartError
from landform.parts.leads.addons import Addon, AddonError
from landform.parts.leads.models import ACTIVE
from landform.parts.leads.storage import entries, forms
from landform.parts.worker import FAILED, SUCCESS, WITHDRAWN, Job, Outcome
from landform.service.pipeline.call import Service
from landform.storage import feeds
from landform.storage.errors import NotFound
from landform.storage.rows import Row

log = logging.getLogger("landform")
IN_TRASH = "The form is in the trash."


class Feeds:
    """The queued runs of feeds whose add-ons the service has.

    `addons` returns these by their slugs: a host may add some.
    """

    name, share = "feed", 4

    def __init__(self, service: Service, addons: Callable[[], Mapping[str, Addon]]) -> None:
        self._store, self._addons = service.store, addons

    def due(self) -> dict[int, float]:
        """Return the seconds until a run of each feed is due."""
        return feed_runs.due_feeds(self._store, self._addons())

    def claim(self, target: int, limit: int) -> list[Job]:
        """Claim runs of a feed until the deadline of their attempts."""
        runs = feed_runs.claim_due(self._store, target, limit, worker.DEADLINE)
        return [Job(target, run["attempt"] - 1, run) for run in runs]

    def attempt(self, job: Job) -> Outcome:
        """Run a feed, unless it or the entry is deleted, or the entry is not active any more."""
        run: Row = job.work
        with self._store.connection():
            try:
                feed = feeds.get(self._store, run["feed_id"])
                entry = entries.get_entry(self._store, int(run["entry_id"]))
                form = forms.get_form(self._store, run["form_id"])
            except (NotFound, PartError):
                return Outcome(WITHDRAWN)
            key = feed_runs.run_key(self._store, feed["id"], run["entry_id"])
        if entry["status"] != ACTIVE:
            return Outcome(WITHDRAWN)
        if form["is_trash"] == "1":
            raise AddonError(IN_TRASH, retryable=False)
        note = self._addons()[feed["addon_slug"]](json.loads(feed["meta"]), entry, form, key)
        return Outcome(SUCCESS, worker.storable(note) if isinstance(note, str) else "")

    def end(self, job: Job, outcome: Outcome) -> None:
        """Store how a run has ended; one that was not carried out is deleted."""
        run: Row = job.work
        if outcome.state == WITHDRAWN:
            return feed_runs.withdraw(self._store, run)
        if outcome.state == FAILED and outcome.retry_in is None:
            log.warning("Feed %d has failed for entry %s.", run["feed_id"], run["entry_id"])
        state, text, retry_in, pause = outcome.state, outcome.text, outcome.retry_in, outcome.pause
        return feed_runs.end_claimed(self._store, run, state, text, retry_in, feed_pause=pause)

    def rest(self) -> None:
        """Do nothing: other processes claim runs as well."""
