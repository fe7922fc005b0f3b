"""The add-ons of this worker: each runs one feed for one entry, or raises an `AddonError`.

Both are given the run key, which is the same each time the feed is run for the entry: it tells a
repetition from something new.
"""

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class AddonError(Exception):
    """A run failed; `retryable` where it may succeed later."""

    def __init__(self, code, message, *, retryable):
        super().__init__(message)
        self.code, self.retryable = code, retryable


def setting(meta, name):
    """Return a setting of a feed; without it no attempt will ever succeed."""
    if not isinstance(meta.get(name), str):
        raise AddonError("settings", f"The feed has no {name}", retryable=False)
    return meta[name]


def write_line(meta, entry, run_key, worker):
    """Append the entry to the file that the feed names, as a line of JSON."""
    file = worker.out / Path(setting(meta, "file")).name
    with file.open("a+") as lines:
        lines.seek(0)
        if run_key not in lines.read():
            lines.write(json.dumps({"run": run_key, "entry": entry}) + "\n")


def post(meta, entry, run_key, worker):
    """Post the entry to the URL that the feed names."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": run_key}
    request = Request(setting(meta, "url"), json.dumps(entry).encode(), headers, method="POST")
    try:
        with urlopen(request, timeout=worker.options.timeout):
            pass
    except HTTPError as error:
        with error:
            again = error.code >= 500 or error.code in (408, 429)
            raise AddonError("http", f"HTTP {error.code}", retryable=again) from error
    except OSError as error:
        is_late = isinstance(getattr(error, "reason", error), TimeoutError)
        code = "timeout" if is_late else "unreachable"
        raise AddonError(code, f"The receiver: {code}", retryable=True) from error


ADDONS = {"line": write_line, "post": post}
