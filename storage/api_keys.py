"""API keys: credentials in the database, which has only the SHA-256 of the secret."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from landform.storage.clock import Clock, epoch, utc_text
from landform.storage.errors import KeyRefused
from landform.storage.models import ApiKey
from landform.storage.rows import digest_of
from landform.storage.store import Store, transactional

SECRET_BYTES = 32


class Key(NamedTuple):
    """A key; `expires` is UTC text, None for never."""

    id: int
    name: str
    scopes: frozenset[str]
    author: int
    created: str
    expires: str | None
    active: bool

    @property
    def valid_until(self) -> float:
        """The time when the key ends, in seconds since 1970, or infinity."""
        return epoch(self.expires)


@transactional
def create(
    store: Store, name: str, scopes: Iterable[str], author: int, expires: datetime | None
) -> str:
    """Store a new key and return its secret, which is stored nowhere.

    Raises `KeyRefused` if an active key has the name.
    """
    if any(key.active for key in list_named(store, name)):
        raise KeyRefused(f"There is an active key named {name} already.")
    ends = utc_text(expires) if expires else None
    return _insert(store, name, " ".join(sorted(scopes)), author, ends)


@transactional
def rotate(store: Store, name: str, grace: timedelta) -> str:
    """Give a key a new secret and return it; the old one is valid for the grace period.

    Raises `KeyRefused` if no active key has the name.
    """
    active = [key for key in list_named(store, name) if key.active]
    if not active:
        raise KeyRefused(f"There is no active key named {name}.")
    newest = active[-1]
    end = utc_text(datetime.now(UTC) + grace)
    for key in active:
        ends = min(filter(None, (key.expires, end)))
        ApiKey.update(expires=ends).where(ApiKey.id == key.id).execute(store.database)
    scopes = " ".join(sorted(newest.scopes))
    return _insert(store, newest.name, scopes, newest.author, newest.expires)


@transactional
def revoke(store: Store, name: str) -> int:
    """End all keys with a name, or the one with an id; return the number of active ones."""
    ended = [key.id for key in list_named(store, name) if key.active]
    now = {"expires": store.clock.now().utc}
    ApiKey.update(now).where(ApiKey.id.in_(ended)).execute(store.database)
    return len(ended)


def list_named(store: Store, name: str) -> list[Key]:
    """Return the keys with a name, or the one with an id, the newest last."""
    return [key for key in list_all(store) if name in (key.name, str(key.id))]


def list_all(store: Store) -> list[Key]:
    """Return all keys, also expired ones, the newest last."""
    rows = ApiKey.select().order_by(ApiKey.id).execute(store.database)
    return [_key(row, store.clock) for row in rows]


def any_exist(store: Store) -> bool:
    """Return whether any key was ever created."""
    return bool(list(ApiKey.select(ApiKey.id).limit(1).tuples().execute(store.database)))


def find(store: Store, secret: str) -> Key | None:
    """Return the active key with a secret, or None."""
    digest = digest_of(secret)
    rows = ApiKey.select().where(ApiKey.digest == digest).execute(store.database)
    return next((key for key in (_key(row, store.clock) for row in rows) if key.active), None)


def _insert(store: Store, name: str, scopes: str, author: int, expires: str | None) -> str:
    secret = secrets.token_urlsafe(SECRET_BYTES)
    row = {"name": name, "digest": digest_of(secret), "scopes": scopes, "author": author}
    row |= {"created": store.clock.now().utc, "expires": expires}
    ApiKey.insert(row).execute(store.database)
    return secret


def _key(row: ApiKey, clock: Clock) -> Key:
    active = row.expires is None or row.expires > clock.now().utc
    scopes = frozenset(row.scopes.split())
    return Key(row.id, row.name, scopes, row.author, row.created, row.expires, active)
