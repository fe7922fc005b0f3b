"""PyPI `wordpress-json`: it sends what it is given as `data` in a JSON body, also with a GET.

Usage: python json_wrapper_body.py <url> <username> <password>, on an empty database.
"""

import sys

from wordpress_json import WordpressJsonWrapper

url, username, password = sys.argv[1:]
site = WordpressJsonWrapper(f"{url}/wp-json/wp/v2", username, password)

created = [
    site.create_pages(data={"title": title, "status": "publish"})["id"]
    for title in ("Spring", "Summer", "Autumn")
]
query = {"per_page": 2, "page": 2, "orderby": "id", "order": "asc"}
assert [page["id"] for page in site.get_pages(data=query)] == created[2:]
assert "raw" in site.get_pages(page_id=created[0], data={"context": "edit"})["title"]

print("The session is over.")
