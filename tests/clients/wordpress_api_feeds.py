"""PyPI `wordpress-api` and forms: it sends the key and its secret in the query, and no header.

Usage: python wordpress_api_feeds.py <url> <username> <password>, on an empty database.
"""

import sys

from wordpress import API

url, key, secret = sys.argv[1:]
site = API(
    url=url, api="wp-json", version="gf/v2", consumer_key=key, consumer_secret=secret,
    basic_auth=True,
)  # fmt: skip

# Connect and check: connectors ask for the forms first.
assert site.get("").json()["namespace"] == "gf/v2"
assert site.get("forms").json() == []

# A form and its entries.
form = {"title": "Contact", "fields": [{"id": 1, "type": "text", "label": "Name"}]}
form_id = site.post("forms", form).json()["id"]
assert site.get(f"forms/{form_id}").json()["title"] == "Contact"
assert list(site.get("forms").json()) == [str(form_id)]
assert site.post(f"forms/{form_id}/submissions", {"input_1": "Ada"}).json()["is_valid"]
entry = f"entries/{site.post('entries', {'form_id': form_id, '1': 'Eve'}).json()['id']}"
assert [one["1"] for one in site.get("entries").json()["entries"]] == ["Eve", "Ada"]
site.put(entry, {**site.get(entry).json(), "1": "Eva"})
assert site.delete(entry).json()["1"] == "Eva"

# Create, list, read feeds.
meta = {"feedName": "Newsletter", "mailchimpList": "abc"}
feed = {"form_id": 3, "addon_slug": "gravityformsmailchimp", "meta": meta}
path = f"feeds/{site.post('feeds', feed).json()['id']}"
other = site.post("forms/4/feeds", {"addon_slug": "gravityformsslack", "meta": meta}).json()
assert len(site.get("feeds").json()) == 2
assert len(site.get("forms/3/feeds").json()) == 1
assert site.get(path).json()["meta"] == meta

# Update: what was read is written back, then the properties alone.
changed = {**site.get(path).json(), "meta": {"feedName": "Letter"}}
site.put(path, changed)
assert site.get(path).json()["meta"] == {"feedName": "Letter"}
site.put(f"{path}/properties", {"is_active": False})
assert site.get(path).json()["is_active"] == "0"

# Delete.
for one in (path, f"feeds/{other['id']}"):
    site.delete(one)
assert site.get("feeds").json() == []

print("The session is over.")
