"""Unknown names in a call, which are reported in a header or refused.

`X-Landform-Ignored` lists the ignored names, never a value. With `Prefer: handling=strict` (RFC
7240) or the option `strict` the call is a 400 with suggestions, as is a misspelt name in the body
of a write outside of `/wp-json`. Names inside of a value are not checked, except in `meta`. Which
names a body has that may have any is known by its view, see `check_body`.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote
from urllib.request import parse_http_list

from marshmallow import EXCLUDE, ValidationError

from landform.schemas.fields import Nested
from landform.schemas.known_names import is_misspelt, nearest
from landform.service.call import Call, Incoming
from landform.service.errors import from_validation
from landform.service.json_codec import JsonObject
from landform.service.operations import Operation

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
# Values that were sent instead of a name may be secret, so they are not repeated.
UNREADABLE = "(unreadable)"
NO_NAME_CHARACTERS = frozenset('{}"<> \t\r\n')
BODY = "(body)"
EXPLANATIONS = {
    BODY: "The body is not read: send JSON, with Content-Type: application/json.",
    UNREADABLE: "This is no name. If it is JSON, send it with Content-Type: application/json.",
}


class KnownNames(NamedTuple):
    """The names that the query, the body and the `meta` in the body may have.

    None if any name is allowed, or if the schema refuses unknown ones itself. `loaded`: the names
    in the body that have an effect. `needs`: parameters that need another one.
    """

    query: frozenset[str]
    body: frozenset[str] | None
    meta: frozenset[str] | None
    loaded: tuple[str, ...]
    needs: Mapping[str, str]


@lru_cache(256)
def known_names(operation: Operation, is_wordpress: bool) -> KnownNames:
    """Return the names that an operation knows, also those of its responses."""
    parameters: dict[str, Any] = operation.query.load_fields if operation.query else {}
    query = COMMON_PARAMETERS | parameters.keys()
    needs = {name: field.needs for name, field in parameters.items() if field.needs}
    if operation.body is None:
        return KnownNames(query, query if operation.form else None, None, (*parameters,), needs)
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
    return KnownNames(query, frozenset(body) if is_open else None, meta, loaded, needs)


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
    names = [BODY] if incoming.has_unread_body(operation) else []
    names += _unknown(query, known.query)
    names += [name for name, key in known.needs.items() if name in query and key not in query]
    names = list(dict.fromkeys([*names, *in_body]))[:MOST_NAMES]
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
        messages = {name: [_message(name, known)] for name in refused}
        error = from_validation(ValidationError(messages))
        error.headers |= headers
        raise error
    return {**headers, IGNORED_HEADER: ", ".join(names)}


def check_body(call: Call, known: Collection[str]) -> dict[str, str]:
    """Return the header that reports the names in a body that may have any, if there are some.

    `known`: the names that its view knows. The header has the other ignored names of the call too.
    Raises `ValidationError` where these are refused.
    """
    names = _unknown(call.sent_body, COMMON_PARAMETERS.union(known))
    preferred = preferred_handling(call.incoming.headers.get("Prefer"))
    if names and (preferred == STRICT or (call.options.strict and not preferred)):
        all_known = KnownNames(frozenset(), None, None, tuple(known), {})
        raise ValidationError({name: [_message(name, all_known)] for name in names})
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


def _message(name: str, known: KnownNames) -> str:
    if name in EXPLANATIONS:
        return EXPLANATIONS[name]
    if name in known.needs:
        return f"{name} has no effect without {known.needs[name]}."
    if name in known.loaded or name in known.query:
        return f"{name} belongs in the {'body' if name in known.loaded else 'query'}."
    similar = nearest(name, known.loaded, known.query)
    return f"{name} is unknown" + (f'; did you mean "{similar}"?' if similar else ".")


def _label(name: str) -> str:
    """Return a short label of a name for a header: ASCII without commas and blanks."""
    if not name or NO_NAME_CHARACTERS.intersection(name[:LONGEST_NAME]):
        return UNREADABLE
    text = quote(name, safe="@:$~/", errors="replace").replace(".", "%2E")
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}..."
