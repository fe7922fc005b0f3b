"""The names of files: as clients send them, as titles, and in addresses."""

import re
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from landform.storage.pages.slugs import slugify

# The parameters of Content-Disposition. A value in quotes ends at a quote before `;` or at the end,
# and may have others, escaped or not. One without quotes ends at the next `;`, and may have blanks.
PARAMETER = re.compile(
    r';\s*([A-Za-z*]+)\s*=\s*(?:"((?:[^"\\]|\\["\\]?|"(?!\s*(?:;|\Z)))*+)"?|([^;"]*))'
)
TYPE = re.compile(r"[A-Za-z-]+\s*;")
ESCAPED = re.compile(r'\\(["\\])')
ENCODED = re.compile(r"(utf-8|iso-8859-1)'[^']*'(.*)", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")
EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
NOT_PLAIN = re.compile(r"%[0-9a-f]{2}|[^a-z0-9_]")
LONGEST_NAME, LONGEST_STEM = 255, 80
# The name of a file whose own name has no letters.
NAMELESS = "picture"


class FileName(NamedTuple):
    """The name of a file without its extension: as a title, and in an address."""

    title: str
    stem: str


def read_disposition(header: str) -> FileName | None:
    """Return the name in a Content-Disposition; None if there is none.

    `filename*` (RFC 6266) is preferred.
    """
    with suppress(UnicodeError):
        # HTTP headers are read as Latin-1, and mostly are UTF-8.
        header = header.encode("latin-1").decode()
    type_match = TYPE.match(header.strip())
    if not type_match:
        return None
    parameters = header.strip()[type_match.end() - 1 :]
    values = {
        name.lower(): ESCAPED.sub(r"\1", quoted) or bare.strip()
        for name, quoted, bare in reversed(PARAMETER.findall(parameters))
    }
    name = _decode(values.get("filename*", "")) or unquote(values.get("filename", ""))
    return file_name(name) if name.strip() else None


def _decode(value: str) -> str:
    """Return the text of a parameter in the form of RFC 8187; empty for another form."""
    if match := ENCODED.fullmatch(value):
        with suppress(UnicodeError):
            return unquote_to_bytes(match[2]).decode(match[1])
    return ""


def file_name(name: str) -> FileName:
    """Return the name of a file without folders, control characters and its extension."""
    plain = CONTROL.sub(" ", re.split(r"[/\\]", name)[-1]).strip()
    title = EXTENSION.sub("", plain)[:LONGEST_NAME].strip() or NAMELESS
    return FileName(title, stem_of(title))


def stem_of(title: str) -> str:
    """Return a text as a name in an address: letters, digits and hyphens in ASCII."""
    words = filter(None, NOT_PLAIN.sub("-", slugify(title)).split("-"))
    return "-".join(words)[:LONGEST_STEM].strip("-_") or NAMELESS
