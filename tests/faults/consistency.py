"""Whether a database is sound: by what `landform verify` looks at, and how many pages it holds."""

from databases import run_sql

from landform.storage import Store
from landform.storage.maintenance import verify


def check(url: str) -> dict[str, int]:
    """Assert that a database is sound and return how many pages of each status it holds."""
    store = Store(url)
    assert list(verify.find_problems(store)) == []
    store.dispose()
    return dict(run_sql(url, "SELECT status, count(*) FROM page GROUP BY status"))
