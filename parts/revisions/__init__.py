"""Revisions: the states of a page before each write, which can be compared and restored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from landform.parts.option import option, whole
from landform.parts.part import Exported, Part
from landform.parts.revisions.errors import BeyondLastPage, ParentNotFound, TrashNotSupported
from landform.parts.revisions.models import PageRevision


@dataclass(frozen=True, kw_only=True)
class Revisions(Part):
    """The revisions of pages."""

    tables = (PageRevision,)
    errors = (ParentNotFound, BeyondLastPage, TrashNotSupported)

    most: int = option(
        20,
        whole(0, 1000),
        "how many [revisions](api.md#revisions) of each page are kept; `0`: none",
        setting="revisions",
    )

    @classmethod
    def exports(cls) -> Mapping[str, Exported]:
        """Return the lines of pages, with their revisions if these are asked for."""
        from landform.parts.revisions import lines  # noqa: PLC0415 - needs the store

        return {"page": lines.EXPORTED}

    def row_written(
        self, store: Any, table: str, old: Any, new: Any, writer: int | None = None
    ) -> None:
        """Store the state of a page before a write; an import may have all of its revisions."""
        from landform.parts.revisions import storage  # noqa: PLC0415 - needs the store

        if table != "page":
            return
        if new is None:
            storage.delete_all(store, old["id"])
        elif "revisions" in new:
            storage.replace_all(store, new["id"], new["revisions"], self.most)
        elif old:
            storage.record(store, old, new, writer, self.most)
