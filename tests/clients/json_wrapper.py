"""PyPI `wordpress-json`, as its users write it: each GET and DELETE has a JSON body, often `{}`.

Usage: python json_wrapper.py <url> <username> <password>, on an empty database.
"""

import sys
from contextlib import suppress
from pathlib import Path

from wordpress_json import WordpressError, WordpressJsonWrapper

url, username, password = sys.argv[1:]
site = WordpressJsonWrapper(f"{url}/wp-json/wp/v2", username, password)

# Connect and check.
assert site.get_user(user_id="me")["name"] == username
assert site.get_type(type_id="page")["rest_base"] == "pages"
assert site.get_status(status_id="draft")["slug"] == "draft"
assert site.get_taxonomies() == {}
assert site.get_posts(filter={"post_status": "draft"}) == []
with suppress(WordpressError):
    raise AssertionError(WordpressJsonWrapper(site.site, username, "wrong").get_user(user_id="me"))

# Create, and list with paging.
created = [
    site.create_pages(data={"title": title, "content": "All of it", "status": "publish"})["id"]
    for title in ("Spring", "Summer", "Autumn")
]
query = {"per_page": 2, "page": 2, "orderby": "id", "order": "asc"}
assert [page["id"] for page in site.get_pages(params=query)] == created[2:]
assert [page["id"] for page in site.get_pages(data=query)] == created[2:]
assert "raw" in site.get_pages(page_id=created[0], data={"context": "edit"})["title"]

# A picture: the file as the body.
picture = Path(__file__).with_name("sun.png").read_bytes()
named = {"Content-Type": "image/png", "Content-Disposition": "attachment; filename=sun.png"}
sun = site.create_media(data=picture, headers=named)["id"]
assert site.update_media(media_id=sun, data={"alt_text": "A sun"})["alt_text"] == "A sun"
assert [one["id"] for one in site.get_media(data={"search": "sun"})] == [sun]
assert site.delete_media(media_id=sun, data={"force": True})["deleted"]

# Read, update, delete.
first = created[0]
assert site.get_pages(page_id=first)["slug"] == "spring"
assert site.update_pages(page_id=first, data={"title": "Over"})["title"]["raw"] == "Over"
assert site.delete_pages(page_id=first)["status"] == "trash"
assert site.delete_pages(page_id=first, params={"force": "true"})["deleted"]
with suppress(WordpressError):
    raise AssertionError(site.get_pages(page_id=first))

print("The session is over.")
