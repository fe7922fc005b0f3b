"""The base class of parts: what a part adds to landform, and how it answers the core."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from landform.parts.errors import PartError
from landform.parts.option import convert_options
from landform.storage.models import Table


class Metric(NamedTuple):
    """Figures for `/metrics`, by the values of a label; those of a total only grow."""

    name: str
    meaning: str
    label: str
    figures: Mapping[str, float]
    is_total: bool = False


class HomeLink(NamedTuple):
    """A link on the start page, to a path of the blueprint, with a text in English.

    `name`: that in the JSON of the start page; the link then is for identified callers only. `rel`:
    its relation in the header `Link`.
    """

    path: str
    text: str
    name: str = ""
    rel: str = ""


class PageForm(NamedTuple):
    """A form in a page: a template of the part and its style sheet, with the variables of both.

    `is_private`: it is for this visitor only, so that the page is not cached. `is_refused`: it
    shows what is wrong with what was sent, as the title of the page then says. `until`: when it
    changes without a write of its tables, in seconds since 1970.
    """

    template: str
    style: str
    values: Mapping[str, Any]
    is_private: bool = False
    is_refused: bool = False
    until: float = inf


class PagePictures(NamedTuple):
    """The pictures of a page as visitors see it.

    `content`: that of the page, whose pictures have more attributes. `gallery`: in place of that in
    the meta, each with `url`, `alt` and `caption`, and perhaps `width`, `height` and `srcset`.
    `sizes`: the width and height of pictures by their URLs. `tables`: those that all of it depends
    on, each of them `versioned`.
    """

    content: str
    gallery: Sequence[Mapping[str, Any]]
    sizes: Mapping[str, tuple[int, int]]
    tables: tuple[str, ...]


class Exported(NamedTuple):
    """A table that exports have: `line` is the schema of a line (`schemas/export.py`).

    Imports call `delete` with the store and the id of a row that was deleted on the other site, and
    `write_details` with the store and a row, which has the keys of `Table.read_details` too.
    Exports that are asked for more call `read_more` with the store and the id of a row, and add the
    values by name; imports have these in `Part.row_written`.
    """

    line: Any
    delete: Callable[[Any, int], object]
    write_details: Callable[[Any, Mapping[str, Any]], object] | None = None
    read_more: Callable[[Any, int], Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True)
class Part:
    """The class of a part. Its attributes say what the part adds; its fields are its options.

    Of every part that is there:

    - `tables`: its tables, which the migrations in its folder create.
    - `variables`: the environment variables that its commands read, without `LANDFORM_`.
    - `scopes`, `event_types`, `errors`: the scopes of callers, the types of events, and the errors.
    - `event_fields`: the fields that only its events have, each with description and type.
    - `templates`: the folder of its templates, which those of the site may replace by their names.
    - `translations`: the folder of the catalogs of its texts for visitors.

    Of a part that a blueprint names, beside its operations and screens:

    - `console_files`: a folder with modules of the console, if there is one.
    - `home_links`: its links on the start page.
    - `form_tables`: the names of the tables that `page_form` reads, each of them `versioned`.
    - `in_guests`: whether a blueprint that names no parts has it.
    - `enabled`: without it, the part is as if it was not named.
    """

    tables: ClassVar[tuple[type[Table], ...]] = ()
    variables: ClassVar[tuple[str, ...]] = ()
    scopes: ClassVar[tuple[str, ...]] = ()
    event_types: ClassVar[tuple[str, ...]] = ()
    event_fields: ClassVar[Mapping[str, tuple[str, type]]] = {}
    errors: ClassVar[tuple[type[PartError], ...]] = ()
    templates: ClassVar[Path | None] = None
    translations: ClassVar[Path | None] = None
    form_tables: ClassVar[tuple[str, ...]] = ()
    console_files: ClassVar[Path | None] = None
    home_links: ClassVar[tuple[HomeLink, ...]] = ()
    in_guests: ClassVar[bool] = True

    enabled: bool = True

    def __post_init__(self) -> None:
        """Convert the options; raises `OptionError` for an invalid one."""
        convert_options(self)

    @classmethod
    def first_awaited_event(cls, store: Any) -> int | None:
        """Return the id of the first event that must not expire yet, if there is one."""
        return None

    @classmethod
    def exports(cls) -> Mapping[str, Exported]:
        """Return its tables that exports have, by name; a table of the core to add to its lines."""
        return {}

    def work_source(self, service: Any) -> Any:
        """Return the `Source` of work for `parts/worker.py`, if there is one."""
        return None

    def worker(self, service: Any) -> Callable[[], float | None] | None:
        """Return a function for other work in the background, if there is any.

        It does what is due, and returns in how many seconds more will be due: 0 to be called again
        after the workers of other parts, None if unknown.
        """
        return None

    def row_written(
        self, store: Any, table: str, old: Any, new: Any, writer: int | None = None
    ) -> None:
        """Take part in a write of a page or a feed, or in that of any row by an import.

        It is called in the transaction, after the write. `old` and `new`: the rows, None for one
        that is created or deleted; `new` of an import may have more of its line than columns.
        `writer`: the author number of the caller, if it is known. Not called for pages that are
        published at their date, and for a new order of feeds.
        """

    def maintain(self, command: str, store: Any, other: Any = None) -> Iterable[str]:
        """Take part in a command that looks after a database, with what the part has outside of it.

        Returns lines for the user; those of `verify` are problems. `vacuum`: remove what is not
        used. `copy`: `other` is the store that has the rows of this one now. `backup`, `restore`,
        `export` and `import`: `other` is the file; before `backup` and `import` too, so that no row
        comes before what belongs to it.
        """
        return ()

    def metrics(self, store: Any) -> Iterable[Metric]:
        """Return figures from the database for `/metrics`; use inside `connection()`."""
        return ()

    def redirect_target(self, store: Any, slug: str) -> str | None:
        """Return the URL to redirect visitors of `/<slug>/` to, where no page has this address.

        `slug` is decoded: a printable text of at most 2,000 characters.
        """
        return None

    def page_form(
        self, call: Any, form_id: str, visited: Any, number: int = 1, field_values: str = ""
    ) -> PageForm | None:
        """Return the form with an id as a visitor sees it in a page, if the part shows it.

        `form_id`: the text in the meta of the page or in a marker of its content. `visited`: the
        `Visit` of `service/site/visits.py`. `number`: 2 for the second form with this id in the
        page. `field_values`: a query with first values of its fields.
        """
        return None

    def page_pictures(
        self, call: Any, page: Mapping[str, Any], link: str, content: str
    ) -> PagePictures | None:
        """Return the pictures of a page as visitors see it; None for what the core shows.

        `content`: the HTML with its forms. What the API returns stays the same.
        """
        return None

    def store_picture(
        self, store: Any, data: bytes, name: str, fields: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Make a picture of the bytes of a file, store its files, and return its columns.

        Imports call it before they write the row. `name`: that of the file; `fields`: `title`,
        `caption`, `description`, `alt_text` and `slug`. Raises `ValueError` for a file that is
        refused, and `ValidationError` for a text. None: the part stores no pictures.
        """
        return None

    def feed_problem(self, service: Any, feed: Mapping[str, Any]) -> str:
        """Return why the part cannot run a feed with its settings; empty if it can.

        `service`: that of `service/pipeline/call.py`. `feed`: its row. A write warns of it.
        """
        return ""
