"""The tables, as Peewee models.

They are bound to no database, since a process may have several open: each query names the one that
it runs on (`query.execute(database)`). Dates are text, see `clock.py`.

Beside its columns each table declares how it is exported, copied, compared and versioned.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, get_args, get_origin

from peewee import (
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    DoubleField,
    Model,
    SmallIntegerField,
    TextField,
)

from landform.parts import all_parts


class Table(Model):
    """A table of landform, named as its class, with the columns that need special treatment.

    - `exported_by`: an export has the rows; these columns together are the key of a row for
      `landform import --by slug`.
    - `copied`: a copy of the store has the rows.
    - `versioned`: responses with rows are cached, so each write increments a counter in
      `resource_version`; `versioned_on_server`: only on a database server.
    - `json_columns`: the type of the JSON in columns; `never_empty`: those whose list has at least
      one item.
    - `computed`: columns that follow from others; `rendered`: HTML, which is exported but not
      compared; `unannounced`: columns whose changes events do not name.
    - `derived`: all rows follow from other tables.
    """

    exported_by: ClassVar[tuple[str, ...]] = ()
    copied: ClassVar = True
    versioned: ClassVar = False
    versioned_on_server: ClassVar = False
    json_columns: ClassVar[dict[str, type]] = {}
    never_empty: ClassVar[tuple[str, ...]] = ()
    computed: ClassVar[tuple[str, ...]] = ()
    rendered: ClassVar[tuple[str, ...]] = ()
    unannounced: ClassVar[tuple[str, ...]] = ()
    derived: ClassVar = False

    class Meta:
        legacy_table_names = False

    @classmethod
    def content_columns(cls) -> tuple[str, ...]:
        """Return the columns that imports compare, and that copies of a row have.

        A new column of the model is one of them, unless it is named as `computed` or `rendered`.
        """
        excluded = {"id", "version", "modified_utc", *cls.computed, *cls.rendered}
        return tuple(name for name in cls._meta.fields if name not in excluded)

    @classmethod
    def json_names(cls) -> list[str]:
        """Return the columns that hold JSON."""
        return list(cls.json_columns)

    @classmethod
    def damaged_json(cls, row: Mapping[str, Any]) -> list[str]:
        """Return the columns of a row among `json_columns` whose text is not JSON of their type."""
        return [
            name
            for name, kind in cls.json_columns.items()
            if name in row
            and not _is_json(row[name], kind, may_be_empty=name not in cls.never_empty)
        ]

    @classmethod
    def computed_values(cls, row: dict[str, Any]) -> dict[str, Any]:
        """Return the right values of the `computed` columns of a row; only for tables of parts."""
        return {}

    @classmethod
    def read_details(cls, db: Any, row_id: int) -> dict[str, Any]:
        """Return the values from other tables that belong to a row in an export, by name."""
        return {}


def _is_json(text: str, kind: Any, *, may_be_empty: bool) -> bool:
    """Return whether a text is JSON of a type, such as `list[int]`."""
    try:
        # No integer is written as NaN or Infinity.
        value = json.loads(text, parse_constant=int)
    except (ValueError, TypeError, RecursionError):
        return False
    items = [get_origin(item) or item for item in get_args(kind)]
    is_right = isinstance(value, get_origin(kind) or kind) and (may_be_empty or bool(value))
    return is_right and all(isinstance(item, items[0]) for item in value if items)


class Page(Table):
    """A landing page. `title_key`: the title without case and accents, for ordering.

    `form` and `languages` are keys from the meta that lists filter by, see `search.py`.
    """

    exported_by = ("slug",)
    versioned = True
    json_columns = {"meta": dict}
    window = ("opens_local", "opens_utc", "closes_local", "closes_utc")
    computed = ("title_key", "form", "languages", *window)
    rendered = ("title_rendered", "block_version", "content_rendered")
    unannounced = ("date_utc", "date_floats", "modified", "slug_before_trash")

    id = AutoField()
    status = TextField()
    date = TextField()
    date_utc = TextField()
    # The date of a draft without one is that of its last update, until it is published.
    date_floats = BooleanField(default=False)
    modified = TextField()
    modified_utc = TextField(default="")
    version = BigIntegerField(default=1)
    author = BigIntegerField()
    slug = TextField()
    slug_before_trash = TextField(default="")
    password = TextField(default="")
    meta = TextField(default="{}")
    title_key = TextField()
    title_raw = TextField()
    title_rendered = TextField()
    block_version = SmallIntegerField(default=0)
    content_rendered = TextField(default="")
    content_raw = TextField(default="")
    form = TextField(default="")
    languages = TextField(default="")
    # The window, from `starts_at` and `ends_at` of the meta, see `pages/scheduling.py`.
    opens_local = TextField(null=True)
    opens_utc = TextField(null=True)
    closes_local = TextField(null=True)
    closes_utc = TextField(null=True)


class PageText(Table):
    """The text that is searched: a page's title and content, folded (see `search.py`)."""

    derived = True

    id = AutoField()
    title = TextField()
    content = TextField()


