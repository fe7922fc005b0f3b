"""The log of events, the webhooks that it is delivered to, and who delivers."""

from landform.storage.engines.database import EngineDatabase
from landform.storage.models import Event, EventState, Webhook


def up(migrator: object, db: EngineDatabase) -> None:
    """Create the tables."""
    for model in (Event, Webhook, EventState):
        db.dialect.create_table(db, model)
