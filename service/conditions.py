"""Entity tags, and the versions in `If-Match`.

A tag is `"<resource>_<generation>.<version>.<variant>"` (for the generation see `storage/sql.py`),
so nothing is rendered to compare it. The variant distinguishes the responses of one resource, such
as contexts. `If-Match` ignores it, so the tag of any variant can be sent.
"""

import re
from hashlib import blake2b
from importlib.metadata import version as version_of

from werkzeug.http import parse_etags

from landform.storage.sql import Precondition

# Responses of another release may have other fields, so clients read them again.
RELEASE = version_of("landform")


def make_etag(name: str, version: int, *variant: object) -> str:
    """Return the strong entity tag of a version of a resource."""
    text = repr((RELEASE, *variant)).encode(errors="surrogatepass")
    return f'"{name}.{version}.{blake2b(text, digest_size=9).hexdigest()}"'


def parse_if_match(if_match: str, resource: str, generation: str) -> Precondition | None:
    """Return the versions of a resource in `If-Match`; None for `*`.

    Weak tags count too, since proxies that compress responses weaken tags. Tags of another resource
    or generation have no version.
    """
    tags = parse_etags(if_match)
    if tags.star_tag:
        return None
    name = re.escape(f"{resource}_{generation}")
    # Werkzeug returns None for `""`.
    matches = (
        re.fullmatch(rf"{name}\.([0-9]{{1,18}})\.[^.]*", tag or "")
        for tag in tags.as_set(include_weak=True)
    )
    return Precondition(generation, frozenset(int(match[1]) for match in matches if match))
