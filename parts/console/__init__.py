"""The console: a page for people at `/console`, which only calls the HTTP API."""

from dataclasses import dataclass

from landform.parts.option import FLAG, option
from landform.parts.part import HomeLink, Part


@dataclass(frozen=True, kw_only=True)
class Console(Part):
    """The console, with its link on the start page. A host asks for it."""

    in_guests = False
    home_links = (HomeLink("/console", "Open the console"),)

    enabled: bool = option(
        True, FLAG, "`0`: there is no [console](parts/console.md)", setting="console"
    )
