"""PyPI `gravityforms-python`: it signs each request with OAuth 1.0a, and knows no other way.

Usage: python gravityforms_python.py <url> <key> <secret>, on an empty database in local mode.
"""

import sys

from gravityforms.client import Client

site = Client(*sys.argv[1:])

# Connect and check.
assert not site.list_forms()

# Create, list, read, update, delete, in the client's general methods.
meta = {"feedName": "Newsletter"}
feed = site.post("feeds", json={"form_id": 3, "addon_slug": "gravityformsmailchimp", "meta": meta})
path = f"feeds/{feed['id']}"
assert site.get_form(3)["title"] == "Form 3"
assert list(site.list_forms()) == ["3"]
assert site.get("forms/3/feeds")[0]["meta"] == meta
site.put(path, json={**site.get(path), "meta": {"feedName": "Letter"}})
assert site.get(path)["meta"] == {"feedName": "Letter"}
assert site.delete(path)["deleted"]
assert site.get("feeds") == []

print("The session is over.")
