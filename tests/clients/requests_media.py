"""PyPI `requests` and pictures, in the ways of its users: the file as the body, or in a form.

Usage: python requests_media.py <url> <username> <password>, on an empty database.
"""

import hashlib
import sys
from pathlib import Path

import requests

url, username, password = sys.argv[1:]
media = f"{url}/wp-json/wp/v2/media"
path = Path(__file__).with_name("sun.png")
sun = path.read_bytes()
site = requests.Session()
site.auth = (username, password)
named = {"Content-Type": "image/png", "Content-Disposition": 'attachment; filename="sun.png"'}


def check(response, status=201):
    assert response.status_code == status, response.text
    return response.json()


# The file as the body: at once, streamed from a file, and in chunks; with its checksum.
first = check(site.post(media, data=sun, headers=named, params={"alt_text": "A yellow sun"}))
assert (first["title"]["raw"], first["alt_text"]) == ("sun", "A yellow sun")
with path.open("rb") as file:
    response = site.post(media, data=file, headers=named)
assert (check(response)["id"], response.headers["X-Landform-Same-As"]) == (2, "1")
pieces = (sun[start : start + 100] for start in range(0, len(sun), 100))
checksum = {"Content-MD5": hashlib.md5(sun).hexdigest()}
assert check(site.post(media, data=pieces, headers={**named, **checksum}))["id"] == 3
response = site.post(media, data=sun[:-1], headers={**named, **checksum})
assert check(response, 412)["code"] == "rest_upload_hash_mismatch"

# In a form. requests makes another boundary for the repetition.
fields = {"title": "Sonne über dem Meer", "caption": "Noon"}
for _ in range(2):
    with path.open("rb") as file:
        sent = {"files": {"file": file}, "data": fields, "headers": {"Idempotency-Key": "one"}}
        item = check(site.post(media, **sent))
    assert (item["id"], item["title"]["raw"]) == (4, fields["title"])
beach = {"file": ("пляж.png", sun, "image/png")}
assert check(site.post(media, files=beach))["title"]["raw"] == "пляж"
refused = site.post(media, files={"file": ("sun.pdf", b"%PDF-1.7", "application/pdf")})
assert check(refused, 400)["code"] == "rest_upload_unknown_error"

# List along the links, read, use, update, delete.
response = site.get(media, params={"per_page": 3})
assert [item["id"] for item in response.json()] == [5, 4, 3]
assert response.headers["X-WP-Total"] == "5"
assert [item["id"] for item in site.get(response.links["next"]["url"]).json()] == [2, 1]
assert requests.get(first["source_url"], timeout=30).content == sun
one = f"{media}/1"
assert check(site.post(one, json={"title": "Star"}), 200)["title"]["raw"] == "Star"
assert check(site.put(one, data={"title": "Sun"}), 200)["title"]["raw"] == "Sun"
page = check(site.post(f"{url}/pages", json={"title": "Sea", "meta": {"gallery": [1]}}))
response = site.delete(one, params={"force": True})
assert (check(response, 200)["deleted"], response.headers["X-Landform-Used-By"]) == (
    True,
    str(page["id"]),
)
assert check(site.get(one), 404)["code"] == "rest_post_invalid_id"
assert requests.get(first["source_url"], timeout=30).status_code == 404

print("The session is over.")
