"""Tokens with numbers that only this store can read."""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from operator import xor

from landform.storage.signatures import secret
from landform.storage.store import Store

# The bytes of nonces and signatures in a token, and those of each number.
TOKEN_BYTES, NUMBER_BYTES = 16, 8
LONGEST_TOKEN = 200


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
