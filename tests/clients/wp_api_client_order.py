"""PyPI `wp-api-client`: the order of a menu, and the fields that it knows of a page.

Usage: python wp_api_client_order.py <url> <username> <password>, on an empty database.
"""

import sys

from wp_api import WPClient
from wp_api.auth import ApplicationPasswordAuth

url, username, password = sys.argv[1:]
site = WPClient(base_url=url, auth=ApplicationPasswordAuth(username, password))

page = site.pages.create(title="Spring", content="All of it", status="publish")
(listed,) = site.pages.list(orderby="menu_order", order="asc", parent=0)
assert listed["id"] == page["id"]
assert (listed["type"], listed["parent"], listed["menu_order"]) == ("page", 0, 0)
assert "All of it" in listed["excerpt"]["rendered"]

print("The session is over.")
