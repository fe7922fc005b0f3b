"""The schema of a store on PostgreSQL: read from the catalogs, and as the migrations make it."""

import re
import secrets
from collections.abc import Callable

from landform.storage.engines.database import EngineDatabase, Named, Schema

# The columns of each table with what is to be in them; indexes, triggers and functions as SQL.
PARTS = """
    SELECT 'table', relname, string_agg(
        attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull::text || ' '
        || attidentity::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), ''),
        ', ' ORDER BY attnum)
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = pg_class.oid AND adnum = attnum
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY relname
    UNION ALL
    SELECT 'index', class.relname, pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid
    WHERE relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'function', proname, pg_get_functiondef(pg_proc.oid)
    FROM pg_proc JOIN pg_language AS language ON language.oid = prolang
    WHERE pronamespace = current_schema()::regnamespace AND lanname IN ('sql', 'plpgsql')
    UNION ALL
    SELECT 'trigger', tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
"""
# Where there may be none, see `lacks_search_index`.
OPTIONAL = {"page_text_title", "page_text_content"}


class _Undone(Exception):
    """Rolls back what was created."""


def read(db: EngineDatabase) -> Schema:
    """Return the parts of the current schema, whichever name it has."""
    name = db.execute_sql("SELECT current_schema()").fetchone()[0]
    qualified = re.compile(rf'\b{re.escape(name)}\.|"{re.escape(name)}"\.')
    found = {}
    for kind, part, sql in db.execute_sql(PARTS).fetchall():
        plain = qualified.sub("", sql)
        plain = re.sub(r"(?m)^ SET search_path TO .*$", " SET search_path FROM CURRENT", plain)
        if part not in OPTIONAL:
            found[Named(kind, part)] = plain.strip()
    return found


def reference(db: EngineDatabase, make: Callable[[EngineDatabase], object]) -> Schema:
    """Return the parts that a function creates, in a schema that nobody else sees."""
    name = f"landform_reference_{secrets.token_hex(4)}"
    found: Schema = {}
    try:
        # Not as a write, which the others would wait for.
        with db.atomic("BEGIN"):
            db.execute_sql(f"CREATE SCHEMA {name}")
            db.execute_sql(f"SET LOCAL search_path TO {name}")
            make(db)
            found = read(db)
            raise _Undone
    except _Undone:
        return found
