"""The table of revisions."""

from peewee import AutoField, BigIntegerField, SmallIntegerField, TextField

from landform.storage.models import Table


class PageRevision(Table):
    """The state of a page before a write.

    `author` and `modified`: the writer and the time of that state; `replaced_by` and
    `replaced_utc`: those of the write that replaced it; `changed`: a JSON list of the names of the
    fields that this changed.
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
