"""The secret that signs cookies, previews and tokens, and their revocations for each page."""

import secrets

from landform.storage.models import PreviewLink, PreviewRevocation, SiteSecret
from landform.storage.sql import Prepared
from landform.storage.store import Store, transactional

SECRET_BYTES = 32
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
