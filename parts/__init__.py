"""The parts of landform: what it does beside pages and feeds. See docs/architecture.md."""

from functools import cache
from importlib import import_module
from typing import Any

# The folder and the class of each, one a line. Without its folder and line a part is gone.
NAMES = (
    "moving_in.MovingIn",
)  # fmt: skip


@cache
def all_parts() -> dict[str, Any]:
    """Return the class of each part that is there, by the name of its folder.

    Not while modules are imported: parts import the core.
    """
    pairs = [name.split(".") for name in NAMES]
    return {folder: getattr(import_module(f"{__name__}.{folder}"), kind) for folder, kind in pairs}
