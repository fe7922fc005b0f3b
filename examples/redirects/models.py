"""The table of redirects."""

from peewee import AutoField, TextField

from landform.storage.models import Table


class Redirect(Table):
    """A path, and the URL or path that it leads to."""

    id = AutoField()
    path = TextField(unique=True)
    target = TextField()
    created_utc = TextField()
