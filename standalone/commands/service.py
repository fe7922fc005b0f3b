"""The commands of the service as a whole: `landform serve`, `routes` and `settings`."""

import json
import os
import re
from pathlib import Path

import click
from gunicorn.app.wsgiapp import WSGIApplication

from landform.app import create_app
from landform.standalone import settings
from landform.standalone.commands.tools import open_store

CONFIGURATION = Path(__file__).parents[2] / "gunicorn.conf.py"
# The key of the variables that options have set, in a context.
SET_BY_OPTIONS = "landform.flags"
# A link of docs/settings.md.
LINK = re.compile(r"\[(.*?)\]\(.*?\)")


class Gunicorn(WSGIApplication):  # type: ignore[misc]
    """gunicorn with landform's configuration, which a reload reads again."""

    def __init__(self, bind: str) -> None:
        self.bind, self.app_uri = bind, "landform.wsgi:app"
        super().__init__()

    def load_config(self) -> None:
        """Read the configuration."""
        self.load_config_from_file(str(CONFIGURATION))
        self.cfg.set("bind", self.bind)


@click.command("serve")
@click.option("--bind", default="127.0.0.1:8000", show_default=True, help="Address and port.")
@click.option("--workers", type=click.IntRange(1), help="Processes; default: from the cores.")
def serve(bind: str, workers: int | None) -> None:
    """Serve with gunicorn, as landform configures it."""
    settings.read_settings()
    if workers:
        os.environ[f"{settings.PREFIX}WORKERS"] = str(workers)
    try:
        Gunicorn(bind).run()
    except (OSError, ValueError) as error:
        raise click.ClickException(f"--bind {bind}: {error}.") from error


@click.command("routes")
def routes() -> None:
    """List the URL rules of the service."""
    open_store().check()
    for rule in sorted({rule.rule for rule in create_app().url_map.iter_rules()}):
        click.echo(rule)


@click.command("settings")
@click.option("--json", "as_json", is_flag=True, help="As a JSON array.")
def list_settings(as_json: bool) -> None:
    """List every setting, its value and its meaning.

    Also where the value came from, and the default. Secrets are not shown.
    """
    settings.read_settings()
    by_options = click.get_current_context().meta.get(SET_BY_OPTIONS, [])
    values, rows = settings.find_values(), []
    for name, declared in settings.all_settings().items():
        variable, kind = settings.PREFIX + name, declared.metadata["kind"]
        value, source = values.get(name, (declared.default, settings.DEFAULT))
        if name in values:
            value = kind.read(value)
        rows.append(
            {
                "name": variable,
                "value": kind.hide(value) if value and kind.hide else value,
                "source": "flag" if variable in by_options else source,
                "default": declared.default,
                "accepts": kind.description,
                "meaning": LINK.sub(r"\1", declared.metadata["meaning"]),
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for row in rows:
            source = row["source"]
            if source != settings.DEFAULT:
                source = f"{source}; default: {text_of(row['default'])}"
            click.echo(f"{row['name']} = {text_of(row['value'])} ({source})")
            click.echo(f"    {row['meaning']} [{row['accepts']}]\n")
    for warning in settings.warnings():
        click.echo(warning, err=True)


def text_of(value: object) -> str:
    """Return the text of a value for a variable; `none` if it is empty."""
    if isinstance(value, tuple):
        value = ",".join(value)
    if isinstance(value, bool | float):
        return f"{value:g}"
    return "none" if value in (None, "") else str(value)