class Feed(Table):
    """The connection of a form to an integration. `meta` is JSON text with its values' types."""

    exported_by = ("form_id", "addon_slug", "feed_order", "meta")
    versioned = True
    json_columns = {"meta": dict}

    id = AutoField()
    form_id = BigIntegerField()
    is_active = BooleanField(default=True)
    feed_order = BigIntegerField(default=0)
    addon_slug = TextField()
    event_type = TextField(null=True)
    modified_utc = TextField(default="")
    version = BigIntegerField(default=1)
    meta = TextField()


class ApiKey(Table):
    """An API key: its scopes, and the SHA-256 of its secret. Times are UTC text."""

    versioned_on_server = True

    id = AutoField()
    name = TextField()
    digest = TextField(unique=True)
    scopes = TextField()
    author = BigIntegerField()
    created = TextField()
    expires = TextField(null=True)


class IdempotencyRecord(Table):
    """The response to a create, which is repeated for the same idempotency key."""

    json_columns = {"answer": dict}

    caller = TextField()
    idempotency_key = TextField()
    body_digest = TextField()
    answer = TextField()
    location = TextField()
    created = TextField()

    class Meta:
        table_name = "kept_answer"
        primary_key = CompositeKey("caller", "idempotency_key")


class FailedAttempt(Table):
    """The number of wrong credentials from an IP address in a minute (since 1970)."""

    copied = False

    address = TextField()
    minute = BigIntegerField()
    count = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("address", "minute")


class SiteSecret(Table):
    """The secret that cookies and previews of the site are signed with; one row at most."""

    name = TextField(primary_key=True)
    secret = TextField()


class PreviewRevocation(Table):
    """The number of times that the previews of a page were revoked; no row for none."""

    page = BigIntegerField(primary_key=True)
    times = BigIntegerField()


class PreviewLink(Table):
    """A preview of a page that was made, and when it ends in Unix seconds."""

    page = BigIntegerField()
    expires = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("page", "expires")


class ResourceVersion(Table):
    """The counter of a table, which triggers increment with every write."""

    copied = False

    name = TextField(primary_key=True)
    version = BigIntegerField()


class StoreInfo(Table):
    """The identity and the generation of the store, in one row; see `sql.py`."""

    copied = False

    identity = TextField(primary_key=True)
    generation = TextField()

    class Meta:
        table_name = "store"


class PageCount(Table):
    """The number of pages with a status, which triggers update; see the dialects."""

    copied = False
    derived = True

    status = TextField(primary_key=True)
    pages = BigIntegerField()


class Event(Table):
    """An event of a page, a feed, a run or the store. `data` is JSON, see `events.py`."""

    json_columns = {"data": dict}

    id = AutoField()
    type = TextField()
    resource_id = BigIntegerField(null=True)
    created_utc = TextField()
    data = TextField()


class EventState(Table):
    """A number that belongs to the log of events, by its name.

    `expired`: the last event that was deleted. `retention`: a time (see `expiry.py`), and as its
    `holder` the time when it was moved. A lease: until when the process that is its `holder` has
    it. Times are in seconds since 1970.
    """

    name = TextField(primary_key=True)
    number = DoubleField()
    holder = TextField(default="")


class FormerSlug(Table):
    """A slug that a published page had, and that no page has now; see `pages/slugs.py`."""

    id = AutoField()
    slug = TextField()
    page = BigIntegerField()


# The tables of the core.
TABLES: tuple[type[Table], ...] = tuple(Table.__subclasses__())


@cache
def all_tables() -> tuple[type[Table], ...]:
    """Return the tables of the core and of every part, in the order in which a copy fills them."""
    return (*TABLES, *(table for part in all_parts().values() for table in part.tables))


@cache
def exported_tables() -> dict[str, type[Table]]:
    """Return the tables that an export may have, by name."""
    return {model._meta.table_name: model for model in all_tables() if model.exported_by}


@cache
def part_exports() -> dict[str, Any]:
    """Return the `Exported` (`parts/part.py`) of the tables of parts that exports have, by name."""
    return {name: table for part in all_parts().values() for name, table in part.exports().items()}


@cache
def numbered_tables() -> dict[str, type[Table]]:
    """Return the tables whose ids the database gives out, none of them twice, by name."""
    return {
        model._meta.table_name: model
        for model in all_tables()
        if isinstance(model._meta.primary_key, AutoField) and not model.derived
    }
