"""Tables of the imports from other sites."""

from peewee import BigIntegerField, CompositeKey, TextField

from landform.storage.models import Table


class ImportOrigin(Table):
    """The origin of a page or feed on another site.

    `source` is the other site, `source_id` the id there, `target_id` the id here, or 0. `digest` is
    that of the row there, `stored` that of the row here. `slug` and `link` are those of the site.
    `run` is the last import that has read the row, `outcome` its result, `notes` JSON.
    """

    json_columns = {"notes": list[dict[str, object]]}

    source = TextField()
    resource = TextField()
    source_id = BigIntegerField()
    target_id = BigIntegerField()
    digest = TextField()
    stored = TextField()
    slug = TextField()
    link = TextField()
    run = BigIntegerField()
    outcome = TextField()
    notes = TextField()

    class Meta:
        primary_key = CompositeKey("source", "resource", "source_id")


class ImportRun(Table):
    """The last import from another site; `state` is JSON."""

    json_columns = {"state": dict}

    source = TextField(primary_key=True)
    run = BigIntegerField()
    state = TextField()
