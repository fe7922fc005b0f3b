"""Redirects in the database."""

from landform.parts.redirects.errors import RedirectExists, RedirectNotFound
from landform.parts.redirects.models import Redirect
from landform.storage.rows import Row, storable
from landform.storage.store import Store, transactional


def list_all(store: Store) -> list[Row]:
    """Return all redirects by id."""
    return [*Redirect.select().order_by(Redirect.id).dicts().execute(store.database)]


def find(store: Store, path: str) -> Row | None:
    """Return the redirect from a path, which may end with a slash."""
    query = Redirect.select().where(Redirect.path == normal(path)).dicts()
    return next(iter(query.execute(store.database)), None)


def normal(path: str) -> str:
    """Return a path as it is stored: without a slash at its end."""
    return path.rstrip("/")


@transactional
def create(store: Store, path: str, target: str) -> Row:
    """Store a redirect and return it; raises `RedirectExists`."""
    if find(store, path):
        raise RedirectExists
    row = {"path": normal(path), "target": target, "created_utc": store.clock.now().utc}
    return {"id": Redirect.insert(row).execute(store.database), **row}


@transactional
def delete(store: Store, redirect_id: int) -> Row:
    """Delete a redirect and return it; raises `RedirectNotFound`."""
    is_it = Redirect.id.in_(storable([redirect_id]))
    rows: list[Row] = [*Redirect.select().where(is_it).dicts().execute(store.database)]
    if not rows:
        raise RedirectNotFound
    Redirect.delete().where(is_it).execute(store.database)
    return rows[0]
