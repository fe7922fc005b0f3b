"""The table of webhooks."""

from peewee import AutoField, BigIntegerField, BooleanField, DoubleField, TextField

from landform.storage.models import Table


class Webhook(Table):
    """A receiver of events; `cursor` is the last event that it has received.

    `types`, `set_aside`, `resend` and `deliveries` are JSON lists: the patterns of types, the ids
    of events that it refused and of those to be sent again, and the last attempts. Times are
    seconds since 1970.
    """

    json_columns = {
        "types": list[str],
        "set_aside": list[int],
        "resend": list[int],
        "deliveries": list[dict[str, object]],
    }
    never_empty = ("types",)

    id = AutoField()
    url = TextField()
    types = TextField()
    description = TextField(default="")
    active = BooleanField(default=True)
    reason = TextField(default="")
    secret = TextField()
    previous_secret = TextField(default="")
    previous_until = DoubleField(default=0)
    cursor = BigIntegerField()
    failures = BigIntegerField(default=0)
    next_try = DoubleField(default=0)
    delivered = BigIntegerField(default=0)
    failed = BigIntegerField(default=0)
    set_aside = TextField(default="[]")
    resend = TextField(default="[]")
    deliveries = TextField(default="[]")
    created_utc = TextField()
