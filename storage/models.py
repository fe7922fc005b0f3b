"""The tables, as Peewee models.

They are bound to no database: two databases may be open in one process, so each query names
the one that it runs on (`query.execute(database)`). Dates are text, see `clock.py`.
"""

from peewee import (
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    Model,
    SmallIntegerField,
    TextField,
)


class Page(Model):
    """A landing page. `title_key` is the title folded for ordering without regard to case."""

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

    class Meta:
        table_name = "page"


class PageText(Model):
    """What search looks through: a page's title and content, folded (see `search.py`)."""

    id = AutoField()
    title = TextField()
    content = TextField()

    class Meta:
        table_name = "page_text"


class Feed(Model):
    """What ties a form to an integration. `meta` is JSON text, its values' types kept."""

    id = AutoField()
    form_id = BigIntegerField()
    is_active = BooleanField(default=True)
    feed_order = BigIntegerField(default=0)
    addon_slug = TextField()
    event_type = TextField(null=True)
    modified_utc = TextField(default="")
    version = BigIntegerField(default=1)
    meta = TextField()

    class Meta:
        table_name = "feed"


class ApiKey(Model):
    """A key: what it may do, and the SHA-256 of its secret. Times are UTC text."""

    id = AutoField()
    name = TextField()
    digest = TextField()
    scopes = TextField()
    author = BigIntegerField()
    created = TextField()
    expires = TextField(null=True)

    class Meta:
        table_name = "api_key"


class IdempotencyRecord(Model):
    """The answer of a create, kept for whoever repeats it with the same idempotency key."""

    caller = TextField()
    idempotency_key = TextField()
    body_digest = TextField()
    answer = TextField()
    location = TextField()
    created = TextField()

    class Meta:
        table_name = "kept_answer"
        primary_key = CompositeKey("caller", "idempotency_key")


class FailedAttempt(Model):
    """How many wrong credentials came from an address in a minute (since 1970)."""

    address = TextField()
    minute = BigIntegerField()
    count = BigIntegerField()

    class Meta:
        table_name = "failed_attempt"
        primary_key = CompositeKey("address", "minute")


# The row among the counters that says that a copy was begun and is not finished.
COPY_IN_PROGRESS = "unfinished copy"


class ResourceVersion(Model):
    """A counter that triggers turn on with every write to a table; lists hang on it."""

    name = TextField(primary_key=True)
    version = BigIntegerField()

    class Meta:
        table_name = "resource_version"


class StoreInfo(Model):
    """The one row that says which store this is, see `identity.py`."""

    identity = TextField(primary_key=True)
    generation = TextField()

    class Meta:
        table_name = "store"


class PageCount(Model):
    """How many pages of a status there are, in all and with one value of something `counted`.

    Triggers keep it true, see `engines/`: `status` (value is empty), `author`, and the days of
    `date` and `modified`.
    """

    counted = TextField()
    status = TextField()
    value = TextField()
    pages = BigIntegerField()

    class Meta:
        table_name = "page_count"
        primary_key = CompositeKey("counted", "status", "value")
