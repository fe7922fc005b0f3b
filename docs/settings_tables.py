"""Print the tables of docs/settings.md."""

import re
from dataclasses import Field
from typing import Any

from landform.parts import all_parts
from landform.parts.option import FLAG, TEXT, options_of
from landform.service.options import DATABASE, Options
from landform.standalone.commands.service import text_of
from landform.standalone.settings import all_settings


def tables() -> str:
    """Return a table for each group of settings, in Markdown."""
    settings = all_settings()
    shared = {name.upper() for name, one in options_of(Options).items() if one.metadata["meaning"]}
    for part in all_parts().values():
        if part.in_guests:
            shared |= {one.metadata["setting"].upper() for one in options_of(part).values()}
    groups = ("The service", shared), ("The standalone service only", settings.keys() - shared)
    return "\n".join(
        f"## {title}\n\n| variable | default | value | meaning |\n|---|---|---|---|\n"
        + "".join(_row(name, one) for name, one in settings.items() if name in names)
        for title, names in groups
    )


def _row(name: str, one: Field[Any]) -> str:
    default = text_of(one.default)
    shown = default if default == "none" else f"`{default}`"
    kind = one.metadata["kind"]
    wanted = re.sub("^(an?|the) ", "", kind.description)
    wanted = "" if kind in (TEXT, DATABASE, FLAG) else wanted
    return f"| `LANDFORM_{name}` | {shown} | {wanted} | {one.metadata['meaning']} |\n"


if __name__ == "__main__":
    print(tables(), end="")
