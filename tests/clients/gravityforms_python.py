"""PyPI `gravityforms-python`: it signs each request with OAuth 1.0a, and knows no other way.

Usage: python gravityforms_python.py <url> <key> <secret>, on an empty database in local mode.
"""

import sys

from gravityforms.client import Client

site = Client(*sys.argv[1:])

# Connect and check.
assert not site.list_forms()

# Create, list, read, update, delete, in the client's general methods.
form = site.post("forms", json={"title": "Contact", "fields": []})["id"]
assert site.get_form(form)["title"] == "Contact"
assert list(site.list_forms()) == [str(form)]
meta = {"feedName": "Newsletter"}
feed = {"form_id": form, "addon_slug": "gravityformsmailchimp", "meta": meta}
path = f"feeds/{site.post('feeds', json=feed)['id']}"
assert site.get(f"forms/{form}/feeds")[0]["meta"] == meta
site.put(path, json={**site.get(path), "meta": {"feedName": "Letter"}})
assert site.get(path)["meta"] == {"feedName": "Letter"}
assert site.delete(path)["deleted"]
assert site.get("feeds") == []

print("The session is over.")
