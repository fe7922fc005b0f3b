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

# What the options that all have are called in the environment.
VARIABLES = {"config": CONFIG, "database": f"{PREFIX}DATABASE_URL"}


class Landform(click.Group):
    """A group whose failures are a sentence, not a traceback."""

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


def _commands() -> dict[str, click.Command]:
    """Return each command of the modules, with the options that all have, by its name."""
    names = [f"{commands.__name__}.{one.name}" for one in iter_modules(commands.__path__)]
    members = [one for name in names for one in vars(import_module(name)).values()]
    found = [one for one in members if isinstance(one, click.Command)]
    groups = [one for one in found if isinstance(one, click.Group)]
    inner = [one for group in groups for one in group.commands.values()]
    for one in found:
        if one not in groups:
            # Two databases are copied, and given by their URLs.
            one.params += OPTIONS[:1] if one.name == "copy" else OPTIONS
    return {str(one.name): one for one in found if one not in inner}


main = Landform("landform", _commands(), help="Landing pages and form feeds over HTTP.")
main = click.version_option(package_name="landform", prog_name="landform")(main)

if __name__ == "__main__":
    main()
