"""The commands that need only a database: of `landform`, and of `flask landform` in a host."""

from landform.service.commands.database import backup, copy, migrate, restore, secret, vacuum
from landform.service.commands.database import verify_database as verify
from landform.service.commands.diff import diff
from landform.service.commands.events import deliver, events
from landform.service.commands.key import key
from landform.service.commands.plan import plan
from landform.service.commands.tools import Commands
from landform.service.commands.transfer import export, import_

__all__ = ["COMMANDS", "Commands"]

COMMANDS = (
    *(backup, copy, deliver, diff, events, export, import_, key, migrate, plan, restore, secret),
    *(vacuum, verify),
)
