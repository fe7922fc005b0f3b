"""The `landform` command: those of `standalone/commands/`, and the options that all have."""

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import cast

import click

from landform.standalone import commands
from landform.standalone.commands._tools import FLAGS
from landform.standalone.settings import IN_MEMORY, SettingError
from landform.standalone.sources import CONFIG, PREFIX
from landform.storage import StorageError
from landform.storage.atomic_file import LOGS

MEMORY = IN_MEMORY.removeprefix("sqlite:///")
# Each is given the URLs of two databases instead.
WITHOUT_DATABASE = ("copy",)


class Commands(Mapping[str, click.Command]):
    """Every command by its name; its module is imported when it is asked for."""

    def __init__(self) -> None:
        found = [module.name for module in iter_modules(commands.__path__)]
        commands_ = [name for name in found if not name.startswith("_")]
        self._modules = {name.rstrip("_").replace("_", "-"): name for name in commands_}

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"{commands.__name__}.{self._modules[name]}")
        command = cast(click.Command, module.command)
        _add_options(command, [CONFIG_OPTION] if name in WITHOUT_DATABASE else OPTIONS)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Landform(click.Group):
    """A group whose failures are a sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error


def _add_options(command: click.Command, options: list[click.Option]) -> None:
    """Give a command, or each command of a group, the options that it has not."""
    if isinstance(command, click.Group):
        for one in command.commands.values():
            _add_options(one, options)
        return
    names = {parameter.name for parameter in command.params}
    command.params += [one for one in options if one.name not in names]


def _use_database(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        if value.endswith(LOGS):
            raise click.BadParameter(f"{value} is named as what lies beside a database.")
        url = value if "://" in value else f"sqlite:///{_path(value)}"
        _set_variable(ctx, f"{PREFIX}DATABASE_URL", url)


def _path(value: str) -> str:
    """Return the absolute path of a file; what stands for memory is none."""
    return value if value == MEMORY else str(Path(value).absolute())


def _use_file(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        _set_variable(ctx, CONFIG, str(Path(value).absolute()))


def _set_variable(ctx: click.Context, name: str, value: str) -> None:
    """Set a variable of the environment for the command, and for what it starts."""
    before = os.environ.get(name)
    os.environ[name] = value
    ctx.meta.setdefault(FLAGS, []).append(name)

    def restore() -> None:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before

    # The context of the command itself is not closed where an argument is wrong.
    ctx.find_root().call_on_close(restore)


CONFIG_OPTION = click.Option(
    ["--config"],
    type=click.Path(dir_okay=False),
    expose_value=False,
    is_eager=True,
    callback=_use_file,
    help="The settings file, instead of LANDFORM_CONFIG.",
)
OPTIONS = [
    CONFIG_OPTION,
    click.Option(
        ["--database"],
        expose_value=False,
        is_eager=True,
        callback=_use_database,
        help="A file, or a URL as in LANDFORM_DATABASE_URL, which it replaces.",
    ),
]
main = Landform(
    "landform",
    # click only ever looks commands up.
    commands=cast(dict[str, click.Command], Commands()),
    help="Landing pages and form feeds over HTTP.",
)
main = click.version_option(package_name="landform", prog_name="landform")(main)

if __name__ == "__main__":
    main()
