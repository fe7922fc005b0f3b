"""The schema of a store on PostgreSQL: as the catalogs have it, and as a migration creates it."""

import re
import secrets
from collections.abc import Callable

from landform.storage.engines.database import EngineDatabase, Named, Schema

# The columns of each table with what is to be in them; indexes, triggers and functions as SQL.
SCHEMA_PARTS = """
    SELECT 'table', table_name::text, string_agg(concat_ws(' ', column_name, data_type, is_nullable,
        identity_generation, collation_name, column_default), ', ' ORDER BY ordinal_position)
    FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name
    UNION ALL
    SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL
    SELECT 'function', proname, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f'
    UNION ALL
    SELECT 'trigger', tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
"""
# Indexes that do not exist without the extension for trigrams.
OPTIONAL = {"page_text_title", "page_text_content"}


def read(db: EngineDatabase) -> Schema:
    """Return the parts of the current schema, without its name in their SQL."""
    name = db.execute_sql("SELECT quote_ident(current_schema())").fetchone()[0]
    parts = {}
    for kind, part, sql in db.execute_sql(SCHEMA_PARTS).fetchall():
        plain = re.sub(rf"(?<!\w){re.escape(name)}\.", "", sql)
        plain = re.sub("SET search_path TO .*", "SET search_path FROM CURRENT", plain)
        if part not in OPTIONAL:
            parts[Named(kind, part)] = plain.strip()
    return parts


def reference(db: EngineDatabase, make: Callable[[EngineDatabase], object]) -> Schema:
    """Return the parts that a function creates in an empty schema, which is rolled back."""
    name = f"landform_reference_{secrets.token_hex(4)}"
    # Not as a write, which other writers would wait for.
    with db.atomic("BEGIN") as transaction:
        db.execute_sql(f"CREATE SCHEMA {name}")
        db.execute_sql(f"SET LOCAL search_path TO {name}")
        make(db)
        parts = read(db)
        transaction.rollback()
    return parts
