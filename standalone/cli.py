"""The `landform` command: the commands of the core and of parts, and the options that all have."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import click

from landform import parts
from landform.standalone import commands
from landform.standalone.commands._tools import FLAGS, landform
from landform.standalone.settings import CONFIG, IN_MEMORY, PREFIX
from landform.storage.atomic_file import LOGS

# What the options that all have are called in the environment.
VARIABLES = {"config": CONFIG, "database": f"{PREFIX}DATABASE_URL"}


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
main = click.version_option(package_name="landform", prog_name="landform")(landform)
for module in iter_modules(commands.__path__, f"{commands.__name__}."):
    import_module(module.name)
for part in parts.all_parts():
    if find_spec(f"{parts.__name__}.{part}.commands"):
        import_module(f"{parts.__name__}.{part}.commands")
for name, command in main.commands.items():
    for one in command.commands.values() if isinstance(command, click.Group) else [command]:
        # Two databases are copied, and given by their URLs.
        one.params += OPTIONS[:1] if name == "copy" else OPTIONS

if __name__ == "__main__":
    main()
