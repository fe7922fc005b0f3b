"""How commands get to a live WordPress: options, the password, and what is missing for it."""

import os
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import click

from landform.standalone.commands._tools import form_map

if TYPE_CHECKING:
    from landform.standalone.wordpress.moving import Access, Rules

VARIABLE = "LANDFORM_WORDPRESS_PASSWORD"
# How many seconds a response may take: a day.
LONGEST = 86_400
EXTRA = "This needs urllib3 and defusedxml: pip install 'landform[wordpress]'."


class NotBegun(click.ClickException):
    """Nothing was done."""

    exit_code = 2


def read_access(url: str, given: Mapping[str, Any]) -> "Access":
    """Return the access to a site; a password is never an argument."""
    from landform.standalone.wordpress.moving import Access  # noqa: PLC0415

    if "@" in re.split("[/?#]", url.partition("://")[2])[0]:
        raise click.UsageError("Give the user by --user; a password is never an argument.")
    if not given["user"]:
        raise click.UsageError("--user is missing: WordPress shows raw content to editors only.")
    if not given["timeout"] <= LONGEST:
        raise click.BadParameter(f"it is at most {LONGEST} seconds.", param_hint="--timeout")
    return Access(
        url=url, user=_utf8("--user", given["user"]), requests=given["requests"],
        password=_utf8("The application password", _password(given)),
        timeout=given["timeout"], agent=f"landform/{version('landform')}",
    )  # fmt: skip


def _utf8(name: str, text: str) -> str:
    """Return a text as it is; the bytes of another encoding cannot be sent."""
    try:
        text.encode()
    except UnicodeError as error:
        raise NotBegun(f"{name} is no UTF-8.") from error
    return text


def _password(given: Mapping[str, Any]) -> str:
    """Return the password: of a file, of the environment, or as it is typed in."""
    if file := given["password_file"]:
        try:
            return str(file.read_text().strip())
        except (OSError, UnicodeError) as error:
            raise NotBegun(f"{file} cannot be read.") from error
    if password := os.environ.get(VARIABLE):
        return password
    return str(click.prompt("Application password", hide_input=True, err=True))


def read_rules(given: Mapping[str, Any]) -> "Rules":
    """Return where the meta is, and which forms get other ids."""
    from landform.standalone.wordpress.meta import MetaSources, WrongSource  # noqa: PLC0415
    from landform.standalone.wordpress.moving import Rules  # noqa: PLC0415

    meta = dict(text.partition("=")[::2] for text in given["meta"])
    try:
        MetaSources(meta)
    except WrongSource as wrong:
        raise click.BadParameter(f"{wrong}.", param_hint="--meta") from wrong
    return Rules(meta=meta, forms=form_map(given["forms"]))
