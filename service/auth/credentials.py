"""Callers: the identity that credentials stand for, its scopes, and guesses counted.

An authorizer is any callable that takes the request and returns an `Identity`, or None for an
anonymous caller, or raises `Rejected` for wrong credentials. A host may bring its own.
"""

import hmac
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from urllib.parse import parse_qsl, unquote

from flask import Request
from werkzeug.datastructures import Authorization

from landform.service.auth.local_mode import Environ, LocalMode, is_direct
from landform.service.errors import ApiError, api_error
from landform.storage import Store, api_keys
from landform.storage.failed_attempts import Attempts, address_key
from landform.storage.rows import Row, digest_of

# What the query has where credentials are in it.
IN_QUERY = "consumer_"
OAUTH = "OAuth 1.0a is not supported: use HTTP Basic over https, with the same key and secret."
NOT_SECURE = "consumer_key and consumer_secret in the query need https: plain http shows them."
CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}
TOO_MANY = "Too many requests from this IP address had wrong credentials or passwords."
NO_CREDENTIALS = "This needs credentials, but none came (some proxies strip the header)."
SCOPES = frozenset({
    "pages:read", "pages:write", "feeds:read", "feeds:write", "runs:write", "html:unfiltered",
    "events:read", "webhooks:write",
})  # fmt: skip


@dataclass(frozen=True)
class Identity:
    """A caller: a name, the author id of the pages it creates, and the scopes that it has.

    `valid_until` (seconds since 1970): until when the same credentials mean the same caller, if
    the database is not written to. `is_stored`: whether the keys in the database say so.
    """

    name: str
    author: int = 1
    scopes: frozenset[str] = field(default=SCOPES)
    valid_until: float = field(default=inf, compare=False)
    is_stored: bool = field(default=False, compare=False, repr=False)

    @property
    def may_write_any_html(self) -> bool:
        """Whether readers get the HTML of this caller as it is sent."""
        return "html:unfiltered" in self.scopes


class Rejected(Exception):
    """The request carries wrong credentials."""


class NotAccepted(Rejected):
    """No credentials are accepted in this way: nothing was compared, so it is no guess."""


Authorizer = Callable[[Request], Identity | None]


