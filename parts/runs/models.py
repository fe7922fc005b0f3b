"""The table of runs."""

from peewee import AutoField, BigIntegerField, BooleanField, TextField

from landform.storage.models import Table


class FeedRun(Table):
    """A run of a feed for an entry, of which only the caller's id is stored.

    `due_utc`: from when on it may be claimed, which is the end of a lease or of the wait after a
    failure; None where it is done. `attempt` counts the claims. `queued`: whether the service
    itself carries it out, for an entry of its own (`parts/run_queue.py`).
    """

    id = AutoField()
    feed_id = BigIntegerField()
    form_id = BigIntegerField()
    entry_id = TextField()
    state = TextField()
    attempt = BigIntegerField(default=1)
    due_utc = TextField(null=True)
    code = TextField(default="")
    message = TextField(default="")
    retryable = BooleanField(default=False)
    created_utc = TextField()
    modified_utc = TextField()
    version = BigIntegerField(default=1)
    queued = BooleanField(default=False)
