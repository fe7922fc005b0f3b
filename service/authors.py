"""Authors for clients of WordPress: landform only has their numbers."""

import re

from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject


def relation(call: Call, route: str) -> list[JsonObject]:
    """Return a link to a route, for `_links`."""
    return [{"href": call.rest_url(route)}]


def dump_author(call: Call, author: int) -> JsonObject:
    """Return the JSON object of an author."""
    return {
        "id": author,
        "name": f"Author {author}",
        "url": "",
        "description": "",
        "link": call.rest_url(f"/wp/v2/pages?author={author}"),
        "slug": f"author-{author}",
        "avatar_urls": {},
        "meta": [],
        "_links": {
            "self": relation(call, f"/wp/v2/users/{author}"),
            "collection": relation(call, "/wp/v2/users"),
        },
    }


def embed_authors(call: Call, pages: list[JsonObject]) -> list[JsonObject]:
    """Add its author to each page if `_embed` is sent below `/wp-json`."""
    embed = call.sent_query.get("_embed")
    if embed is None or not call.is_wordpress:
        return pages
    names = map(str, embed) if isinstance(embed, list) else re.split(r"[\s,]+", str(embed))
    if {"author", "", "1", "true"}.intersection(names):
        for page in pages:
            if "author" in page:
                page["_embedded"] = {"author": [dump_author(call, page["author"])]}
    return pages
