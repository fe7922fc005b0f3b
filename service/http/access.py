"""The caller of a request and its rights: 401 and 403, and guesses at secrets counted."""

import hmac
from functools import cached_property

from flask import Request

from landform.service.auth.credentials import (
    Authorizer,
    CredentialAuthorizer,
    Identity,
    NotAccepted,
    Rejected,
)
from landform.service.errors import ApiError
from landform.service.http.response_cache import CALLER
from landform.storage.failed_attempts import Attempts, address_key

CHALLENGE = {"WWW-Authenticate": 'Basic realm="landform", charset="UTF-8"'}
TOO_MANY = "Too many requests from this IP address had wrong credentials or passwords."
NO_CREDENTIALS = "This needs credentials, but none came (some proxies strip the header)."


class Access:
    """The caller of one request, identified when somebody first asks."""

    def __init__(self, http: Request, authorizer: Authorizer, attempts: Attempts) -> None:
        self._http, self._authorizer, self._attempts = http, authorizer, attempts

    @cached_property
    def _found(self) -> Identity | Rejected | None:
        try:
            identity = self._authorizer(self._http)
            self._http.environ[CALLER] = identity.name if identity else None
            return identity
        except NotAccepted as rejection:
            return rejection
        except Rejected as rejection:
            # Here, and not with the refusal: a response may reveal it without being a 401.
            _refuse_until(self._attempts.record_failure(self._address))
            return rejection

    @cached_property
    def identity(self) -> Identity | None:
        """The caller; None for anonymous callers and for those who were rejected."""
        return self._found if isinstance(self._found, Identity) else None

    @cached_property
    def is_rejected(self) -> bool:
        """Whether credentials came that are wrong."""
        return isinstance(self._found, Rejected)

    @property
    def sign_in(self) -> str:
        """The way callers sign in: a host's `session`, `credentials`, or `local` mode."""
        if not isinstance(self._authorizer, CredentialAuthorizer):
            return "session"
        return "credentials" if self._authorizer.has_credentials() else "local"

    def has_scope(self, scope: str | None) -> bool:
        """Return whether there is a caller, and has the scope where one is named."""
        caller = self.identity
        return caller is not None and (scope is None or scope in caller.scopes)

    def reject_invalid_credentials(self, code: str = "rest_forbidden") -> None:
        """Let anonymous callers pass, but nobody whose credentials are wrong."""
        if self.is_rejected:
            raise self._unauthorized(code, str(self._found))

    def require(self, scope: str | None = None, code: str = "rest_forbidden") -> Identity:
        """Let only a caller pass, with the scope where one is named, and return who it is."""
        self.reject_invalid_credentials(code)
        caller = self.identity
        if caller is None:
            raise self._unauthorized(code, NO_CREDENTIALS)
        if scope and scope not in caller.scopes:
            raise ApiError(403, code, f"This needs the scope {scope}.")
        return caller

    def is_password(self, page_id: int, password: str, sent: str) -> bool:
        """Return whether what was sent is the password of a page; 429 after too many wrong ones."""
        where = f"{self._address} page {page_id}"
        _refuse_until(self._attempts.retry_after(where))
        if hmac.compare_digest(sent.encode(), password.encode()):
            return True
        _refuse_until(self._attempts.record_failure(where))
        return False

    @property
    def _address(self) -> str:
        return address_key(self._http.remote_addr or "")

    def _unauthorized(self, code: str, message: str) -> ApiError:
        # A host's own way to sign in is none that a browser should ask a password for.
        ours = isinstance(self._authorizer, CredentialAuthorizer)
        return ApiError(401, code, message, headers=CHALLENGE if ours else {})


def _refuse_until(seconds: int) -> None:
    if seconds:
        headers = {"Retry-After": str(seconds)}
        raise ApiError(429, "rest_too_many_attempts", TOO_MANY, headers=headers)
