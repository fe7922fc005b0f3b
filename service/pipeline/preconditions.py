"""The versions in `If-Match`.

It ignores the variant of an entity tag (`Call.etag`), so the tag of any variant can be sent.
"""

import re

from werkzeug.http import parse_etags

from landform.storage.sql import Precondition


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
