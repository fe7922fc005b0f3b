"""URLs of receivers, parsed strictly.

Parsers of URLs disagree about unusual ones. Here each has one meaning or is refused, so that the
host that was checked is the one that is connected to.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple
from unicodedata import category, normalize
from urllib.parse import quote

URL = re.compile(
    r"(https?)://(\[[0-9a-f:.]+\]|[^\[\]:@/?#\\]+)(?::([0-9]{0,5}))?(/[^?#\\]*)?(\?[^#\\]*)?",
    re.IGNORECASE | re.ASCII,
)
# Control characters, halves of characters, and blanks of all kinds.
UNWRITABLE = {"Cc", "Cs", "Zl", "Zp", "Zs"}
# Also names of containers, which have underscores.
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# Some resolvers read this as an address in an unusual notation.
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
LONE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
PATH_CHARACTERS = "/!$&'()*+,;=:@%"
# The characters of a host name, and of the target in the request line.
LONGEST_HOST, LONGEST_TARGET = 253, 4000
PORTS = {"http": 80, "https": 443}


class ReceiverUrl(NamedTuple):
    """A parsed URL; `authority` is for the header `Host`, `target` for the request."""

    is_secure: bool
    host: str
    port: int
    authority: str
    target: str


def parse_url(text: str) -> ReceiverUrl:
    """Parse a URL; raises `ValueError` if nothing can be sent to it."""
    parts = URL.fullmatch(text)
    if parts is None or any(category(letter) in UNWRITABLE for letter in text):
        raise ValueError("This is not an http or https URL.")
    scheme, name, port_text, path, query = parts.groups()
    host, default = _parse_host(name), PORTS[scheme.lower()]
    port = int(port_text or default)
    target = _encode(path or "/", PATH_CHARACTERS) + _encode(query or "", PATH_CHARACTERS + "?")
    if not 0 < port < 65536 or len(target) > LONGEST_TARGET:
        raise ValueError("The port must be from 1 to 65535, and the path not too long.")
    authority = f"[{host}]" if ":" in host else host.removesuffix(".")
    authority += "" if port == default else f":{port}"
    return ReceiverUrl(scheme.lower() == "https", host, port, authority, target)


def _parse_host(text: str) -> str:
    """Return the IP address or the name to look up for a host."""
    if text.startswith("["):
        return IPv6Address(text[1:-1]).compressed
    name = normalize("NFC", text.lower())
    if len(name) > LONGEST_HOST:
        raise ValueError("The host name is too long.")
    labels = [_encode_label(label) for label in name.removesuffix(".").split(".")]
    if NUMBER.fullmatch(labels[-1]):
        return str(IPv4Address(name))
    host = ".".join(labels) + "." * name.endswith(".")
    if len(host) > LONGEST_HOST:
        raise ValueError("The host name is too long.")
    return host


def _encode_label(label: str) -> str:
    """Return a label of a host name in ASCII; an ambiguous one is refused."""
    if not label.isascii():
        # Python's codec implements the old standard, which replaces these two letters.
        plain = label.replace("ß", "s").replace("ς", "σ")
        if plain.encode("idna").decode("idna") != plain:
            raise ValueError("This label of a host name is ambiguous.")
        label = "xn--" + label.encode("punycode").decode()
    if not LABEL.fullmatch(label):
        raise ValueError("This is not a label of a host name.")
    return label


def _encode(text: str, safe: str) -> str:
    """Percent-encode a part of a target."""
    return quote(LONE_PERCENT.sub("%25", text), safe=safe)