class CredentialAuthorizer:
    """The authorizer of a service with credentials and keys of its own.

    `credentials` map names to secrets, with every scope; the keys in the store have their own
    scopes. Without any of them the service is in local mode, unless that is switched off.
    """

    def __init__(
        self, store: Store, credentials: Mapping[str, str], local_mode: bool = True
    ) -> None:
        self._store, self._local_mode = store, LocalMode() if local_mode else None
        self._digests = {name: digest_of(secret) for name, secret in credentials.items()}

    def __call__(self, request: Request) -> Identity | None:
        """Return the caller that a valid secret belongs to; None if no credentials came."""
        if not self.has_credentials():
            return self._local(request.environ)
        sent = _sent(request)
        if sent is None:
            return None
        found = self._configured(*sent) or self._stored(*sent)
        if not found:
            raise Rejected("The credentials are not valid.")
        return found

    def cache_identity(self, environ: Environ) -> Hashable:
        """Return what of a request decides who calls, as a part of the key of the cache."""
        sent = environ.get("HTTP_AUTHORIZATION"), environ.get("HTTP_X_API_KEY")
        return sent if self._digests else (*sent, self._refusal_reason(environ))

    def _refusal_reason(self, environ: Environ) -> str | None:
        if self._local_mode is None:
            return "with trusted proxies configured not even those."
        return self._local_mode.refusal_reason(environ)

    def _local(self, environ: Environ) -> Identity:
        """Return an identity with every scope for a direct request from this machine.

        Used while no credentials are configured: the first run just works, an exposed one is
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
        """Return whether there are any, or were once: otherwise this is local mode."""
        return bool(self._digests) or api_keys.any_exist(self._store)

    def _configured(self, name: str | None, secret: str) -> Identity | None:
        # Every one is compared, so that the time taken reveals nothing.
        digest, known = digest_of(secret), self._digests.items()
        same = [found for found, one in known if hmac.compare_digest(one, digest)]
        same = same if name is None else [one for one in same if one == name]
        return Identity(same[0]) if same else None

    def _stored(self, name: str | None, secret: str) -> Identity | None:
        key = api_keys.find(self._store, secret)
        if key is None or name not in (None, key.name, str(key.id)):
            return None
        return Identity(key.name, key.author, key.scopes, key.valid_until, is_stored=True)


def _sent(request: Request) -> tuple[str | None, str] | None:
    """Return the name, if one came, and the secret; None for no credentials."""
    if (key := request.environ.get("HTTP_X_API_KEY")) is not None:
        return None, key
    if (header := request.environ.get("HTTP_AUTHORIZATION")) is None:
        return _sent_in_query(request)
    # Nothing but ASCII can be right, and Werkzeug trips over the rest.
    sent = Authorization.from_header(header) if header.isascii() else None
    if sent is not None and sent.type == "bearer" and sent.token:
        return None, sent.token
    if sent is not None and sent.type == "basic":
        return sent.username or "", sent.password or ""
    if sent is not None and sent.type == "oauth":
        raise NotAccepted(OAUTH)
    raise Rejected("The credentials are not valid.")


def are_in_query(query: str) -> bool:
    """Return whether a query may hold credentials, however its names are spelt."""
    return IN_QUERY in query or ("%" in query and IN_QUERY in unquote(query))


def _sent_in_query(request: Request) -> tuple[str, str] | None:
    """Return `consumer_key` and `consumer_secret`, which clients of Gravity Forms send there."""
    if not are_in_query(request.environ.get("QUERY_STRING", "")):
        return None
    # Not Werkzeug's args, which fail on what is not UTF-8.
    query = dict(parse_qsl(request.query_string.decode(errors="replace")))
    if "oauth_consumer_key" in query:
        raise NotAccepted(OAUTH)
    name, secret = query.get("consumer_key", ""), query.get("consumer_secret", "")
    if not name and not secret:
        return None
    if request.scheme != "https" and not is_direct(request.environ):
        raise NotAccepted(NOT_SECURE)
    return name, secret


def is_cross_site(
    request: Request, origins: Collection[str], *, compare_hosts: bool = False
) -> bool:
    """Return whether a browser sends this for a page of another site that is not in `origins`.

    Such a page could use what the browser stores: a password for HTTP Basic, a host's cookie.
    Browsers send no `Sec-Fetch-Site` to a service that is reached by http from another machine;
    then, with `compare_hosts`, a page of another host than the request's is of another site.
    """
    origin, site = request.environ.get("HTTP_ORIGIN"), request.environ.get("HTTP_SEC_FETCH_SITE")
    if site is None and compare_hosts and origin is not None:
        is_other = origin.partition("//")[2] != request.host
    else:
        is_other = site in ("cross-site", "same-site")
    return is_other and origin not in origins


class Access:
    """The caller of one call, identified when somebody first asks, and what the caller may do.

    `identify` does what an authorizer does. `address`: the IP address that failures are counted
    for. `is_by_host`: whether the host says who calls, perhaps by a cookie.
    """

    def __init__(
        self,
        identify: Callable[[], Identity | None],
        attempts: Attempts,
        address: str,
        *,
        is_by_host: bool = False,
    ) -> None:
        self._identify, self._attempts, self._address = identify, attempts, address
        self.is_by_host = is_by_host
        self._rejection: Rejected | None = None

    @cached_property
    def identity(self) -> Identity | None:
        """The caller; None for anonymous callers and for those who were rejected."""
        try:
            return self._identify()
        except Rejected as rejection:
            if not isinstance(rejection, NotAccepted):
                # Here, and not with the 401: a response may reveal it without being one.
                _raise_if_throttled(self._attempts.record_failure(address_key(self._address)))
            self._rejection = rejection
            return None

    @property
    def is_rejected(self) -> bool:
        """Whether credentials came that are wrong."""
        return self.identity is None and self._rejection is not None

    def has_scope(self, scope: str | None) -> bool:
        """Return whether there is a caller, and has the scope where one is named."""
        caller = self.identity
        return caller is not None and (scope is None or scope in caller.scopes)

    def reject_invalid_credentials(self, code: str = "rest_forbidden") -> None:
        """Let anonymous callers pass, but nobody whose credentials are wrong."""
        if self.is_rejected:
            raise self._unauthorized(code, str(self._rejection))

    def require(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Let only a caller pass, with the scope where one is named, and return who it is."""
        self.reject_invalid_credentials(code)
        caller = self.identity
        if caller is None:
            raise self._unauthorized(code, NO_CREDENTIALS)
        if scope and scope not in caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        return caller

    def check_password(self, page: Row, sent: str) -> None:
        """Refuse what is not the password of a page: a 403, or a 429 after too many of them."""
        where = f"{address_key(self._address)} page {page['id']}"
        _raise_if_throttled(self._attempts.retry_after(where))
        if not hmac.compare_digest(sent.encode(), page["password"].encode()):
            _raise_if_throttled(self._attempts.record_failure(where))
            raise api_error("rest_post_incorrect_password")

    def _unauthorized(self, code: str, message: str) -> ApiError:
        # A host's own way to sign in is none that a browser should ask a password for.
        return ApiError(401, code, message, headers={} if self.is_by_host else CHALLENGE)


def _raise_if_throttled(retry_after: int) -> None:
    if retry_after:
        headers = {"Retry-After": str(retry_after)}
        raise ApiError(429, "rest_too_many_attempts", TOO_MANY, headers=headers)
