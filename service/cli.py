"""The group of commands: `landform`, and `flask landform` in a host."""

import os
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

import click
from flask.cli import AppGroup

from landform.service.options import Options
from landform.service.pipeline.call import Service
from landform.storage import StorageError

# The key of the group in a context.
GROUP = "landform.group"


class Commands(AppGroup):
    """A group of commands for one database, whose failures are a sentence, not a traceback.

    `load` returns the commands, `options` the options of the service, and `service` opens it.
    """

    def __init__(
        self,
        load: Callable[[], Iterable[click.Command]],
        options: Callable[[], Options],
        service: Callable[[], Service],
    ) -> None:
        super().__init__("landform", help="Look after the database of landform.")
        self._load, self.options, self.service = load, options, service
        # Click has set an empty one.
        del self.commands

    @cached_property
    def commands(self) -> dict[str, click.Command]:  # type: ignore[override]
        """The commands by their names, loaded when they are first needed."""
        return {str(command.name): command for command in self._load()}

    def settings_file(self) -> Path:
        """Return the file that the options are from, which no command may write."""
        return Path(os.devnull)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; its message ends it if the storage or a file cannot be used."""
        ctx.meta[GROUP] = self
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Click ends the command.
            raise
        except UnicodeEncodeError as error:
            raise click.ClickException("A text of the command is not valid UTF-8.") from error
        except (StorageError, OSError) as error:
            raise click.ClickException(str(error)) from error


def current_group() -> Commands:
    """Return the group of the command that runs."""
    group: Commands = click.get_current_context().meta[GROUP]
    return group
