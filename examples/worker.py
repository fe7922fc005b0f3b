"""Hand each submission of a form to the form's feeds, in their order: `worker.py URL FORM_ID`.

Reads a submission, a JSON object, from each line of standard input, and writes a line for each
feed that got one. Conditional logic of feeds is not evaluated here. The key is in LANDFORM_KEY.
"""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Feeds:
    """The active feeds of a form, asked for again each time but sent only if they have changed."""

    def __init__(self, base, form_id, key):
        self._url = f"{base}/forms/{form_id}/feeds"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._feeds = []

    def __call__(self):
        """Return the feeds by `feed_order`, then id: the order in which the service lists them."""
        try:
            with urlopen(Request(self._url, headers=self._headers)) as response:
                self._headers["If-None-Match"] = response.headers["ETag"]
                self._feeds = [feed for feed in json.load(response) if feed["is_active"] == "1"]
        except HTTPError as error:
            with error:
                if error.code != 304:
                    raise
        return self._feeds


def deliver(feed, submission):
    """Hand a submission to one integration; here that is a line of JSON for somebody else."""
    meta = feed["meta"]
    sent = {"feed": meta.get("feedName", feed["id"]), "addon": feed["addon_slug"]}
    print(json.dumps({**sent, "submission": submission}), flush=True)


def work(base, form_id, lines, key=""):
    """Deliver every submission to every feed. A feed that fails does not keep the next from it."""
    feeds = Feeds(base, form_id, key)
    for line in lines:
        submission = json.loads(line)
        for feed in feeds():
            try:
                deliver(feed, submission)
            except OSError as error:
                print(f"Feed {feed['id']}: {error}", file=sys.stderr)


if __name__ == "__main__":
    work(sys.argv[1].rstrip("/"), int(sys.argv[2]), sys.stdin, os.environ.get("LANDFORM_KEY", ""))
