"""The commands that need only a database: of `landform`, and of `flask landform` in a host."""

from landform.standalone.commands.database import backup, copy, migrate, restore, secret, vacuum
from landform.standalone.commands.database import verify_database as verify
from landform.standalone.commands.deliver import deliver
from landform.standalone.commands.key import key
from landform.standalone.commands.transfer import export, import_

COMMANDS = (backup, copy, deliver, export, import_, key, migrate, restore, secret, vacuum, verify)
