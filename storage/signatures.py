"""What cookies and previews are signed with: a secret, and how often a page's were revoked."""

import secrets

from landform.storage.models import PreviewRevocation, SiteSecret
from landform.storage.store import Store, transactional

SECRET_BYTES = 32
SECRET = SiteSecret.select(SiteSecret.secret)


def secret(store: Store) -> str:
    """Return the secret, the same one in every process; it is made when it is first needed."""
    return SECRET.scalar(store.database) or _make_secret(store)


@transactional
def rotate_secret(store: Store) -> None:
    """Replace the secret: whatever was signed with the old one is worth nothing from now on."""
    SiteSecret.delete().execute(store.database)
    _make_secret(store)


@transactional
def _make_secret(store: Store) -> str:
    new = SiteSecret.insert(name="signatures", secret=secrets.token_hex(SECRET_BYTES))
    new.on_conflict_ignore().execute(store.database)
    return str(SECRET.scalar(store.database))


def revocations(store: Store, page_id: int) -> int:
    """Return how often what was signed for a page was revoked."""
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
