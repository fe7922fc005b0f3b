"""Unknown names in a call, which are reported in a header or refused.

`X-Landform-Ignored` lists the ignored names, never a value. With `Prefer: handling=strict` (RFC
7240) or the option `strict` the call is a 400 with a suggestion, as is a misspelt name in the body
of a write outside of `/wp-json`. Names inside of a value are not checked, except in `meta`. Which
names a body has that may have any is known by its view, see `check_body`.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote
from urllib.request import parse_http_list

from marshmallow import EXCLUDE, ValidationError

from landform.schemas.fields import Nested
from landform.schemas.known_names import is_misspelt, nearest
from landform.service.pipeline.call import Call, Incoming
from landform.service.pipeline.errors import from_validation
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import Operation

IGNORED_HEADER, APPLIED_HEADER = "X-Landform-Ignored", "Preference-Applied"
STRICT, LENIENT = "strict", "lenient"
# Parameters that every operation accepts.
COMMON_PARAMETERS = frozenset(
    "_fields _embed _envelope _method _locale _wpnonce context rest_route consumer_key "
    "consumer_secret".split()
)
OAUTH_PREFIX = "oauth_"
# How many names are reported, and how many characters of each.
MOST_NAMES, LONGEST_NAME = 20, 48
# Where a name ends: a value that was sent instead of one may be secret.
END_OF_NAME = re.compile(r'[{}"<>\s]')


class KnownNames(NamedTuple):
    """The names that the query, the body and the `meta` in the body may have.

    None if any name is allowed, or if the schema refuses unknown ones itself. `loaded`: the names
    in the body that have an effect.
    """

    query: frozenset[str]
    body: frozenset[str] | None
    meta: frozenset[str] | None
    loaded: tuple[str, ...]


@lru_cache(256)
def known_names(operation: Operation, is_wordpress: bool) -> KnownNames:
    """Return the names that an operation knows, also those of its responses."""
    parameters: dict[str, Any] = operation.query.load_fields if operation.query else {}
    query = COMMON_PARAMETERS | parameters.keys()
    if operation.body is None:
        return KnownNames(query, query if operation.form else None, None, (*parameters,))
    schema, responses = operation.body, list(operation.response_schemas)
    if is_wordpress and operation.wordpress_response:
        schema = operation.wordpress_body or schema
        responses = [operation.wordpress_response]
    fields: dict[str, Any] = schema.load_fields
    body = {*fields, *(name for response in responses for name in response.fields)}
    body |= {"_embedded"} if is_wordpress else set()
    meta, meta_field = None, fields.get("meta")
    if isinstance(meta_field, Nested) and meta_field.schema.unknown == EXCLUDE:
        meta = frozenset(meta_field.schema.load_fields)
    loaded = (*fields, *(f"meta.{name}" for name in meta or ()))
    is_open = schema.unknown == EXCLUDE
    return KnownNames(query, frozenset(body) if is_open else None, meta, loaded)


def check_names(
    operation: Operation, incoming: Incoming, query: JsonObject, body: JsonObject, *, strict: bool
) -> dict[str, str]:
    """Return the headers that report unknown names, or raise a 400."""
    if not operation.checks_names:
        return {}
    preferred = preferred_handling(incoming.headers.get("Prefer"))
    headers = {APPLIED_HEADER: f"handling={preferred}"} if preferred else {}
    known = known_names(operation, incoming.is_wordpress)
    meta = body["meta"] if isinstance(body.get("meta"), dict) else {}
    in_body = [*_unknown(body, known.body), *_unknown(meta, known.meta, "meta.")]
    names = list(dict.fromkeys([*_unknown(query, known.query), *in_body]))[:MOST_NAMES]
    if not names:
        return headers
    refused: list[str] = []
    if preferred == STRICT or (strict and not preferred):
        refused = names
    elif not preferred and operation.takes_body and not incoming.is_wordpress:
        # Names of plugins begin with an underscore.
        plain = [name for name in in_body if not name.removeprefix("meta.").startswith("_")]
        refused = [name for name in plain if is_misspelt(name, known.loaded)]
        if known.meta and known.meta.isdisjoint(meta) and any(name[:1] != "_" for name in meta):
            # No known name would remain in `meta`.
            refused = in_body
    if refused:
        error = from_validation(_refusal(refused, known.loaded, known.query))
        error.headers |= headers
        raise error
    return {**headers, IGNORED_HEADER: ", ".join(names)}


def check_body(call: Call, known: Collection[str]) -> dict[str, str]:
    """Return the header that reports the names in a body that may have any, if there are some.

    `known`: the names that its view knows. The header has the other ignored names of the call too.
    Raises `ValidationError` where these are refused.
    """
    # Ids of inputs have a dot, and no name here is within another one.
    unknown = _unknown(call.sent_body, COMMON_PARAMETERS.union(known))
    names = [name.replace("%2E", ".") for name in unknown]
    preferred = preferred_handling(call.incoming.headers.get("Prefer"))
    if names and (preferred == STRICT or (call.options.strict and not preferred)):
        raise _refusal(names, known)
    ignored = filter(None, [call.name_headers.get(IGNORED_HEADER), *names])
    return {IGNORED_HEADER: ", ".join(ignored)} if names else {}


def preferred_handling(prefer: str | None) -> str | None:
    """Return the `handling` in `Prefer` (RFC 7240): strict, lenient or None."""
    for preference in parse_http_list(prefer) if prefer else ():
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "handling":
            # Only the first one counts.
            value = value.strip().strip('"').lower()
            return value if value in (STRICT, LENIENT) else None
    return None


def _unknown(
    values: Mapping[str, object], known: frozenset[str] | None, prefix: str = ""
) -> list[str]:
    """Return the labels of unknown names; none if any name is allowed."""
    if known is None or values.keys() <= known:
        return []
    unknown = (name for name in values if name not in known and not name.startswith(OAUTH_PREFIX))
    return [prefix + _label(name) for name in islice(unknown, MOST_NAMES)]


def _refusal(
    names: Iterable[str], loaded: Iterable[str], query: Iterable[str] = ()
) -> ValidationError:
    """Return the error about unknown names, each with the known one that is most similar."""
    messages = {}
    for name in names:
        similar = nearest(name, loaded) or nearest(name, query)
        suggestion = f'; did you mean "{similar}"?' if similar not in (None, name) else "."
        messages[name] = [f"{name} is unknown{suggestion}"]
    return ValidationError(messages)


def _label(name: str) -> str:
    """Return the start of a name for a header: ASCII without commas and blanks."""
    start: str = END_OF_NAME.split(name, maxsplit=1)[0]
    text = quote(start, safe="@:$~/", errors="replace").replace(".", "%2E")
    is_whole = start == name != "" and len(text) <= LONGEST_NAME
    return text if is_whole else f"{text[:LONGEST_NAME]}..."
