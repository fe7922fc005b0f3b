"""`landform import-wordpress`."""

import csv
import io
import os
import re
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from landform.app import create_app
from landform.parts.moving_in.progress import Progress
from landform.parts.moving_in.wordpress.client import CannotBegin, Client
from landform.parts.moving_in.wordpress.importer import Plan, import_files, import_site
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.redirects import redirects
from landform.parts.moving_in.wordpress.report import Report
from landform.service.errors import printable
from landform.service.page_urls import Urls
from landform.standalone.commands.tools import (
    DRY_RUN,
    MAP_FORM,
    ONLY,
    REPORT,
    RESOURCES,
    SITES,
    File,
    NotBegun,
    open_output,
    open_store,
    say,
    write_report,
)
from landform.standalone.settings import read_settings
from landform.storage import Store

VARIABLE = "LANDFORM_WORDPRESS_PASSWORD"
MOMENTS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")


def _meta(ctx: object, parameter: object, given: tuple[str, ...]) -> dict[str, str]:
    meta = dict(text.partition("=")[::2] for text in given)
    try:
        MetaSources(meta)
    except ValueError as wrong:
        raise click.BadParameter(f"{wrong}.") from wrong
    return meta


@click.command("import-wordpress")
@click.argument("source", metavar="URL-OR-FILE", type=File(is_url=True, exists=True))
@click.option("--user", help="Who reads: an editor, with an application password.")
@click.option(
    "--password-file", type=File(exists=True),
    help=f"Where the application password is; else {VARIABLE}, or it is asked for.",
)  # fmt: skip
@ONLY
@click.option("--status", "statuses", multiple=True, help="Only pages with this status.")
@click.option("--since", type=click.DateTime(MOMENTS), help="Only pages modified after that.")
@click.option(
    "--meta", multiple=True, metavar="KEY=SOURCE", callback=_meta,
    help="Where a key of the meta is: meta.NAME, acf.NAME or const:VALUE.",
)  # fmt: skip
@MAP_FORM
@click.option("--new-ids/--keep-ids", help="Give pages and feeds ids of their own.")
@click.option("--requests", default=4, show_default=True, type=click.IntRange(1, 32),
              help="How many requests at a time.")  # fmt: skip
@click.option("--probe", default=200, show_default=True, type=click.IntRange(0),
              help="How many ids to ask for beyond the last feed.")  # fmt: skip
@click.option("--timeout", default=60, show_default=True, type=click.IntRange(1, 86_400),
              help="Seconds to wait for each response.")  # fmt: skip
@click.option("--revisions", is_flag=True, help="Bring the revisions of pages that are written.")
@click.option("--force", is_flag=True, help="Also write over what was changed here.")
@click.option("--delete", is_flag=True, help="Delete here what was deleted there.")
@DRY_RUN
@REPORT
@click.option(
    "--redirects",
    type=File(is_written=True),
    help="Write there the old and new link of pages that moved.",
)
@click.option(
    "--forms", "forms_file", type=File(exists=True), help="With a file: Gravity Forms' own export."
)
def import_wordpress(source: str, **given: Any) -> None:
    """Bring the pages and feeds of a WordPress.

    It is a live one, or a file that it exported.

    It may be repeated: what changed there since the last time is written, unless it was changed
    here, too. Exit code 0: all that can be imported is here; 1: not all of it could be read;
    2: it could not begin; 3: done, with pages or feeds left out.
    """
    is_site = source.startswith(SITES)
    plan = _plan(given, is_site)
    try:
        asking = _client(source, given) if is_site else None
        store = open_store()
        store.migrate()
        urls = _page_urls() if given["redirects"] else None
        with Progress() as progress:
            if asking:
                report = import_site(store, asking, plan, progress)
            else:
                files = [Path(source), *filter(None, [given["forms_file"]])]
                report = import_files(store, files, plan, progress)
        _finish(store, report, given, urls)
    except CannotBegin as reason:
        lines = map(printable, str(reason).split("\n"))
        raise NotBegun("\n".join([*lines, "Nothing was imported."])) from reason
    sys.exit(report.exit_code)


def _plan(given: Mapping[str, Any], is_site: bool) -> Plan:
    """Return what is asked; refuse options that have no meaning for a source."""
    if is_site and given["forms_file"]:
        raise click.UsageError("--forms goes with a file only: a live site shows its feeds itself.")
    if given["delete"] and not is_site:
        raise click.UsageError("--delete needs a live site: a file does not say what was deleted.")
    same = ("statuses", "probe", "force", "delete", "new_ids", "forms", "revisions", "meta")
    return Plan(
        resources=frozenset(RESOURCES[given["only"]]),
        since=given["since"].isoformat() if given["since"] else "",
        keep=not given["dry_run"],
        **{name: given[name] for name in same},
    )


def _client(url: str, given: Mapping[str, Any]) -> Client:
    """Return what asks a site; a password is never an argument."""
    if "@" in re.split("[/?#]", url.partition("://")[2])[0]:
        raise click.UsageError("Give the user by --user; a password is never an argument.")
    if not given["user"]:
        raise click.UsageError("--user is missing: WordPress shows raw content to editors only.")
    return Client(
        url,
        given["user"],
        _password(given),
        requests=given["requests"],
        timeout=given["timeout"],
        agent=f"landform/{version('landform')}",
    )


def _password(given: Mapping[str, Any]) -> str:
    """Return the password: of a file, of the environment, or as it is typed in."""
    if file := given["password_file"]:
        return str(file.read_text(errors="surrogateescape").strip())
    if password := os.environ.get(VARIABLE):
        return password
    if not sys.stdin.isatty():
        raise NotBegun(f"There is no application password: set {VARIABLE}, or --password-file.")
    return str(click.prompt("Application password", hide_input=True, err=True))


def _page_urls() -> Urls:
    """Return where the pages of the service are, below its public URL if it has one."""
    blueprint: Any = create_app().blueprints["landform"]
    urls: Urls = blueprint.service.urls((read_settings().public_url or "").rstrip("/"))
    return urls


def _finish(store: Store, report: Report, given: Mapping[str, Any], urls: Urls | None) -> None:
    """Print the report, and write it and the redirects: what fails there loses no line."""
    for line in report.lines():
        say(line)
    write_report(given["report_file"], report.as_json())
    if urls:
        with store.connection(), open_output(given["redirects"]) as out:
            lines = csv.writer(io.TextIOWrapper(out, "utf-8", newline="", write_through=True))
            lines.writerow(("old", "new"))
            lines.writerows(redirects(store, report.site, urls))


COMMANDS = (import_wordpress,)
