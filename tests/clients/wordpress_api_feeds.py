"""PyPI `wordpress-api` and feeds: it sends the key and its secret in the query, and no header.

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
assert site.get("forms").json() == {}
assert site.get("entries", handle_status_codes=[404]).json()["code"] == "rest_no_route"

# Create, list, read.
meta = {"feedName": "Newsletter", "mailchimpList": "abc"}
feed = {"form_id": 3, "addon_slug": "gravityformsmailchimp", "meta": meta}
path = f"feeds/{site.post('feeds', feed).json()['id']}"
other = site.post("forms/4/feeds", {"addon_slug": "gravityformsslack", "meta": meta}).json()
assert len(site.get("feeds").json()) == 2
assert len(site.get("forms/3/feeds").json()) == 1
assert sorted(site.get("forms").json()) == ["3", "4"]
assert site.get("forms/3").json()["title"] == "Form 3"
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
