"""Callers: credentials, identities, scopes, and limits on failed attempts.

An authorizer is any callable that takes the request and returns an `Identity`, or None for an
anonymous caller, or raises `Rejected` for wrong credentials. A host may have its own.
"""

import hmac
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import compress
from math import inf
from urllib.parse import parse_qsl, unquote

from flask import Request
from werkzeug.datastructures import Authorization

from landform.parts import all_parts
from landform.service.auth.local_mode import Environ, LocalMode, is_direct
from landform.service.pipeline.errors import ApiError, api_error
from landform.storage import Store, api_keys
from landform.storage.failed_attempts import Attempts, address_key
from landform.storage.rows import Row, digest_of

# The start of the names of credentials in a query.
QUERY_PREFIX = "consumer_"
NO_OAUTH = "OAuth 1.0a is not supported: use HTTP Basic over https, with the same key and secret."
NOT_SECURE = "consumer_key and consumer_secret in the query need https: plain http shows them."
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}
TOO_MANY_FAILURES = "Too many requests from this IP address had wrong credentials or passwords."
NO_CREDENTIALS = "This needs credentials, but none came (some proxies strip the header)."
# The scopes of the core.
SCOPES = frozenset(
    ("pages:read pages:write feeds:read feeds:write html:unfiltered events:read").split()
)


@cache
def all_scopes() -> frozenset[str]:
    """Return the scopes of the core and of every part."""
    return SCOPES.union(*(part.scopes for part in all_parts().values()))


@dataclass(frozen=True)
class Identity:
    """A caller: its name, the author id of its pages, and its scopes.

    `valid_until` (seconds since 1970): until when the credentials are valid without another write.
    `is_stored`: whether the caller has a key in the database.
    """

    name: str
    author: int = 1
    scopes: frozenset[str] = field(default_factory=all_scopes)
    valid_until: float = field(default=inf, compare=False)
    is_stored: bool = field(default=False, compare=False, repr=False)

    def may(self, scope: str) -> bool:
        """Return whether the caller has a scope."""
        return scope in self.scopes

    @property
    def may_write_any_html(self) -> bool:
        """Whether the HTML of this caller is not cleaned."""
        return self.may("html:unfiltered")

    def describe(self) -> Row:
        """Return the name, the author id and the scopes."""
        return {"name": self.name, "author": self.author, "scopes": sorted(self.scopes)}


class Rejected(Exception):
    """The request carries wrong credentials."""


class NotAccepted(Rejected):
    """Credentials were sent in an unsupported way, which is not a failed attempt."""


Authorizer = Callable[[Request], Identity | None]


class CredentialAuthorizer:
    """The authorizer for configured credentials and stored keys.

    `credentials` map names to secrets, and have every scope; stored keys have their own scopes.
    Without credentials and keys the service is in local mode, unless that is switched off.
    """

    def __init__(
        self, store: Store, credentials: Mapping[str, str], local_mode: bool = True
    ) -> None:
        self._store, self._local_mode = store, LocalMode() if local_mode else None
        self._digests = {name: digest_of(secret) for name, secret in credentials.items()}

    def __call__(self, request: Request) -> Identity | None:
        """Return the caller with valid credentials; None if none were sent."""
        if not self.has_credentials():
            return self._local(request.environ)
        sent = _sent(request)
        if sent is None:
            return None
        name, secret = sent
        digest = digest_of(secret)
        # All are compared, so that the time taken reveals nothing.
        matches = [hmac.compare_digest(stored, digest) for stored in self._digests.values()]
        for owner in compress(self._digests, matches):
            if name in (None, owner):
                return Identity(owner)
        key = api_keys.find(self._store, secret)
        if key is None or name not in (None, key.name, str(key.id)):
            raise Rejected("The credentials are not valid.")
        return Identity(key.name, key.author, key.scopes, key.valid_until, is_stored=True)

    def cache_identity(self, environ: Environ) -> Hashable:
        """Return the part of a cache key that identifies the caller."""
        sent = environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_X_API_KEY")
        return sent if self._digests else (*sent, self._refusal_reason(environ))

    def _refusal_reason(self, environ: Environ) -> str | None:
        if self._local_mode is None:
            return "with trusted proxies configured not even those."
        return self._local_mode.refusal_reason(environ)

    def _local(self, environ: Environ) -> Identity:
        """Return an identity with every scope for a direct request from this machine.

        Used while no credentials are configured: a first run just works, and an exposed service is
        never open. Every other request is refused.
        """
        if reason := self._refusal_reason(environ):
            raise NotAccepted(
                "No credentials are configured, so only direct requests from this machine are "
                f"answered; {reason} Set LANDFORM_CREDENTIALS=name:secret, or create a key with "
                "`landform key create`."
            )
        return Identity("local", is_stored=True)

    def has_credentials(self) -> bool:
        """Return whether there are credentials or ever were keys; if not: local mode."""
        return bool(self._digests) or api_keys.any_exist(self._store)


