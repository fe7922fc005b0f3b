"""Read the files that WordPress exports (WXR), as rows of its REST API."""

import io
import re
import shutil
import tempfile
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError  # nosec B405 # defusedxml parses

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from landform.parts.moving_in.incoming import SlugKeepers
from landform.parts.moving_in.wordpress.client import CannotBegin
from landform.parts.moving_in.wordpress.values import field_value, parse_integer, storable
from landform.storage.rows import Row

# Columns whose elements have the same names, or these names after `post_`.
PAGE_COLUMNS = (
    "date", "date_gmt", "modified", "modified_gmt", "status", "password", "parent", "menu_order",
    "link", "title", "content", "excerpt",
)  # fmt: skip
NO_DATE = "0000-00-00 00:00:00"
NO_EXPORT = "{file} is no export of WordPress: {reason}."
CUT = "{file} ends or breaks after {pages:,} pages: {reason}. Export it again, and take that file."
# Characters that XML cannot hold, and bytes that are not UTF-8. `MARK` replaces them in the parser,
# so that the pages that have some are known.
INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
MARK = "\ufdd0"
# The name of an element of RSS or WordPress. Elements of podcasts and media have the same names.
ELEMENT_NAME = re.compile(
    r"""(?:\{https?://(?:www\.)?wordpress\.org/export/[0-9.]+/(?P<wp>excerpt/)?\}
        |\{https?://purl\.org/(?:rss/1\.0/modules/content|dc/elements/1\.1)/\})?([^{}]+)
    """,
    re.VERBOSE,
)
# Blanks around a text, which pretty printers add.
XML_BLANKS = " \t\r\n"
READ_ERRORS = (ParseError, DefusedXmlException, LookupError, ValueError)
OTHER_ENCODING = re.compile(
    rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["'](?!utf-?8["'])([^"']*)""", re.IGNORECASE
)


@contextmanager
def open_export(file: Path) -> Iterator["Export"]:
    """Yield a file that WordPress exported; raises `CannotBegin` if it is none."""
    if file.is_file():
        yield Export(file, file)
        return
    # The file is read twice, a pipe only once.
    with tempfile.NamedTemporaryFile() as copy:
        with file.open("rb") as pipe:
            shutil.copyfileobj(pipe, copy)
        copy.flush()
        yield Export(file, Path(copy.name))


class Export:
    """A file that WordPress exported, read from `source`.

    `home` is the address of the site, `pages` the number of pages, `patterns` the contents of
    synced patterns by id, `slug_keepers` the pages that keep their slugs, and `error` the reason
    why the file is cut.
    """

    def __init__(self, file: Path, source: Path) -> None:
        self._source = source
        self.home, self.pages, self.error, reason = "", 0, "", ""
        self.patterns: dict[int, str] = {}
        self.slug_keepers = SlugKeepers()
        self._authors: dict[str, int] = {}
        try:
            for texts, _ in self._items():
                number = parse_integer(texts.get("post_id")) or 0
                is_public = texts.get("status") == "publish" and not texts.get("post_password")
                if _is_page(texts):
                    self.pages += 1
                    self.slug_keepers.add(number, {**texts, "slug": texts.get("post_name", "")})
                elif texts.get("post_type") == "wp_block" and is_public and number:
                    self.patterns[number] = texts.get("content", "")
        except READ_ERRORS as error:
            reason = str(error)
        if not (reason or self.home):
            reason = "it names no site"
        if reason and not self.pages:
            raise CannotBegin(NO_EXPORT.format(file=file, reason=reason))
        if reason:
            self.error = CUT.format(file=file, pages=self.pages, reason=reason)

    def read(self, statuses: Collection[str], since: str) -> Iterator[Row]:
        """Yield the pages with some statuses that were modified after a time.

        A time without a zone is compared with local dates, as in WordPress.
        """
        names = {name for text in statuses for name in text.replace(",", " ").split()} or {"any"}
        after = datetime.fromisoformat(since or "0001-01-01")
        column = "modified_gmt" if after.tzinfo else "modified"
        date = f"{after.astimezone(UTC) if after.tzinfo else after:%Y-%m-%d %H:%M:%S}"
        with suppress(*READ_ERRORS):
            for texts, element in self._items():
                if _is_page(texts):
                    page = self._page(texts, element)
                    # Older files have no modification dates.
                    is_selected = not (since and page[column]) or page[column] > date
                    if is_selected and names & {"any", page["status"]}:
                        yield page

    def _items(self) -> Iterator[tuple[dict[str, str], Element]]:
        """Yield the texts of each item, and its element."""
        parents: list[Element] = []
        binary = self._source.open("rb")
        with Repaired(binary, "utf-8-sig", "surrogateescape") as source:
            if match := OTHER_ENCODING.match(binary.peek().removeprefix(BOM_UTF8)):
                raise LookupError(f"it is in {match[1].decode()}, and not in UTF-8")
            for event, element in iterparse(source, ("start", "end")):
                if event == "start":
                    parents.append(element)
                    continue
                parents.pop()
                name = _name(element)
                if name == "base_blog_url":
                    self.home = (element.text or "").strip(XML_BLANKS)
                elif name == "author":
                    texts = _texts(element)
                    number = parse_integer(texts.get("author_id")) or 0
                    self._authors[texts.get("author_login", "")] = number
                elif name == "item":
                    yield _texts(element), element
                    # Free its memory.
                    parents[-1].remove(element)

    def _page(self, texts: dict[str, str], element: Element) -> Row:
        page: Row = {name: texts.get(f"post_{name}", texts.get(name, "")) for name in PAGE_COLUMNS}
        meta = _meta(element)
        page |= {
            "id": parse_integer(texts.get("post_id")),
            "slug": texts.get("post_name", ""),
            "author": self._authors.get(texts.get("creator", ""), 0),
            "template": meta.pop("_wp_page_template", ""),
            "floats": page["date_gmt"] == NO_DATE,
            "meta": {name: value for name, value in meta.items() if not name.startswith("_")},
        }
        repaired = storable(page, re.compile(MARK))
        return {**repaired, "repaired": repaired != page}


def _is_page(texts: Row) -> bool:
    return texts.get("post_type") == "page" and texts.get("status") != "auto-draft"


def _name(element: Element) -> str:
    """Return the name of an element of RSS or WordPress, or another name with its namespace."""
    match = ELEMENT_NAME.fullmatch(str(element.tag))
    if not match:
        return str(element.tag)
    return "excerpt" if match["wp"] else "content" if match[2] == "encoded" else match[2]


def _texts(element: Element) -> dict[str, str]:
    """Return the texts of the children of an element by their names."""
    texts = {_name(child): child.text or "" for child in element}
    return {n: text if n == "content" else text.strip(XML_BLANKS) for n, text in texts.items()}


def _meta(element: Element) -> dict[str, Any]:
    """Return the custom fields of a page; a field that is there several times is a list."""
    fields: dict[str, list[Any]] = {}
    for texts in (_texts(child) for child in element if _name(child) == "postmeta"):
        value = field_value(texts.get("meta_value", ""))
        fields.setdefault(texts.get("meta_key", ""), []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


class Repaired(io.TextIOWrapper):
    """The text of a file, with a mark in the place of invalid characters."""

    def read(self, size: int | None = -1) -> str:
        """Return the next lines; an empty text at the end."""
        return INVALID.sub(MARK, "".join(self.readlines(-1 if size is None else size)))
