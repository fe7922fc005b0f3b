"""The tables, as Peewee models.

They are bound to no database: two databases may be open in one process, so each query names
the one that it runs on (`query.execute(database)`). Dates are text, see `clock.py`.

What the rest of the product has to know of a table stands beside its columns.
"""

from typing import ClassVar

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


class Table(Model):
    """A table of landform's own, named as its class, and how it is exported, copied and versioned.

    `exported_by`: an export holds the rows, and these columns together are the key of a row for
    `landform import --by slug`. `copied`: a copy of the store takes the rows over. `versioned`:
    lists are cached, so each write increments a counter in `resource_version`;
    `versioned_on_server`: only where there is no file whose commits can be watched.
    `json_columns`: the type of the JSON in columns of tables that are not exported;
    `never_empty`: those whose list has at least one item.
    `computed`: columns that follow from others. `rendered`: HTML, which is exported but not
    compared. `derived`: all of it follows from other tables, and is compared with them.
    `unannounced`: columns whose changes events do not name.
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
        """Return the columns that make a row what it is: imports compare them, copies have them.

        A column that is added to the model is one of them, unless it is named as `computed` or
        `rendered`.
        """
        others = {"id", "version", "modified_utc", *cls.computed, *cls.rendered}
        return tuple(name for name in cls._meta.fields if name not in others)

    @classmethod
    def announced_columns(cls) -> tuple[str, ...]:
        """Return the columns whose changes events name."""
        return tuple(name for name in cls.content_columns() if name not in cls.unannounced)


class Page(Table):
    """A landing page. `title_key` is the title folded for ordering without regard to case.

    `form` and `languages` are what lists find of the meta, see `search.py`.
    """

    exported_by = ("slug",)
    versioned = True
    computed = (
        "title_key",
        "form",
        "languages",
        "opens_local",
        "opens_utc",
        "closes_local",
        "closes_utc",
    )
    rendered = ("title_rendered", "block_version", "content_rendered")
    unannounced = ("date_utc", "date_floats", "modified", "slug_before_trash")

    id = AutoField()
    status = TextField()
    date = TextField()
    date_utc = TextField()
    # A draft that was never given a date moves with each update until it is published.
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
    # What `starts_at` and `ends_at` of the meta mean, see `pages/scheduling.py`.
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
    """The response to a create, for whoever repeats it with the same idempotency key."""

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
    """How many wrong credentials came from an IP address in a minute (since 1970)."""

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
    """How often the previews of a page were revoked; no row where they never were."""

    page = BigIntegerField(primary_key=True)
    times = BigIntegerField()


class ResourceVersion(Table):
    """A counter for a table: triggers increment it with every write, lists depend on it."""

    copied = False

    name = TextField(primary_key=True)
    version = BigIntegerField()


class StoreInfo(Table):
    """The one row that says which store this is, see `sql.py`."""

    copied = False

    identity = TextField(primary_key=True)
    generation = TextField()

    class Meta:
        table_name = "store"


class PageCount(Table):
    """How many pages of a status there are. Triggers keep it true, see the dialects."""

    copied = False
    derived = True

    status = TextField(primary_key=True)
    pages = BigIntegerField()


class Event(Table):
    """What happened to a page, a feed, a run or the store. `data` is JSON, see `events.py`."""

    json_columns = {"data": dict}

    id = AutoField()
    type = TextField()
    resource_id = BigIntegerField(null=True)
    created_utc = TextField()
    data = TextField()


class EventState(Table):
    """A number that belongs to the log of events, by its name.

    `expired`: the last event that was deleted. A lease: until when (seconds since 1970) the process
    that is its `holder` has it.
    """

    name = TextField(primary_key=True)
    number = DoubleField()
    holder = TextField(default="")


class PageRevision(Table):
    """What a page was before a write, see `pages/revisions.py`.

    `author` and `modified`: who wrote that, and when; `changed`: a JSON list of the names of the
    fields that the write changed, `replaced_by` and `replaced_utc`: by whom, and when.
    """

    json_columns = {"meta": dict, "changed": list[str]}

    id = AutoField()
    page = BigIntegerField()
    author = BigIntegerField()
    modified = TextField()
    modified_utc = TextField()
    status = TextField()
    slug = TextField()
    title_raw = TextField()
    title_rendered = TextField()
    block_version = SmallIntegerField()
    content_raw = TextField()
    content_rendered = TextField()
    meta = TextField()
    changed = TextField()
    replaced_by = BigIntegerField()
    replaced_utc = TextField()


class FormerSlug(Table):
    """A slug that a published page had and no page has now, see `pages/slugs.py`."""

    id = AutoField()
    slug = TextField()
    page = BigIntegerField()


# The tables of the core; storage/part.py has those of the parts too.
TABLES: tuple[type[Table], ...] = tuple(Table.__subclasses__())
