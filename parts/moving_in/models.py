"""Tables of the imports from other sites."""

from peewee import BigIntegerField, CompositeKey, TextField

from landform.storage.models import Table


class ImportOrigin(Table):
    """A page or feed of another site, and the row here that it became; see `origins.py`.

    `source` is the other site, `source_id` the id there, `target_id` the id here (0: none).
    `digest` is that of the row as it was there, `stored` that of the row as it was written here;
    `slug` and `link` are those it has there. `run` is the import that saw it last, with what
    outcome, and `notes` what is to be said about it, as JSON.
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
    """How far the last import from another site is: `state` is JSON."""

    json_columns = {"state": dict}

    source = TextField(primary_key=True)
    run = BigIntegerField()
    state = TextField()
