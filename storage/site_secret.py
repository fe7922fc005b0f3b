"""The secret that cookies and previews are signed with: made when it is first needed."""

import secrets

from landform.storage.models import SiteSecret
from landform.storage.sql.prepared import Prepared
from landform.storage.store import Store, transactional

NAME = "signatures"
SECRET_BYTES = 32
CURRENT = Prepared(SiteSecret.select(SiteSecret.secret).where(SiteSecret.name == NAME))


def read(store: Store) -> str:
    """Return the secret, the same one in every process."""
    row = CURRENT.row(store)
    return str(row[0]) if row else _create(store)


@transactional
def _create(store: Store) -> str:
    row = CURRENT.row(store)
    return str(row[0]) if row else _write(store)


@transactional
def rotate(store: Store) -> None:
    """Replace the secret: whatever was signed with the old one is worth nothing from now on."""
    SiteSecret.delete().execute(store.database)
    _write(store)


def _write(store: Store) -> str:
    secret = secrets.token_hex(SECRET_BYTES)
    SiteSecret.insert(name=NAME, secret=secret).execute(store.database)
    return secret
