"""Guesses at secrets: counted for each IP address, and refused after too many.

A guess at a page's password is counted in the database before the response reveals whether it was
right. If it cannot be counted, right and wrong ones get the same 503.
"""

import hmac
from collections import OrderedDict
from hashlib import sha256
from threading import Lock

from landform.service.errors import RETRY_AFTER_SECONDS, ApiError
from landform.storage import StorageError, Store
from landform.storage.failed_attempts import Attempts, address_key

MOST_PROOFS = 10_000
TOO_MANY = "Too many requests from this IP address had wrong credentials or passwords."
UNCOUNTED = "The password cannot be checked now, because the attempt cannot be counted."


class Throttle:
    """Counts the failures of one store, and remembers which IP addresses know a password."""

    def __init__(self, store: Store, limit: int) -> None:
        self._attempts = Attempts(store, limit)
        self._lock = Lock()
        # For an IP address and a page the SHA-256 of the password that came from there.
        self._proofs: OrderedDict[str, bytes] = OrderedDict()

    def count_failure(self, address: str) -> None:
        """Count wrong credentials; 429 after too many. Waits for no other writer."""
        _refuse_until(self._attempts.record_failure(address_key(address)))

    def is_password(self, address: str, page_id: int, password: str, sent: str) -> bool:
        """Return whether what was sent is the password of a page; 429 after too many wrong ones.

        503 for one that cannot be counted at once, unless it came from this IP address before.
        Page passwords are short enough to be guessed, so each first try costs a write; a caller
        who has shown the right one causes no further writes.
        """
        where = f"{address_key(address)} page {page_id}"
        _refuse_until(self._attempts.retry_after(where))
        right = hmac.compare_digest(sent.encode(), password.encode())
        proof = sha256(password.encode()).digest()
        if right and self._has_shown(where, proof):
            return True
        try:
            # The same write for right and wrong ones, so that a full disk reveals nothing either.
            seconds, minute = self._attempts.reserve(where)
        except StorageError as error:
            # Others may share the IP address, and must not learn it from what is let through.
            self._note(where, None)
            retry = {"Retry-After": str(RETRY_AFTER_SECONDS)}
            raise ApiError(503, "storage_unavailable", UNCOUNTED, headers=retry) from error
        _refuse_until(seconds)
        if not right:
            return False
        self._attempts.release(where, minute)
        self._note(where, proof)
        return True

    def _has_shown(self, where: str, proof: bytes) -> bool:
        with self._lock:
            return self._proofs.get(where) == proof

    def _note(self, where: str, proof: bytes | None) -> None:
        with self._lock:
            self._proofs.pop(where, None)
            if proof is not None:
                self._proofs[where] = proof
            if len(self._proofs) > MOST_PROOFS:
                self._proofs.popitem(last=False)


def _refuse_until(seconds: int) -> None:
    if seconds:
        headers = {"Retry-After": str(seconds)}
        raise ApiError(429, "rest_too_many_attempts", TOO_MANY, headers=headers)
