"""The secret that signs cookies and previews, and their revocations for each page."""

import secrets

from landform.storage.models import PreviewRevocation, SiteSecret
from landform.storage.store import Store, transactional

SECRET_BYTES = 32
SECRET = SiteSecret.select(SiteSecret.secret)


def secret(store: Store) -> str:
    """Return the secret of the store, which the first call creates."""
    return SECRET.scalar(store.database) or _make_secret(store)


@transactional
def rotate_secret(store: Store) -> None:
    """Replace the secret, so that no older signature is valid."""
    SiteSecret.delete().execute(store.database)
    _make_secret(store)


@transactional
def _make_secret(store: Store) -> str:
    new = SiteSecret.insert(name="signatures", secret=secrets.token_hex(SECRET_BYTES))
    new.on_conflict_ignore().execute(store.database)
    return str(SECRET.scalar(store.database))


def revocations(store: Store, page_id: int) -> int:
    """Return the number of times that the signatures for a page were revoked."""
    rows = PreviewRevocation.select(PreviewRevocation.times)
    return rows.where(PreviewRevocation.page == page_id).scalar(store.database) or 0


@transactional
def revoke(store: Store, page_id: int) -> None:
    """End every preview of a page, and every cookie that its password set."""
    if SECRET.scalar(store.database) is None:
        # Nothing was ever signed.
        return
    times = revocations(store, page_id) + 1
    PreviewRevocation.delete().where(PreviewRevocation.page == page_id).execute(store.database)
    PreviewRevocation.insert(page=page_id, times=times).execute(store.database)
