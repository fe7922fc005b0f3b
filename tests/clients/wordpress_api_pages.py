"""PyPI `wordpress-api` and pages, as its users write it; only the address is ours.

Usage: python wordpress_api_pages.py <url> <username> <password>, on an empty database.
"""

import sys

from wordpress import API

url, username, password = sys.argv[1:]
site = API(
    url=url, api="wp-json", version="wp/v2", consumer_key="", consumer_secret="",
    wp_user=username, wp_pass=password, basic_auth=True, user_auth=True,
)  # fmt: skip

# Connect and check.
assert site.get("").json()["namespace"] == "wp/v2"
assert site.get("users/me").json()["name"] == username
assert list(site.get("types").json()) == ["page", "attachment"]
assert site.get("posts").json() == []

# Create, and list with paging along the links.
created = []
for title in ("Spring", "Summer", "Autumn"):
    page = {"title": title, "content": f"All of {title}", "status": "publish"}
    created.append(site.post("pages", page).json()["id"])
response = site.get("pages?per_page=2&orderby=id&order=asc")
assert [page["id"] for page in response.json()] == created[:2]
assert (response.headers["X-WP-Total"], response.headers["X-WP-TotalPages"]) == ("3", "2")
response = site.get(response.links["next"]["url"].partition("/wp/v2/")[2])
assert [page["id"] for page in response.json()] == created[2:]
assert [page["id"] for page in site.get("pages?search=autumn").json()] == created[2:]

# Read, update, delete.
path = f"pages/{created[0]}"
assert site.get(f"{path}?context=edit").json()["content"]["raw"] == "All of Spring"
assert site.post(path, {"title": "Over"}).json()["title"]["raw"] == "Over"
assert site.put(path, {"status": "draft"}).json()["status"] == "draft"
assert site.options(path).json()["methods"]
assert site.delete(path).json()["status"] == "trash"
assert site.delete(f"{path}?force=true").json()["deleted"]
assert site.get(path, handle_status_codes=[404]).json()["code"] == "rest_post_invalid_id"

print("The session is over.")
