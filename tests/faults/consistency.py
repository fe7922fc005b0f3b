"""Whether a database is sound: by what `landform verify` looks at, and how many pages it holds."""

from pathlib import Path

from landform.storage import Store, verify


def check(file: Path) -> dict[str, int]:
    """Assert that a database is sound and return how many pages of each status it holds."""
    store = Store(f"sqlite:///{file}")
    assert list(verify.findings(store)) == []
    with store.connection() as db:
        found = db.execute_sql("SELECT status, count(*) FROM page GROUP BY status").fetchall()
    store.dispose()
    return dict(found)
