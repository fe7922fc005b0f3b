"""The first schema. What changes it later is a migration of its own, and leaves this as it is."""

import secrets

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import ResourceVersion, StoreInfo

# Types and index keys in braces are those of the engine.
TABLES = {
    "page": """
        {identity},
        status {text} NOT NULL,
        date {text} NOT NULL,
        date_utc {text} NOT NULL,
        date_floats {boolean} NOT NULL,
        modified {text} NOT NULL,
        modified_utc {text} NOT NULL DEFAULT '',
        version BIGINT NOT NULL DEFAULT 1,
        author BIGINT NOT NULL,
        slug {text} NOT NULL,
        slug_before_trash {text} NOT NULL,
        password {text} NOT NULL,
        meta {text} NOT NULL,
        title_key {text} NOT NULL,
        title_raw {text} NOT NULL,
        title_rendered {text} NOT NULL,
        block_version SMALLINT NOT NULL,
        content_rendered {text} NOT NULL,
        content_raw {text} NOT NULL,
        form {text} NOT NULL DEFAULT '',
        languages {text} NOT NULL DEFAULT '',
        opens_local {text},
        opens_utc {text},
        closes_local {text},
        closes_utc {text}
    """,
    "page_text": """
        id {integer} PRIMARY KEY REFERENCES page (id) ON DELETE CASCADE,
        title {text} NOT NULL,
        content {text} NOT NULL
    """,
    "page_count": "status {text} NOT NULL PRIMARY KEY, pages BIGINT NOT NULL",
    "former_slug": "{identity}, slug {text} NOT NULL, page BIGINT NOT NULL",
    "preview_revocation": "page BIGINT PRIMARY KEY, times BIGINT NOT NULL",
    "feed": """
        {identity},
        form_id BIGINT NOT NULL,
        is_active {boolean} NOT NULL,
        feed_order BIGINT NOT NULL,
        addon_slug {text} NOT NULL,
        event_type {text},
        modified_utc {text} NOT NULL DEFAULT '',
        version BIGINT NOT NULL DEFAULT 1,
        meta {text} NOT NULL
    """,
    "event": """
        {identity},
        type {text} NOT NULL,
        resource_id BIGINT,
        created_utc {text} NOT NULL,
        data {text} NOT NULL
    """,
    "event_state": """
        name {text} PRIMARY KEY,
        number DOUBLE PRECISION NOT NULL,
        holder {text} NOT NULL
    """,
    "api_key": """
        {identity},
        name {text} NOT NULL,
        digest {text} NOT NULL UNIQUE,
        scopes {text} NOT NULL,
        author BIGINT NOT NULL,
        created {text} NOT NULL,
        expires {text}
    """,
    "kept_answer": """
        caller {text} NOT NULL,
        idempotency_key {text} NOT NULL,
        body_digest {text} NOT NULL,
        answer {text} NOT NULL,
        location {text} NOT NULL,
        created {text} NOT NULL,
        PRIMARY KEY (caller, idempotency_key)
    """,
    "failed_attempt": """
        address {text} NOT NULL,
        minute BIGINT NOT NULL,
        count BIGINT NOT NULL,
        PRIMARY KEY (address, minute)
    """,
    "site_secret": "name {text} PRIMARY KEY, secret {text} NOT NULL",  # nosec B105 - columns
    "resource_version": "name {text} PRIMARY KEY, version BIGINT NOT NULL",
    "store": "identity {text} PRIMARY KEY, generation {text} NOT NULL",
}
# A draft may have no slug yet; every other slug belongs to one page only.
UNIQUE_INDEXES = {
    "page_slug": "page (slug) WHERE slug <> ''",
    "former_slug_slug": "former_slug (slug)",
}
# The index of an order has the columns of all filters, so that no page has to be read for them.
FILTERED = "status, author, slug, form, date_utc, opens_local, opens_utc, closes_local, closes_utc"
# Texts of any length, for which an index of PostgreSQL has no room.
FILTERED_TEXTS = ", password, languages"
INDEXES = {
    "page_by_title": "page ({title_key}, id, date, modified, {filtered})",
    "page_by_modified": "page (modified, id, date, {filtered})",
    # SQLite counts in the last of the indexes that serve as well.
    "page_by_date": "page (date, id, modified, {filtered})",
    # With the status in it, SQLite prefers it to the others that begin with a date.
    "page_due": "page (status, date_utc) WHERE status = 'future'",
    # With the status in them, pages can be counted in the index alone.
    "page_opens_local": "page (opens_local, status) WHERE opens_local IS NOT NULL",
    "page_opens_utc": "page (opens_utc, status) WHERE opens_utc IS NOT NULL",
    "page_closes_local": "page (closes_local, status) WHERE closes_local IS NOT NULL",
    "page_closes_utc": "page (closes_utc, status) WHERE closes_utc IS NOT NULL",
    "former_slug_page": "former_slug (page, id)",
    # In the order of lists; the id at the end settles ties.
    "feed_by_form": "feed (form_id, feed_order, id)",
    "feed_by_order": "feed (feed_order, id)",
    "feed_by_addon": "feed ({addon_slug}, feed_order, id)",
    "kept_answer_by_age": "kept_answer (created)",
}


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables and indexes, what keeps derived tables true, and the rows of the store."""
    dialect = db.dialect
    filtered = FILTERED if db.on_server else FILTERED + FILTERED_TEXTS
    keys = {name: dialect.key.format(name) for name in ("title_key", "addon_slug")}
    for name, columns in TABLES.items():
        db.execute_sql(f"CREATE TABLE {name} ({columns.format(**dialect.types)})")
    for name, columns in UNIQUE_INDEXES.items():
        db.execute_sql(f"CREATE UNIQUE INDEX {name} ON {columns}")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns.format(filtered=filtered, **keys)}")
    dialect.create_search_index(db)
    dialect.create_counter(db)
    # A server has no file whose commits can be watched for changes of keys.
    for table in ("page", "feed", "api_key") if db.on_server else ("page", "feed"):
        dialect.create_version(db, table)
        ResourceVersion.insert(name=table, version=1).execute(db)
    values = {"identity": secrets.token_hex(16), "generation": secrets.token_hex(5)}
    StoreInfo.insert(values).execute(db)
