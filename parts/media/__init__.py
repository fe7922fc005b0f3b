"""Pictures: uploaded, made smaller, and served. A host asks for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from landform.parts.errors import errors_in
from landform.parts.media import errors, models
from landform.parts.option import matching, option
from landform.parts.part import Exported, PagePictures, Part

PLACE = matching("a folder, or `database`", r"[^\0]*")


@dataclass(frozen=True, kw_only=True)
class Media(Part):
    """Pictures with their sizes. To make them, Pillow is needed (the extra `media`)."""

    tables = models.TABLES
    scopes = ("media:read", "media:write")
    event_types = ("media.created", "media.updated", "media.deleted")
    errors = tuple(error for error in errors_in(errors) if error is not errors.MediaNotFound)
    console_files = Path(__file__).parent / "static"
    in_guests = False

    place: str = option(
        "",
        PLACE,
        "where the files of [pictures](parts/media.md) are: a folder, or `database`; by default a "
        "folder beside the SQLite file, and the database of PostgreSQL",
        setting="media",
    )

    def files(self, store: Any) -> Any:
        """Return the `Files` of a store."""
        from landform.parts.media.files import open_files  # noqa: PLC0415 - needs the store

        return open_files(store, self.place)

    @classmethod
    def exports(cls) -> Mapping[str, Exported]:
        """Return the lines of pictures."""
        from landform.parts.media import lines  # noqa: PLC0415 - needs the store

        return {"media": lines.EXPORTED}

    def maintain(self, command: str, store: Any, other: Any = None) -> Iterable[str]:
        """Take part in a command that looks after a database, with the files of pictures."""
        from landform.parts.media import maintenance  # noqa: PLC0415 - needs the store

        files = self.files(store)
        beside = self.files(other) if command == "copy" else other
        return maintenance.TASKS[command](store, files, beside)

    def page_pictures(
        self, call: Any, page: Mapping[str, Any], link: str, content: str
    ) -> PagePictures | None:
        """Return the pictures of a page as visitors see them, if some are those of the part."""
        from landform.parts.media import showing  # noqa: PLC0415 - needs the site

        return showing.page_pictures(call, dict(page), link, content)

    def store_picture(
        self, store: Any, data: bytes, name: str, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Make a picture of the bytes of a file, store its files, and return its columns."""
        from landform.parts.media import intake  # noqa: PLC0415 - needs the store

        return intake.store(store, self.files(store), data, name, fields)

    def row_written(
        self, store: Any, table: str, old: Any, new: Any, writer: int | None = None
    ) -> None:
        """Detach the pictures of a page that is deleted."""
        if table == "page" and new is None:
            pictures = models.Media.page == old["id"]
            models.Media.update(page=0).where(pictures).execute(store.database)
