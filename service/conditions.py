"""Entity tags: how they are made, and which versions `If-Match` names.

They are strong, and made of versions, so that nothing need be read to compare them. One is
`"<resource>_<generation>.<version>.<variant>"` (for the generation see `storage/sql.py`). The
variant tells apart the responses of one resource: contexts, fields, hosts. A condition on a write
depends on the rest alone, so that the tag of any variant will do.
"""

import re
from hashlib import blake2b

from werkzeug.http import parse_etags

from landform.storage.sql import Precondition

# Increment it when responses change their shape, so that no client takes an old one for current.
SHAPE = 2


def make_etag(name: str, version: int, *variant: object) -> str:
    """Return the strong entity tag of a version of a resource."""
    text = repr((SHAPE, *variant)).encode(errors="surrogatepass")
    return f'"{name}.{version}.{blake2b(text, digest_size=9).hexdigest()}"'


def is_current(if_none_match: str | None, etag: str) -> bool:
    """Return whether `If-None-Match` names an entity tag."""
    return bool(if_none_match) and parse_etags(if_none_match).contains_weak(etag.strip('"'))


def parse_if_match(if_match: str, resource: str, generation: str) -> Precondition | None:
    """Return the versions of a resource that `If-Match` names; None for `*`, which is any.

    A proxy that compresses makes tags weak; they name a version, so they count as strong ones. A
    tag of another resource or generation names none.
    """
    tags = parse_etags(if_match)
    if tags.star_tag:
        return None
    name = re.escape(f"{resource}_{generation}")
    # Werkzeug takes `""` for none.
    matches = (
        re.fullmatch(rf"{name}\.([0-9]{{1,18}})\.[^.]*", tag or "")
        for tag in tags.as_set(include_weak=True)
    )
    return Precondition(generation, frozenset(int(match[1]) for match in matches if match))
