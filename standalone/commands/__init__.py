"""The commands that need only a database: of `landform`, and of `flask landform` in a host."""

from landform.standalone.commands.database import backup, copy, migrate, restore, secret, vacuum
from landform.standalone.commands.database import verify_database as verify
from landform.standalone.commands.diff import diff
from landform.standalone.commands.events import deliver, events
from landform.standalone.commands.key import key
from landform.standalone.commands.plan import plan
from landform.standalone.commands.transfer import export, import_

COMMANDS = (
    backup,
    copy,
    deliver,
    diff,
    events,
    export,
    import_,
    key,
    migrate,
    plan,
    restore,
    secret,
    vacuum,
    verify,
)
