"""The six calls of the service that a worker needs."""

import json
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# What a service says that is busy or starts again.
BUSY = (502, 503)


class Client:
    """Calls the service; while it is away, it is called again."""

    def __init__(self, url, key):
        self._url = url
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def plan(self, submission, entry_id):
        """Return the feeds to run for a submission, without those that have been run for it."""
        body = {"entry": submission["entry"], "entry_id": entry_id}
        return self._call("POST", f"/forms/{submission['form_id']}/feeds/plan", body)[1]["feeds"]

    def feed(self, feed_id):
        """Return a feed."""
        return self._call("GET", f"/feeds/{feed_id}")[1]

    def due(self):
        """Return the runs that are to be tried again now."""
        return self._call("GET", "/runs/due?per_page=100")[1]

    def open_runs(self):
        """Yield the runs that somebody has claimed, or that are to be tried again later."""
        rows, page = [], 0
        while page == 0 or len(rows) == 100:
            page += 1
            query = f"state=claimed,pending,failed&per_page=100&page={page}"
            rows = self._call("GET", f"/runs?{query}", allowed=(400,))[1] or []
            yield from (run for run in rows if run["until"] or run["retry_at"])

    def claim(self, feed_id, entry_id, lease):
        """Claim a run; None where it is done or somebody else runs it."""
        body = {"entry_id": entry_id, "lease": lease}
        status, run = self._call("POST", f"/feeds/{feed_id}/runs", body, allowed=(409,))
        return run if status == 201 else None

    def end(self, run, outcome):
        """End a run; return whether it was still this worker's."""
        path = f"/feeds/{run['feed_id']}/runs/{run['id']}"
        body = {**outcome, "attempt": run["attempt"]}
        return self._call("PATCH", path, body, allowed=(409,))[0] == 200

    def _call(self, method, path, body=None, allowed=()):
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers
        if method == "PATCH":
            # The attempt says which claim is meant. With LANDFORM_REQUIRE_IF_MATCH a header has to
            # be there all the same.
            headers = {**headers, "If-Match": "*"}
        request = Request(self._url + path, data, headers, method=method)
        while True:
            try:
                with urlopen(request, timeout=30) as response:
                    return response.status, json.load(response)
            except HTTPError as error:
                with error:
                    if error.code in allowed:
                        return error.code, None
                    if error.code not in BUSY:
                        raise
            except (OSError, HTTPException, ValueError):
                # No answer, or half of one. Whatever came of the call, it may be made again.
                pass
            time.sleep(0.2)
