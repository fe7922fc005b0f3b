"""The `landform` command: those of `standalone/commands/`, and the options that all have."""

import os
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click

from landform.standalone import commands
from landform.standalone.commands._tools import FLAGS
from landform.standalone.settings import CONFIG, IN_MEMORY, PREFIX, SettingError
from landform.storage import StorageError
from landform.storage.atomic_file import LOGS

# The modules that hold several commands; any other holds the one of its name.
SHARED = {
    "database": "backup copy migrate restore routes secret vacuum verify",
    "events": "deliver events",
    "transfer": "export import",
}
# Each command, by its module, which is imported when it is asked for.
MODULES = {
    name.replace("_", "-"): module.name
    for module in iter_modules(commands.__path__) if not module.name.startswith("_")
    for name in SHARED.get(module.name, module.name).split()
}  # fmt: skip
# What the options that all have are called in the environment.
VARIABLES = {"config": CONFIG, "database": f"{PREFIX}DATABASE_URL"}


class Landform(click.Group):
    """A group whose failures are a sentence, not a traceback."""

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        """Return the names of the commands."""
        return sorted(MODULES)

    def get_command(self, ctx: click.Context | None, name: str) -> click.Command | None:
        """Return a command, with the options that all have."""
        if name not in MODULES:
            return None
        members = vars(import_module(f"{commands.__name__}.{MODULES[name]}")).values()
        found = [one for one in members if isinstance(one, click.Command)]
        command = next(one for one in found if one.name == name)
        # Two databases are copied, and given by their URLs.
        options = OPTIONS[:1] if name == "copy" else OPTIONS
        for one in command.commands.values() if isinstance(command, click.Group) else [command]:
            one.params += [option for option in options if option not in one.params]
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        before = dict(os.environ)
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error
        finally:
            os.environ.clear()
            os.environ.update(before)


def _set_variable(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    """Set a variable of the environment for the command, and for what it starts."""
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
    ctx.meta.setdefault(FLAGS, []).append(name)


OPTIONS = [
    click.Option(
        [name], type=kind, expose_value=False, is_eager=True, callback=_set_variable, help=text
    )
    for name, kind, text in (
        ("--config", click.Path(dir_okay=False), "The settings file, instead of LANDFORM_CONFIG."),
        ("--database", str, "A file, or a URL as in LANDFORM_DATABASE_URL, which it replaces."),
    )
]
main = Landform("landform", help="Landing pages and form feeds over HTTP.")
main = click.version_option(package_name="landform", prog_name="landform")(main)

if __name__ == "__main__":
    main()
