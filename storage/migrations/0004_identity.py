"""The identity of a store, and its generation."""

import secrets
from typing import Any

STORE = """
    identity {text} PRIMARY KEY,
    generation {text} NOT NULL
"""


def up(migrator: Any, db: Any) -> None:
    """Create the table with its one row, and mark the file as one that is told from its copies."""
    db.execute_sql(f"CREATE TABLE store ({STORE.format(text=db.dialect.text)})")
    values = f"'{secrets.token_hex(16)}', '{secrets.token_hex(5)}'"
    # Both are hexadecimal digits.
    db.execute_sql(f"INSERT INTO store (identity, generation) VALUES ({values})")  # noqa: S608
    db.stamp()
