"""Names that a request holds and landform does not know: told in a header, or refused.

`X-Landform-Ignored` names what was ignored, and never holds a value. With `Prefer: handling=strict`
(RFC 7240) or the option `strict` the request is a 400 that says what was probably meant.
"""

from collections import defaultdict
from urllib.parse import quote
from urllib.request import parse_http_list

from marshmallow import ValidationError

from landform.schemas.known_names import KnownNames, Path, is_misspelt, nearest
from landform.service.http.request import ApiRequest
from landform.service.http.responses import has_body

HEADER, APPLIED = "X-Landform-Ignored", "Preference-Applied"
STRICT, LENIENT = "strict", "lenient"
# How many names are shown, and how much of one.
MOST_NAMES, LONGEST_NAME = 20, 48
# Values that were sent in place of a name: they may be secret, so they are not repeated.
UNREADABLE = "(unreadable)"
DATA = frozenset('{}"<> \t\r\n')
BODY = "(body)"
MEANING = {
    BODY: "The body is not read: send JSON, with Content-Type: application/json.",
    UNREADABLE: "This is no name. If it is JSON, send it with Content-Type: application/json.",
}


def handle_ignored(request: ApiRequest) -> None:
    """Tell which names of a request are ignored, or refuse it where it is to be strict."""
    contract, http = request.contract, request.http
    if not contract.has_names:
        return
    preferred = preferred_handling(http.environ.get("HTTP_PREFER"))
    if preferred:
        request.told[APPLIED] = f"handling={preferred}"
    is_sent = has_body(http.environ)
    if not (request.query or is_sent):
        return
    known = contract.known_fields[request.is_below_wp_json]
    paths = contract.known_parameters.dropped(request.query)
    labels: list[str] = []
    if contract.takes_body:
        paths = [*paths, *known.dropped(request.body)]
    elif is_sent and not http.is_json and request.raw_body().strip():
        # A write refuses it.
        labels = [BODY]
    labels += make_labels(paths)
    if not labels:
        return
    refused = labels
    if not (preferred == STRICT or (request.service.options.strict and not preferred)):
        refused = [] if preferred else _meant_otherwise(request, known.meant, paths, labels)
    if refused:
        query = contract.known_parameters
        raise ValidationError({one: [_message(one, query, known.meant)] for one in refused})
    request.told[HEADER] = ", ".join(labels)


def preferred_handling(prefer: str | None) -> str | None:
    """Return which `handling` the header `Prefer` asks for (RFC 7240); None for neither."""
    for preference in parse_http_list(prefer) if prefer else ():
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "handling":
            # Only the first of them counts.
            value = value.strip().strip('"').lower()
            return value if value in (STRICT, LENIENT) else None
    return None


def _meant_otherwise(
    request: ApiRequest, known: list[str], paths: list[Path], labels: list[str]
) -> list[str]:
    """Return which names in the body of a write at our own paths were probably meant otherwise.

    They all were where an object would lose all that it has. Clients of WordPress write keys of
    plugins, below its paths or with an underscore in front.
    """
    if request.is_below_wp_json or not request.contract.takes_body:
        return []
    body, lost = request.body, defaultdict[str, set[str]](set)
    for outer, *inner in paths:
        lost[outer].update(inner[:1])
    for outer, keys in lost.items():
        is_lost = isinstance(body.get(outer), dict) and body[outer].keys() == keys
        if is_lost and not all(key.startswith("_") for key in keys):
            return labels
    plain = (label for label in labels if not label.rpartition(".")[2].startswith("_"))
    return [one for one in plain if one.partition(".")[0] in body and is_misspelt(one, known)]


def _message(label: str, parameters: KnownNames, body: list[str]) -> str:
    query = parameters.meant
    if label.startswith("("):
        return MEANING[label]
    if label in parameters.needs:
        return f"{label} has no effect without {parameters.needs[label]}."
    if label in body or label in query:
        return f"{label} belongs in the {'body' if label in body else 'query'}."
    near = nearest(label, body, query)
    return f"{label} is unknown" + (f'; did you mean "{near}"?' if near else ".")


def make_labels(paths: list[Path]) -> list[str]:
    """Return the first of the names, each once.

    A label is ASCII without commas and blanks, so that several make a list in a header; inner names
    follow a dot. What stands in parentheses is not a name.
    """
    return [*dict.fromkeys(".".join(map(_label, path)) for path in paths[:MOST_NAMES])]


def _label(name: str) -> str:
    if not name or DATA.intersection(name[:LONGEST_NAME]):
        return UNREADABLE
    text = quote(name, safe="@:$~/", errors="replace").replace(".", "%2E")
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}..."
