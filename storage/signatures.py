"""The secret that signs cookies, previews and tokens, and their revocations for each page."""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from operator import xor

from landform.storage.models import PreviewLink, PreviewRevocation, SiteSecret
from landform.storage.sql import Prepared
from landform.storage.store import Store, transactional

SECRET_BYTES = 32
# The bytes of nonces and signatures in a token, and those of each number.
TOKEN_BYTES, NUMBER_BYTES = 16, 8
LONGEST_TOKEN = 200
# The most previews of a page that are listed.
MOST_LINKS = 100
SECRET = Prepared(SiteSecret.select(SiteSecret.secret))


def secret(store: Store) -> str:
    """Return the secret of the store, which the first call creates."""
    row = SECRET.row(store)
    return str(row[0]) if row else _make_secret(store)


@transactional
def rotate_secret(store: Store) -> None:
    """Replace the secret, so that no older signature is valid."""
    SiteSecret.delete().execute(store.database)
    PreviewLink.delete().execute(store.database)
    _make_secret(store)


@transactional
def _make_secret(store: Store) -> str:
    new = SiteSecret.insert(name="signatures", secret=secrets.token_hex(SECRET_BYTES))
    new.on_conflict_ignore().execute(store.database)
    return str(SECRET.row(store)[0])


def revocations(store: Store, page_id: int) -> int:
    """Return the number of times that the signatures for a page were revoked."""
    times = PreviewRevocation.select(PreviewRevocation.times)
    return int(times.where(PreviewRevocation.page == page_id).scalar(store.database) or 0)


@transactional
def revoke(store: Store, page_id: int) -> None:
    """End every preview of a page, and every cookie that its password set."""
    if SECRET.row(store) is None:
        # Nothing was ever signed.
        return
    times = revocations(store, page_id) + 1
    PreviewRevocation.delete().where(PreviewRevocation.page == page_id).execute(store.database)
    PreviewRevocation.insert(page=page_id, times=times).execute(store.database)
    PreviewLink.delete().where(PreviewLink.page == page_id).execute(store.database)


@transactional
def record_preview(store: Store, page_id: int, expires: int) -> None:
    """Store that a preview was made, which ends at a time in Unix seconds."""
    PreviewLink.insert(page=page_id, expires=expires).on_conflict_ignore().execute(store.database)
    previews = PreviewLink.select(PreviewLink.expires).where(PreviewLink.page == page_id)
    listed = previews.order_by(PreviewLink.expires.desc()).limit(MOST_LINKS)
    is_other = (PreviewLink.page == page_id) & PreviewLink.expires.not_in(listed)
    PreviewLink.delete().where(is_other).execute(store.database)


def previews_after(store: Store, page_id: int, time: int) -> list[int]:
    """Return the ends of the previews of a page that end after a time, the latest first."""
    query = PreviewLink.select(PreviewLink.expires).where(PreviewLink.page == page_id)
    rows = query.where(PreviewLink.expires > time).order_by(PreviewLink.expires.desc())
    return [expires for (expires,) in rows.tuples().execute(store.database)]


def seal(store: Store, purpose: str, *numbers: int) -> str:
    """Return a token with up to four numbers, from 0 to 2**64, that only this store can read.

    It becomes invalid when the secret is rotated.
    """
    nonce = secrets.token_bytes(TOKEN_BYTES)
    content = b"".join(number.to_bytes(NUMBER_BYTES) for number in numbers)
    sealed = nonce + _masked(store, purpose, nonce, content)
    return urlsafe_b64encode(sealed + _seal(store, purpose, sealed)).rstrip(b"=").decode()


def unseal(store: Store, purpose: str, token: str) -> list[int] | None:
    """Return the numbers in a token; None if it was not sealed here for this purpose."""
    try:
        raw = urlsafe_b64decode(token.encode() + b"==") if len(token) <= LONGEST_TOKEN else b""
    except ValueError:
        return None
    sealed, seal_ = raw[:-TOKEN_BYTES], raw[-TOKEN_BYTES:]
    if not hmac.compare_digest(seal_, _seal(store, purpose, sealed)):
        return None
    content = _masked(store, purpose, sealed[:TOKEN_BYTES], sealed[TOKEN_BYTES:])
    places = range(0, len(content), NUMBER_BYTES)
    return [int.from_bytes(content[place : place + NUMBER_BYTES]) for place in places]


def proof(store: Store, purpose: str, text: str) -> str:
    """Return a text that proves that another one is from this store: 32 hexadecimal digits."""
    return _seal(store, f"{purpose} proof", text.encode()).hex()


def _masked(store: Store, purpose: str, nonce: bytes, content: bytes) -> bytes:
    """Encrypt a content, or decrypt it, with a key that is used once."""
    key = hmac.digest(secret(store).encode(), f"{purpose} mask".encode() + nonce, "sha256")
    return bytes(map(xor, content, key))


def _seal(store: Store, purpose: str, content: bytes) -> bytes:
    key = hmac.digest(secret(store).encode(), f"{purpose} seal".encode(), "sha256")
    return hmac.digest(key, content, "sha256")[:TOKEN_BYTES]
