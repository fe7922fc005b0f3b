"""Parts of landform: everything beside pages and feeds. See docs/architecture.md."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

PARTS = (
    # The folder and the class of each part, one a line. Without both a part is gone.
    "revisions.Revisions",
    "batch.Batches",
    "wordpress.WordPress",
    "openapi.OpenApi",
    "moving_in.MovingIn",
    "runs.Runs",
    "webhooks.Webhooks",
    "leads.Leads",
    "media.Media",
    "console.Console",
)


@cache
def all_parts() -> dict[str, Any]:
    """Return the class of each part that is there, by the name of its folder.

    Not while modules are imported: parts import the core.
    """
    pairs = [name.split(".") for name in PARTS]
    return {folder: getattr(import_module(f"{__name__}.{folder}"), kind) for folder, kind in pairs}


def modules_of(parts: Iterable[type], name: str) -> list[Any]:
    """Return the modules of a name, such as `operations`, of those parts that have one."""
    names = [f"{part.__module__}.{name}" for part in parts]
    return [import_module(name) for name in names if find_spec(name)]
