"""Who is calling, and what they may do.

An authorizer is any callable that takes the request and answers an `Identity`, None for a
stranger, or raises `Rejected` for credentials that are wrong. A host may bring its own.
"""

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Request

SCOPES = frozenset({"pages:read", "pages:write", "feeds:read", "feeds:write"})
FORWARDING = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")


@dataclass(frozen=True)
class Identity:
    """A caller: a name, the author id of what they create, and the scopes that they have."""

    name: str
    author: int = 1
    scopes: frozenset[str] = field(default=SCOPES)


class Rejected(Exception):
    """Credentials came and are wrong, or nobody may call from there; the text says which."""


Authorizer = Callable[[Request], Identity | None]


class Credentials:
    """HTTP Basic credentials with every right: a mapping of names to secrets."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._digests = {name: _digest(secret) for name, secret in secrets.items()}

    def __call__(self, request: Request) -> Identity | None:
        """Return who sent the right secret; None where no credentials came."""
        if "Authorization" not in request.headers:
            return None
        try:
            sent = request.authorization
        except ValueError:
            sent = None
        if sent is None or sent.type != "basic":
            raise Rejected("The credentials are not valid.")
        known = self._digests.get(sent.username or "", b"")
        # Compared even for an unknown name, so that the time taken tells nothing.
        if not hmac.compare_digest(known, _digest(sent.password or "")):
            raise Rejected("The credentials are not valid.")
        return Identity(sent.username or "")

    def __repr__(self) -> str:
        return f"<Credentials of {len(self._digests)}>"


def local_mode(request: Request) -> Identity | None:
    """Let a direct request from this machine do everything, and nobody else anything.

    Holds while no credentials are configured: the first run just works, an exposed one is
    never open.
    """
    direct = not any(name in request.headers for name in FORWARDING)
    if direct and _is_loopback(request.remote_addr) and _is_here(request.host) and _is_own(request):
        return Identity("local")
    raise Rejected(
        "No credentials are configured, so only direct requests from this machine are answered. "
        "Set LANDFORM_CREDENTIALS=name:secret and send them with HTTP Basic."
    )


def _is_own(request: Request) -> bool:
    """Say whether no page of another site made a browser on this machine send the request."""
    origin = request.headers.get("Origin")
    own = origin is None or _is_here(urlsplit(origin).netloc)
    return own and request.headers.get("Sec-Fetch-Site") != "cross-site"


def _is_here(host: str) -> bool:
    name = re.sub(r":[0-9]*$", "", host).strip("[]").lower()
    return name == "localhost" or _is_loopback(name)


def _is_loopback(address: str | None) -> bool:
    try:
        found = ip_address(address or "")
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def _digest(secret: str) -> bytes:
    return sha256(secret.encode(errors="surrogatepass")).digest()
