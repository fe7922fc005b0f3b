"""PyPI `wp-api-client`, as its users write it; only the address is ours.

Usage: python wp_api_client.py <url> <username> <password>, on an empty database.
"""

import sys
from contextlib import suppress
from pathlib import Path

from wp_api import WPClient
from wp_api.auth import ApplicationPasswordAuth
from wp_api.exceptions import WPAPINotFoundError, WPAPIPermissionError

url, username, password = sys.argv[1:]
site = WPClient(base_url=url, auth=ApplicationPasswordAuth(username, password))

# Connect and check.
assert "/wp/v2/pages" in site.discover_endpoints()["routes"]
assert site.users.me()["name"] == username
assert site.settings.get()["title"] == "landform"
assert site.taxonomies.list() == {}
for none in (site.posts, site.media, site.categories, site.tags, site.comments):
    assert none.list() == []
with suppress(WPAPIPermissionError):
    raise AssertionError(WPClient(base_url=url).users.me())

# Create, and list with paging.
created = [
    site.pages.create(title=title, content=f"All of {title}", status="publish")["id"]
    for title in ("Spring", "Summer", "Autumn")
]
second = site.pages.list(per_page=2, page=2, orderby="id", order="asc")
assert [page["id"] for page in second] == created[2:]
assert [page["id"] for page in site.pages.list(search="autumn")] == created[2:]
assert [page["id"] for page in site.get_custom_post_type("pages").list()] == created[::-1]
assert [user["id"] for user in site.users.list()] == [1]
# The order of a menu, and the fields that it knows of a page.
listed = site.pages.list(orderby="menu_order", order="asc", parent=0)[0]
assert (listed["type"], listed["parent"], listed["menu_order"]) == ("page", 0, 0)
assert "All of" in listed["excerpt"]["rendered"]

# A picture: the file as the body. With texts, `upload` sends the file again as its update.
with Path(__file__).with_name("sun.png").open("rb") as file:
    sun = site.media.upload(file)
sun = site.media.update(sun["id"], alt_text="A yellow sun", post=created[0])
assert (sun["title"]["raw"], sun["alt_text"], sun["post"]) == ("sun", "A yellow sun", created[0])
assert [one["id"] for one in site.media.list(search="yellow", parent=created[0])] == [sun["id"]]
assert site.media.update(sun["id"], caption="Noon")["caption"]["raw"] == "Noon"
assert site.media.delete(sun["id"], force=True)["deleted"]

# Read, update, delete.
first = created[0]
assert site.pages.get(first, context="edit")["content"]["raw"] == "All of Spring"
assert site.get_custom_fields("pages").get_all(first)["form_id"] == ""
changed = site.pages.update(first, title="Over", parent=0, menu_order=0, comment_status="closed")
assert changed["title"]["raw"] == "Over"
assert site.pages.delete(first, force=True)["deleted"]
with suppress(WPAPINotFoundError):
    raise AssertionError(site.pages.get(first))

print("The session is over.")