def _sent(request: Request) -> tuple[str | None, str] | None:
    """Return the name, which may be None, and the secret; None without credentials."""
    # Each response of a guest's cache waits for this, and `request.headers` would take longer.
    if (key := request.environ.get("HTTP_X_API_KEY")) is not None:
        return None, key
    if (header := request.environ.get("HTTP_AUTHORIZATION")) is None:
        return _sent_in_query(request)
    # Only ASCII can be valid; Werkzeug fails on other characters.
    sent = Authorization.from_header(header) if header.isascii() else None
    if sent is not None and sent.type == "bearer" and sent.token:
        return None, sent.token
    if sent is not None and sent.type == "basic":
        return sent.username or "", sent.password or ""
    if sent is not None and sent.type == "oauth":
        raise NotAccepted(NO_OAUTH)
    raise Rejected("The credentials are not valid.")


def are_in_query(query: str) -> bool:
    """Return whether a query may contain credentials, also in percent-encoded names."""
    return QUERY_PREFIX in query or ("%" in query and QUERY_PREFIX in unquote(query))


def _sent_in_query(request: Request) -> tuple[str, str] | None:
    """Return `consumer_key` and `consumer_secret`, as sent to Gravity Forms."""
    text = request.query_string.decode(errors="replace")
    if not are_in_query(text):
        return None
    # Not Werkzeug's args, which fail on text that is not UTF-8.
    query = dict(parse_qsl(text))
    if "oauth_consumer_key" in query:
        raise NotAccepted(NO_OAUTH)
    name, secret = query.get("consumer_key", ""), query.get("consumer_secret", "")
    if not name and not secret:
        return None
    if request.scheme != "https" and not is_direct(request.environ):
        raise NotAccepted(NOT_SECURE)
    return name, secret


def is_cross_site(
    request: Request, origins: Collection[str], *, compare_hosts: bool = False
) -> bool:
    """Return whether a page of another site sent this that is not in `origins`.

    Such a page could use a password or a cookie that the browser stores. Browsers send no
    `Sec-Fetch-Site` by http to another machine; then, with `compare_hosts`, the host of the origin
    is compared.
    """
    origin, site = request.origin, request.headers.get("Sec-Fetch-Site")
    if site is None and compare_hosts and origin is not None:
        is_other = origin.partition("//")[2] != request.host
    else:
        is_other = site in ("cross-site", "same-site")
    return is_other and origin not in origins


class Access:
    """The caller of one call, identified at first use, and its rights.

    `identify` is the authorizer. `address`: the IP address for which failures are counted.
    `is_by_host`: whether a host identifies the caller, perhaps by a cookie.
    """

    def __init__(
        self,
        identify: Callable[[], Identity | None],
        attempts: Attempts,
        address: str,
        *,
        is_by_host: bool = False,
    ) -> None:
        self._identify, self._attempts, self.address = identify, attempts, address
        self.is_by_host = is_by_host

    @cached_property
    def _identified(self) -> Identity | Rejected | None:
        try:
            return self._identify()
        except Rejected as rejection:
            if not isinstance(rejection, NotAccepted):
                # Not counted with the 401: other responses may reveal it too.
                _raise_if_throttled(self._attempts.count(address_key(self.address)))
            return rejection

    @property
    def identity(self) -> Identity | None:
        """The caller; None if it is anonymous or rejected."""
        caller = self._identified
        return None if isinstance(caller, Rejected) else caller

    @property
    def is_rejected(self) -> bool:
        """Whether wrong credentials were sent."""
        return isinstance(self._identified, Rejected)

    def has_scope(self, scope: str | None) -> bool:
        """Return whether the caller is identified, and has the scope if it is given."""
        caller = self.identity
        return caller is not None and (scope is None or scope in caller.scopes)

    def reject_invalid_credentials(self, code: str = "rest_forbidden") -> None:
        """Raise a 401 for wrong credentials; anonymous callers pass."""
        if isinstance(self._identified, Rejected):
            raise self._unauthorized(code, str(self._identified))

    def require(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Return the caller; raise a 401 without one, and a 403 without the scope."""
        caller = self._identified
        if isinstance(caller, Rejected):
            raise self._unauthorized(code, str(caller))
        if caller is None:
            raise self._unauthorized(code, NO_CREDENTIALS)
        if scope and scope not in caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        return caller

    def count(self, kind: str, limit: int) -> int:
        """Count a call of a kind; return the seconds to wait, 0 within the limit of a minute.

        In a write it is counted in its transaction.
        """
        return self._attempts.count(f"{address_key(self.address)} {kind}", limit)

    def seconds_refused(self, kind: str) -> int:
        """Return the seconds to wait that a write has found for a kind; 0 without, or for now."""
        return self._attempts.seconds_refused(f"{address_key(self.address)} {kind}")

    def check_password(self, page: Row, sent: str) -> None:
        """Check the password of a page: raises a 403, or a 429 after too many failures."""
        counter = f"{address_key(self.address)} page {page['id']}"
        _raise_if_throttled(self._attempts.retry_after(counter))
        if not hmac.compare_digest(sent.encode(), page["password"].encode()):
            _raise_if_throttled(self._attempts.count(counter))
            raise api_error("rest_post_incorrect_password")

    def _unauthorized(self, code: str, message: str) -> ApiError:
        # With a host's own sign-in, browsers should not ask for a password.
        return ApiError(401, code, message, headers={} if self.is_by_host else CHALLENGE)


def _raise_if_throttled(retry_after: int) -> None:
    if retry_after:
        headers = {"Retry-After": str(retry_after)}
        raise ApiError(429, "rest_too_many_attempts", TOO_MANY_FAILURES, headers=headers)
