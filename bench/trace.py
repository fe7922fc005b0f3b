#!/usr/bin/env python3
"""Count what a request passes of landform's own code: files, and calls of functions.

`python bench/trace.py` traces a list of pages and a create on a new SQLite database, both cold in
the sense that nothing is cached, and warm in that each was made once before. `--files` names them.
"""

import argparse
import base64
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

from flask.testing import FlaskClient

from landform.app import create_app

ROOT = str(Path(sys.modules["landform.app"].__file__ or "").parent)
AUTHORIZATION = {"Authorization": "Basic " + base64.b64encode(b"admin:secret").decode()}


def trace(client: FlaskClient, method: str, path: str, body: object = None) -> Counter[str]:
    """Return how many calls a request makes in each file."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT) and ".venv" not in name:
            calls[name.removeprefix(f"{ROOT}/")] += 1

    sys.setprofile(count)
    try:
        response = client.open(path, method=method, json=body, headers=AUTHORIZATION)
    finally:
        sys.setprofile(None)
    assert response.status_code < 300, response.text
    return calls


def main() -> None:
    """Print the numbers of a create and of a list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="name the files")
    shown = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "DATABASE_URL": f"sqlite:///{folder}/trace.db", "CREDENTIALS": "admin:secret",
            "CACHE_BYTES": 0,
        }  # fmt: skip
        client = create_app(settings).test_client()
        page = {"title": "A page", "content": "<p>Some words.</p>", "meta": {"form_id": "3"}}
        for method, path, body in (("POST", "/pages", page), ("GET", "/pages", None)):
            for number in range(10):
                # A title of its own: otherwise slugs are compared with all that are alike.
                trace(client, method, path, body and {**body, "title": f"Page {number}"})
            calls = trace(client, method, path, body)
            print(f"{method} {path}: {len(calls)} files, {calls.total()} calls")
            for name, number in calls.most_common() if shown.files else ():
                print(f"    {number:4} {name}")


if __name__ == "__main__":
    main()
