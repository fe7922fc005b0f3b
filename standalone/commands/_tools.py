"""What several commands need: the store of the settings, a progress bar, the type of a file."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from landform.service.stores import new_store
from landform.standalone.logs import set_up_logging
from landform.standalone.settings import IN_MEMORY, NO_MEMORY, SettingError, read_settings
from landform.storage import Progress, Store

# In how many steps a progress bar goes on at most.
STEPS = 500
# Where a context keeps the names of the variables that options of the command have set.
FLAGS = "landform.flags"


class NotBegun(click.ClickException):
    """Nothing was done."""

    exit_code = 2


def open_store(url: str | None = None) -> Store:
    """Return the store that the settings name, or another one by its URL, with their options."""
    settings = read_settings()
    if url == IN_MEMORY:
        raise SettingError(f"The database of a command {NO_MEMORY}.")
    set_up_logging(settings)
    return new_store(settings, url, has_timeouts=False)


@contextmanager
def progress_bar(counted: str = "steps") -> Iterator[Progress]:
    """Yield a function that shows progress, on a terminal only, and what is counted."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    label = counted.capitalize()
    with click.progressbar(length=1, label=label, show_pos=True, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            # To draw it takes longer than to read a line.
            if done == total or (done - bar.pos) * STEPS >= total:
                bar.length = total
                bar.update(done - bar.pos)

        yield show


def report(problems: list[str]) -> None:
    """Print problems, one per line, and end the command with an error where there are any."""
    for problem in problems:
        click.echo(problem)
    if problems:
        sys.exit(1)


def _form_map(ctx: object, parameter: object, given: tuple[str, ...]) -> dict[int, int]:
    pairs = [re.fullmatch(r"([0-9]{1,18})=([0-9]{1,18})", text) for text in given]
    if not all(pairs):
        raise click.BadParameter("it must look like 3=17")
    return {int(pair[1]): int(pair[2]) for pair in pairs if pair}


MAP_FORM = click.option(
    "--map-form", "forms", multiple=True, metavar="OLD=NEW", callback=_form_map,
    help="Change a form's id.",
)  # fmt: skip
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
