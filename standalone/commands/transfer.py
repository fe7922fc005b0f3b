"""`landform export` and `import`, and the lines of JSON that they write and read."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

import click
from marshmallow import ValidationError

from landform.schemas.export import PageLine
from landform.schemas.feeds import FeedLine
from landform.service.pipeline.errors import printable
from landform.service.pipeline.json_codec import DEEPEST_JSON, dumps, loads
from landform.standalone.commands import tools
from landform.storage import ImportRefused, Store
from landform.storage.maintenance import transfer
from landform.storage.models import part_exports

Line = dict[str, Any]
# How many reasons are listed, and the numbers of how many lines for each.
MAX_REASONS, MAX_NUMBERS = 50, 5
# The meta of a revision is two levels deeper than that of the page in a request.
DEEPEST_LINE = DEEPEST_JSON + 2
NOTHING = "Nothing was imported."


class WrongLine(ValueError):
    """An invalid line. The message gives the reason."""


@cache
def schemas() -> dict[str, Any]:
    """Return the schemas of lines, by the names of their resources."""
    of_parts = {name: table.line for name, table in part_exports().items()}
    return {"page": PageLine(), "feed": FeedLine(), **of_parts}


@click.command("export")
@click.argument("file", type=tools.File(is_written=True), required=False)
@click.option("--pages", "only", flag_value="pages", help="Pages only.")
@click.option("--feeds", "only", flag_value="feeds", help="Feeds only.")
@click.option("--forms", "only", flag_value="forms", help="Forms only.")
@tools.ENTRIES
@click.option("--media", is_flag=True, help="Pictures, too, with their files in FILE.media.")
@click.option("--revisions", is_flag=True, help="Pages with their revisions.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@tools.REPORT
def export(
    file: Path | None,
    *,
    only: str | None,
    entries: bool,
    media: bool,
    revisions: bool,
    force: bool,
    report_file: Path | None,
) -> None:
    """Write every form, page and feed as a line of JSON.

    Without a FILE they go to standard output. They hold all that is stored, passwords of pages
    too: keep them secret.
    """
    if media and file is None:
        raise click.UsageError("--media needs a FILE, beside which the files of pictures are.")
    tools.refuse_existing(file, force=force)
    store = tools.open_store()
    resources = tools.resources(only, entries=entries, media=media)
    store.check()
    counts = Counter(dict.fromkeys(resources, 0))
    total, is_hidden = transfer.count(store, resources), file is None and sys.stdout.isatty()
    progress = tools.Progress("Exporting", total, is_hidden=is_hidden)
    # Closed in this thread, which has the snapshot.
    reading = closing(transfer.rows(store, resources, with_more=revisions))
    with tools.open_output(file) as out, store.connection(), progress, reading as rows:
        for row in progress.count(rows):
            out.write(dumps(row) + b"\n")
            counts[row["resource"]] += 1
    for line in tools.part_lines("export", store, file) if media else _left_out(store):
        click.echo(line, err=True)
    tools.write_report(report_file, {"counts": counts})


def _left_out(store: Store) -> Iterator[str]:
    """Yield that pictures are left out, if there are some."""
    pictures = tools.resources("media")
    if pictures and (number := transfer.count(store, pictures)):
        yield f"{number:,} pictures are left out: --media writes them."


@click.command("import")
@click.argument("file", type=tools.File(exists=True))
@click.option(
    "--by",
    type=click.Choice(["id", "slug"]),
    default="id",
    show_default=True,
    help="What identifies a page that exists; with slug, new ones get new ids.",
)
@tools.MAP_FORM
@click.option("--atomic", is_flag=True, help="All lines, or none; other writers wait meanwhile.")
@tools.DRY_RUN
@tools.REPORT
def import_(
    file: Path,
    *,
    by: str,
    forms: dict[int, int],
    atomic: bool,
    dry_run: bool,
    report_file: Path | None,
) -> None:
    """Write the rows of an export, a few at a time.

    A line that is refused stops no other. After an interruption, run it again: what is there
    already is not written twice.
    """
    if not file.is_file():
        raise click.UsageError(f"{file} is no file that can be read twice.")
    store = tools.open_store()
    store.migrate()
    # Rows that others write from now on are not replaced.
    known = None if dry_run else transfer.known_rows(store)
    highest, total = _check_lines(file)
    if not dry_run:
        for line in tools.part_lines("import", store, file):
            click.echo(line, err=True)
        transfer.reserve_ids(store, {} if by == "slug" else highest)
    importing = transfer.Import(store, by, known)
    importing.forms.update(forms)
    rows = (
        (number, _map_ids(row, importing.forms, importing.pages))
        for number, row in read_lines(file)
        # A form that is another one here stays as it is here.
        if row["resource"] != "form" or row["id"] not in forms
    )
    try:
        with tools.Progress("Importing", total) as progress:
            importing.run(progress.count(rows), whole=atomic or dry_run, keep=not dry_run)
    except (ImportRefused, WrongLine) as reason:
        summary = _summary(importing.counts) if importing.counts else NOTHING
        reasons = by_reason(importing.refused) or [str(reason)]
        raise click.ClickException("\n".join([summary, *reasons])) from reason
    counts = importing.counts
    refused = [{"line": number, "text": text} for number, text in importing.refused]
    tools.write_report(report_file, {"counts": counts, "refused": refused, "dry_run": dry_run})
    click.echo(f"{_summary(counts)}{' (not kept)' if dry_run else ''}")
    tools.end_with(by_reason(importing.refused))


def _check_lines(file: Path) -> tuple[dict[str, int], int]:
    """Return the highest ids, and the number of lines. An invalid line ends the command."""
    wrong, highest, total = list[tuple[int, str]](), dict.fromkeys(schemas(), 0), 0
    with tools.Progress("Checking") as progress:
        for _, row in progress.count(read_lines(file, wrong)):
            highest[row["resource"]] = max(highest[row["resource"]], row["id"])
            total += 1
    if wrong:
        raise click.ClickException("\n".join([NOTHING, *by_reason(wrong)]))
    return highest, total


def _summary(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("created", "changed", "unchanged"))


def by_reason(refused: Iterable[tuple[int, str]]) -> list[str]:
    """Return the reasons of refused lines, each with the numbers of its lines."""
    reasons: dict[str, list[int]] = {}
    for number, text in refused:
        reasons.setdefault(text, []).append(number)
    listed = [_reason(text, numbers) for text, numbers in islice(reasons.items(), MAX_REASONS)]
    unlisted = sum(map(len, islice(reasons.values(), MAX_REASONS, None)))
    return [*listed, f"... and {unlisted:,} more lines"] if unlisted else listed


def _reason(text: str, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}: {text}"
    first = ", ".join(map(str, numbers[:MAX_NUMBERS]))
    return f"{len(numbers):,} lines ({first}{', ...' * (len(numbers) > MAX_NUMBERS)}): {text}"


def _map_ids(row: Line, forms: Mapping[int, int], pages: Mapping[int, int] | None) -> Line:
    """Change the ids of forms in a row, and that of its page; a page that is unknown is 0."""
    if pages is not None and "page" in row:
        row["page"] = pages.get(row["page"], 0)
    if "form_id" in row:
        row["form_id"] = forms.get(row["form_id"], row["form_id"])
        return row
    for page in (row, *row.get("revisions", ())) if row["resource"] == "page" else ():
        form = str(page["meta"].get("form_id", ""))
        if form.isdecimal():
            page["meta"]["form_id"] = str(forms.get(int(form), form))
    return row


def read_lines(
    file: Path, wrong: list[tuple[int, str]] | None = None
) -> Iterator[tuple[int, Line]]:
    """Yield the number and the row of each line that is not blank. A row has its `resource`.

    An error is added to `wrong` with the number of its line, or else raised as `WrongLine`.
    """
    with file.open("rb") as opened:
        for number, line in enumerate(opened, 1):
            if not line.strip():
                continue
            try:
                yield number, _load(line.removeprefix(b"\xef\xbb\xbf"))
            except WrongLine as error:
                if wrong is None:
                    raise WrongLine(printable(f"line {number}: {error}")) from error
                wrong.append((number, printable(error)))


def _load(line: bytes) -> Line:
    try:
        value = loads(line, DEEPEST_LINE)
    except ValueError as error:
        raise WrongLine("this is no JSON") from error
    resource = value.get("resource") if isinstance(value, dict) else None
    if not isinstance(resource, str) or resource not in schemas():
        raise WrongLine(f"this is none of: {', '.join(schemas())}")
    columns = {name: item for name, item in value.items() if name != "resource"}
    try:
        return {"resource": resource, **schemas()[resource].load(columns)}
    except ValidationError as error:
        messages = cast(dict[str, object], error.messages)
        raise WrongLine("; ".join(f"{name}: {text}" for name, text in messages.items())) from error
