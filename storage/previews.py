"""Previews of pages that were revoked: each is of the count at which it was made."""

from landform.storage.models import PreviewRevocation
from landform.storage.sql.prepared import Parameter, Prepared
from landform.storage.store import Store, transactional

TIMES = Prepared(
    PreviewRevocation.select(PreviewRevocation.times).where(
        PreviewRevocation.page == Parameter("page")
    )
)


def revocations(store: Store, page_id: int) -> int:
    """Return how often the previews of a page were revoked."""
    row = TIMES.row(store, {"page": page_id})
    return int(row[0]) if row else 0


@transactional
def revoke(store: Store, page_id: int) -> None:
    """End every preview of a page."""
    times = revocations(store, page_id) + 1
    mine = PreviewRevocation.page == page_id
    PreviewRevocation.delete().where(mine).execute(store.database)
    PreviewRevocation.insert(page=page_id, times=times).execute(store.database)
