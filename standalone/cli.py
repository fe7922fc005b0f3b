"""The `landform` command: all commands, with their common options."""

import os
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import click

from landform.app import create_app
from landform.parts import all_parts, modules_of
from landform.service.cli import Commands
from landform.service.options import IN_MEMORY
from landform.service.pipeline.call import Service
from landform.standalone.commands import COMMANDS
from landform.standalone.commands.service import SET_BY_OPTIONS, list_settings, routes, serve
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import CONFIG, PREFIX, SettingError, read_settings
from landform.storage.atomic_file import LOGS

# The environment variables of the common options.
VARIABLES = {"config": CONFIG, "database": f"{PREFIX}DATABASE_URL"}


class StandaloneCommands(Commands):
    """The commands of the standalone service, with its settings as options."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; changes of the environment end with it."""
        before = dict(os.environ)
        try:
            return super().invoke(ctx)
        except SettingError as error:
            raise click.ClickException(str(error)) from error
        finally:
            os.environ.clear()
            os.environ.update(before)

    def settings_file(self) -> Path:
        """Return the settings file."""
        return Path(os.environ.get(CONFIG) or os.devnull)


def _read_options() -> Any:
    """Return the settings, after logging is set up with them."""
    settings = read_settings()
    set_up_logging(settings)
    return settings


def _open_service() -> Service:
    blueprint: Any = create_app().blueprints["landform"]
    service: Service = blueprint.service
    return service


def _set_variable(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    """Set an environment variable for the command and its child processes."""
    if not value:
        return
    name = VARIABLES[str(option.name)]
    if name == CONFIG:
        value = str(Path(value).absolute())
    elif value.endswith(LOGS):
        raise click.BadParameter(f"{value} is named as what lies beside a database.")
    elif "://" not in value:
        url = f"sqlite:///{value}"
        value = url if url == IN_MEMORY else f"sqlite:///{Path(value).absolute()}"
    os.environ[name] = value
    ctx.meta.setdefault(SET_BY_OPTIONS, []).append(name)


OPTIONS = [
    click.Option(
        [name], type=kind, expose_value=False, is_eager=True, callback=_set_variable, help=text
    )
    for name, kind, text in (
        ("--config", click.Path(dir_okay=False), "The settings file, instead of LANDFORM_CONFIG."),
        ("--database", str, "A file, or a URL as in LANDFORM_DATABASE_URL, which it replaces."),
    )
]


def _all_commands() -> Iterator[click.Command]:
    """Yield all commands, also those of parts, with the common options."""
    commands = [*COMMANDS, list_settings, routes, serve]
    for module in modules_of(all_parts().values(), "commands"):
        commands += module.COMMANDS
    return map(_with_options, commands)


def _with_options(command: click.Command) -> click.Command:
    """Return a copy of a command with the common options. Hosts use the original."""
    command = copy(command)
    if isinstance(command, click.Group):
        command.commands = {name: _with_options(inner) for name, inner in command.commands.items()}
    else:
        # Its arguments name both databases.
        options = OPTIONS[:1] if command.name == "copy" else OPTIONS
        command.params = [*command.params, *options]
    return command


main = StandaloneCommands(_all_commands, _read_options, _open_service)
main.help = "Landing pages and form feeds over HTTP."
main = click.version_option(package_name="landform", prog_name="landform")(main)
