"""`landform import-wordpress`."""

import csv
import io
import os
import re
import sys
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from landform.parts.moving_in import origins
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.report import Plan, Report
from landform.parts.part import Part
from landform.service.cli import current_group
from landform.service.pipeline.call import Urls
from landform.service.pipeline.errors import printable
from landform.standalone.commands import tools
from landform.storage import Store

EXTRA = "This needs defusedxml: install landform with the extra `wordpress`."
NO_PICTURES = "--media needs the part that stores pictures, and Pillow: install landform[media]."
VARIABLE = "LANDFORM_WORDPRESS_PASSWORD"
DATE_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")


def _meta(ctx: object, parameter: object, values: tuple[str, ...]) -> dict[str, str]:
    meta = dict(text.partition("=")[::2] for text in values)
    try:
        MetaSources(meta)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error
    return meta


@click.command("import-wordpress")
@click.argument("source", metavar="URL-OR-FILE", type=tools.File(is_url=True, exists=True))
@click.option("--user", help="An editor with an application password.")
@click.option(
    "--password-file", type=tools.File(exists=True),
    help=f"A file with the application password; else {VARIABLE}, or it is asked for.",
)  # fmt: skip
@tools.ONLY
@tools.ENTRIES
@click.option("--media", is_flag=True, help="Bring the pictures that pages use, too.")
@click.option("--status", "statuses", multiple=True, help="Only pages with this status.")
@click.option("--since", type=click.DateTime(DATE_FORMATS), help="Only pages modified after that.")
@click.option(
    "--meta", multiple=True, metavar="KEY=SOURCE", callback=_meta,
    help="The source of a key of the meta: meta.NAME, acf.NAME or const:VALUE.",
)  # fmt: skip
@tools.MAP_FORM
@click.option("--new-ids/--keep-ids", help="Give all rows ids of their own.")
@click.option("--requests", default=4, show_default=True, type=click.IntRange(1, 32),
              help="The number of requests at a time.")  # fmt: skip
@click.option("--probe", default=200, show_default=True, type=click.IntRange(0),
              help="The number of ids to ask for beyond the last feed.")  # fmt: skip
@click.option("--timeout", default=60, show_default=True, type=click.IntRange(1, 86_400),
              help="Seconds for which the site may be silent.")  # fmt: skip
@click.option("--revisions", is_flag=True, help="Import the revisions of pages that are written.")
@click.option("--force", is_flag=True, help="Also overwrite changes made here.")
@click.option("--delete", is_flag=True, help="Delete here what was deleted there.")
@tools.DRY_RUN
@tools.REPORT
@click.option(
    "--redirects",
    type=tools.File(is_written=True),
    help="Write the old and new links of pages with another address there.",
)
@click.option(
    "--forms",
    "forms_file",
    type=tools.File(exists=True),
    help="With a file: Gravity Forms' own export.",
)
def import_wordpress(source: str, **options: Any) -> None:
    """Import from a WordPress, or from its export.

    It may be a live one, or a file that it exported. The command may be repeated: it writes
    what changed there since the last time, unless that was changed here, too. Exit code 0: all
    that can be imported is here; 1: not all of it could be read; 2: it could not begin; 3:
    done, with rows left out.
    """
    try:
        from landform.parts.moving_in.wordpress import client, importer  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise tools.NotBegun(EXTRA) from error
    is_site = source.startswith(tools.SITES)
    plan = _plan(options, is_site)
    try:
        site = client.Client(source, **_client(source, options)) if is_site else None
        pictures = _pictures() if plan.media else {}
        store = tools.open_store()
        store.migrate()
        urls = None
        if options["redirects"]:
            service = current_group().service()
            urls = service.urls(service.options.public_url or "")
        with tools.Progress("Reading", has_lines=True) as progress:
            if site:
                report = importer.import_site(store, site, plan, progress.show, **pictures)
            else:
                files = [Path(source), *filter(None, [options["forms_file"]])]
                report = importer.import_files(store, files, plan, progress.show)
        _write_reports(store, report, options, urls)
    except client.CannotBegin as error:
        lines = map(printable, str(error).split("\n"))
        raise tools.NotBegun("\n".join([*lines, "Nothing was imported."])) from error
    sys.exit(report.exit_code)


def _plan(options: Mapping[str, Any], is_site: bool) -> Plan:
    """Return the plan; refuse options that a source does not have."""
    if is_site and options["forms_file"]:
        raise click.UsageError("--forms goes with a file only: a live site shows its feeds itself.")
    if options["delete"] and not is_site:
        raise click.UsageError("--delete needs a live site: a file does not say what was deleted.")
    if options["entries"] and not is_site:
        raise click.UsageError("--entries needs a live site: no file has entries.")
    if options["media"] and not (is_site and options["only"] in (None, "pages")):
        raise click.UsageError("--media needs a live site, and pages: it brings what these use.")
    names = "statuses probe force delete new_ids forms revisions meta media".split()
    return Plan(
        resources=frozenset(tools.resources(options["only"], entries=options["entries"])),
        since=options["since"].isoformat() if options["since"] else "",
        keep=not options["dry_run"],
        **{name: options[name] for name in names},
    )


def _client(url: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a `Client` of a site; its password is never one of the command."""
    if "@" in re.split("[/?#]", url.partition("://")[2])[0]:
        raise click.UsageError("Give the user by --user; a password is never an argument.")
    if not options["user"]:
        raise click.UsageError("--user is missing: WordPress shows raw content to editors only.")
    return {
        "user": options["user"],
        "password": _password(options["password_file"]),
        "concurrency": options["requests"],
        "timeout": options["timeout"],
        "agent": f"landform/{version('landform')}",
    }


def _pictures() -> dict[str, Any]:
    """Return how pictures are stored, and where visitors find them."""
    options = current_group().options()
    for part in options.named_parts:
        if type(part).store_picture is not Part.store_picture and find_spec("PIL"):
            files_url = f"{options.public_url or ''}/media-files"
            return {"store_picture": part.store_picture, "files_url": files_url}
    raise tools.NotBegun(NO_PICTURES)


def _password(file: Path | None) -> str:
    """Return the password from a file, the environment or the terminal."""
    if file:
        return file.read_text(errors="surrogateescape").strip()
    if password := os.environ.get(VARIABLE):
        return password
    if not sys.stdin.isatty():
        text = f"There is no application password: set {VARIABLE}, or --password-file."
        raise tools.NotBegun(text)
    return str(click.prompt("Application password", hide_input=True, err=True))


def _write_reports(
    store: Store, report: Report, options: Mapping[str, Any], urls: Urls | None
) -> None:
    """Print the report, then write it to a file, and the redirects."""
    for line in report.lines():
        tools.say(line)
    tools.write_report(options["report_file"], report.as_json())
    if urls:
        with store.connection(), tools.open_output(options["redirects"]) as file:
            rows = csv.writer(io.TextIOWrapper(file, "utf-8", newline="", write_through=True))
            rows.writerow(("old", "new"))
            rows.writerows(origins.redirects(store, report.site, urls))


COMMANDS = (import_wordpress,)
