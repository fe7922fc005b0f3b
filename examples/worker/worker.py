"""Run a form's feeds for submissions: `worker.py URL FOLDER`.

A submission is a file `<entry id>.json` in FOLDER/inbox, `{"form_id": ..., "entry": {...}}`. The
service says which feeds run for it, and remembers what became of each; the submission itself stays
here, in FOLDER/taken, or in FOLDER/refused if nobody can read it. Start as many of these as you
like. The key is in LANDFORM_KEY.
"""

import argparse
import json
import os
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.error import HTTPError

from addons import ADDONS, AddonError
from client import Client

# After so many attempts a feed has failed for good.
MOST_ATTEMPTS = 8


class Worker:
    """Runs feeds for the submissions of a folder, once each."""

    def __init__(self, client, folder, options):
        self.client, self.options = client, options
        for name in ("inbox", "taken", "refused", "out"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            setattr(self, name, folder / name)

    def work(self):
        """Run what is new, then what is to be tried again."""
        for file in sorted(self.inbox.glob("*.json")):
            # Another worker may have moved it meanwhile.
            with suppress(FileNotFoundError):
                self.take(file)
        for run in self.client.due():
            file = self.taken / f"{run['entry_id']}.json"
            if file.exists():
                feed = self.client.feed(run["feed_id"])
                self.run(feed, run["entry_id"], json.loads(file.read_text()))

    def is_done(self):
        """Return whether nothing is left, not even what a worker has claimed that was killed."""
        if any(self.inbox.glob("*.json")):
            return False
        entries = (run["entry_id"] for run in self.client.open_runs())
        return not any((self.taken / f"{entry}.json").exists() for entry in entries)

    def take(self, file):
        """Run the feeds of one submission, or set it aside if it cannot be one."""
        try:
            submission = json.loads(file.read_text())
            feeds = self.client.plan(submission, file.stem)
        except (ValueError, LookupError, TypeError, HTTPError) as error:
            if isinstance(error, HTTPError) and error.code not in (400, 404, 413):
                raise
            print(f"entry {file.stem}: refused: {error}", flush=True)
            file.replace(self.refused / file.name)
            return
        for feed in feeds:
            self.run(feed, file.stem, submission)
        # Only now: whoever is killed before finds it again, and runs what is left.
        file.replace(self.taken / file.name)

    def run(self, feed, entry_id, submission):
        """Run a feed for an entry, unless somebody else does, and report what became of it."""
        claimed = self.client.claim(feed["id"], entry_id, self.options.lease)
        if claimed is None:
            return
        outcome = {"state": "success"}
        addon = ADDONS.get(feed["addon_slug"])
        if addon is None:
            outcome = {"state": "skipped", "message": "This worker has no such add-on"}
        else:
            try:
                addon(feed["meta"], submission["entry"], claimed["run_key"], self)
            except AddonError as error:
                outcome = self.failure(error, claimed["attempt"])
        if not self.client.end(claimed, outcome):
            # The lease lapsed, and somebody else has claimed it since.
            outcome = {"state": "lost"}
        self.report(claimed, outcome)

    def failure(self, error, attempt):
        """Return how a run failed: for now, each time for twice as long, or for good."""
        outcome = {"state": "failed", "code": error.code, "message": str(error)}
        if error.retryable and attempt < MOST_ATTEMPTS:
            seconds = self.options.backoff * 2 ** (attempt - 1)
            again = datetime.now(UTC) + timedelta(seconds=seconds)
            outcome |= {"retryable": True, "retry_at": again.isoformat()}
        return outcome

    def report(self, run, outcome):
        """Print a line."""
        what = f"entry {run['entry_id']}, feed {run['feed_id']}, attempt {run['attempt']}"
        reason = f": {outcome['message']}" if "message" in outcome else ""
        print(f"{what}: {outcome['state']}{reason}", flush=True)


def main():
    """Work until there is nothing left to do, or for ever."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lease", type=int, default=60, help="seconds for one run")
    parser.add_argument("--timeout", type=float, default=10, help="seconds for a receiver")
    parser.add_argument("--backoff", type=float, default=5, help="seconds until the first retry")
    parser.add_argument("--until-done", action="store_true", help="end when nothing is left")
    options = parser.parse_args()
    client = Client(options.url.rstrip("/"), os.environ.get("LANDFORM_KEY", ""))
    worker = Worker(client, options.folder, options)
    worker.work()
    while not (options.until_done and worker.is_done()):
        time.sleep(0.5)
        worker.work()


if __name__ == "__main__":
    main()
