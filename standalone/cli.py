"""The `landform` command: those of `standalone/commands/`, and three of Flask's own."""

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

import click

from landform.standalone import commands
from landform.standalone.settings import SettingError
from landform.storage import StorageError

if TYPE_CHECKING:
    from flask import Flask

FLASKS_OWN = ("routes", "run", "shell")


class Commands(Mapping[str, click.Command]):
    """Every command by its name; its module is imported when it is asked for."""

    def __init__(self) -> None:
        found = [module.name for module in iter_modules(commands.__path__)]
        commands_ = [name for name in found if not name.startswith("_")]
        self._modules = {name.rstrip("_").replace("_", "-"): name for name in commands_}

    def __getitem__(self, name: str) -> click.Command:
        if name in FLASKS_OWN:
            return _flask_command(name)
        module = import_module(f"{commands.__name__}.{self._modules[name]}")
        return cast(click.Command, module.command)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *FLASKS_OWN))

    def __len__(self) -> int:
        return len(self._modules) + len(FLASKS_OWN)


class Landform(click.Group):
    """A group whose failures are a sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error


def _flask_command(name: str) -> click.Command:
    """Return a command of Flask's, which gets the application as from its own `flask`."""
    from flask import cli  # noqa: PLC0415

    context = click.get_current_context(silent=True)
    if context:
        os.environ["FLASK_RUN_FROM_CLI"] = "true"
        context.obj = cli.ScriptInfo(create_app=_make_application, set_debug_flag=False)
    return cast(click.Command, getattr(cli, f"{name}_command"))


def _make_application() -> "Flask":
    """Return the application for a command of Flask's, of which only `run` creates a database."""
    from landform.app import create_app  # noqa: PLC0415
    from landform.standalone.commands._tools import open_store  # noqa: PLC0415

    if click.get_current_context().info_name != "run":
        open_store().check()
    return create_app()


main = Landform(
    "landform",
    # click only ever looks commands up.
    commands=cast(dict[str, click.Command], Commands()),
    help="Landing pages and form feeds over HTTP.",
)
main = click.version_option(package_name="landform", prog_name="landform")(main)

if __name__ == "__main__":
    main()
