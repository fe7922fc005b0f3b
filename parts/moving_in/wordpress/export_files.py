"""Reads the files of WordPress (WXR) and of Gravity Forms, as their REST APIs would show them."""

import io
import re
import shutil
import tempfile
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError  # nosec B405 # defusedxml parses

import orjson
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from landform.parts.moving_in.wordpress.client import CannotBegin
from landform.parts.moving_in.wordpress.site import SlugOwners
from landform.parts.moving_in.wordpress.values import field_value, storable, whole
from landform.storage.rows import Row

# The columns of a page whose elements have their names, some of them with `post_` before.
COLUMNS = (
    "date", "date_gmt", "modified", "modified_gmt", "status", "password", "parent", "menu_order",
    "link", "title", "content", "excerpt",
)  # fmt: skip
NO_DATE = "0000-00-00 00:00:00"
NO_EXPORT = "{file} is no export of {program}: {reason}."
CUT = "{file} ends or breaks after {pages:,} pages: {reason}. Export it again, and take that file."
# What no XML may hold, with the bytes that are no characters, and what stands for it until it is
# found in a page.
BROKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
MARK = re.compile("\ufdd0")
# An element by its namespace: those of podcasts and media have names that are the same.
ELEMENT_NAMES = re.compile(
    r"""(?:\{https?://(?:www\.)?wordpress\.org/export/[0-9.]+/(?P<wp>excerpt/)?\}
        |\{https?://purl\.org/(?:rss/1\.0/modules/content|dc/elements/1\.1)/\})?([^{}]+)
    """,
    re.VERBOSE,
)
# White space around a text, which pretty printers add.
XML_BLANKS = " \t\r\n"
NO_SITE = "it names no site"
READ_FAILURES = (ParseError, DefusedXmlException, LookupError, ValueError)
DECLARED = re.compile(
    rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["'](?!utf-?8["'])([^"']*)""", re.IGNORECASE
)


class Export:
    """A file that WordPress exported.

    Once `read` has begun, `home` is the address of its site, `pages` the number of its pages,
    `patterns` the contents of its synced patterns by id, `slugs` whose its slugs are, and `broken`
    says why it ends before its end, where it is not whole.
    """

    def __init__(self, file: Path) -> None:
        self._file = self._source = file
        self.home, self.pages, self.broken = "", 0, ""
        self.patterns: dict[int, str] = {}
        self.slugs = SlugOwners()
        self._authors: dict[str, int] = {}

    def read(self, statuses: Collection[str], since: str) -> Iterator[Row]:
        """Yield its pages as the REST API would show them; `CannotBegin` for another file.

        Only those with some statuses, if any are given, that were modified after a moment: as
        WordPress does it, the local date, or UTC if the moment has a zone.
        """
        wanted = {word for text in statuses for word in text.replace(",", " ").split()} or {"any"}
        after = datetime.fromisoformat(since or "0001-01-01")
        column = "modified_gmt" if after.tzinfo else "modified"
        moment = f"{after.astimezone(UTC) if after.tzinfo else after:%Y-%m-%d %H:%M:%S}"

        def is_wanted(page: Row) -> bool:
            return bool(wanted & {"any", page["status"]}) and (not since or page[column] > moment)

        if self._file.is_file():
            yield from self._read(is_wanted)
            return
        # A pipe is read once only.
        with tempfile.NamedTemporaryFile() as copy:
            with self._file.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
            copy.flush()
            self._source = Path(copy.name)
            yield from self._read(is_wanted)

    def _read(self, is_wanted: Callable[[Row], bool]) -> Iterator[Row]:
        self._look_through()
        with suppress(*READ_FAILURES):
            for texts, element in self._items():
                if _is_page(texts) and is_wanted(page := self._page(texts, element)):
                    yield page

    def _look_through(self) -> None:
        """Read what has to be known before the first page, whatever comes first in the file."""
        reason = ""
        try:
            for texts, _ in self._items():
                if _is_page(texts):
                    self.pages += 1
                    page = {**texts, "slug": texts.get("post_name", "")}
                    self.slugs.add(whole(texts.get("post_id")) or 0, page)
                elif texts.get("post_type") == "wp_block":
                    is_public = texts.get("status") == "publish" and not texts.get("post_password")
                    if is_public and (number := whole(texts.get("post_id"))):
                        self.patterns[number] = texts.get("content", "")
        except READ_FAILURES as error:
            reason = str(error)
        if not reason and self.home:
            return
        text = (CUT if self.pages else NO_EXPORT).format(
            file=self._file, program="WordPress", pages=self.pages, reason=reason or NO_SITE
        )
        if not self.pages:
            raise CannotBegin(text)
        self.broken = text

    def _items(self) -> Iterator[tuple[dict[str, str], Element]]:
        """Yield the texts of each item, and the item."""
        parents: list[Element] = []
        opened = self._source.open("rb")
        with Repaired(opened, "utf-8-sig", "surrogateescape") as source:
            if found := DECLARED.match(opened.peek().removeprefix(BOM_UTF8)):
                raise LookupError(f"it is in {found[1].decode()}, and not in UTF-8")
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
                    number = whole(texts.get("author_id")) or 0
                    self._authors[texts.get("author_login", "")] = number
                elif name == "item":
                    yield _texts(element), element
                    # What was read is not held any longer.
                    parents[-1].remove(element)

    def _page(self, texts: dict[str, str], element: Element) -> Row:
        page: Row = {name: texts.get(f"post_{name}", texts.get(name, "")) for name in COLUMNS}
        meta = _meta(element)
        page |= {
            "id": whole(texts.get("post_id")),
            "slug": texts.get("post_name", ""),
            "author": self._authors.get(texts.get("creator", ""), 0),
            "template": meta.pop("_wp_page_template", ""),
            "floats": page["date_gmt"] == NO_DATE,
            "meta": {name: value for name, value in meta.items() if not name.startswith("_")},
        }
        repaired = storable(page, MARK)
        return {**repaired, "repaired": repaired != page}


def _is_page(texts: Row) -> bool:
    return texts.get("post_type") == "page" and texts.get("status") != "auto-draft"


def _name(element: Element) -> str:
    """Return the name of an element of RSS or WordPress; of others one that nothing here has."""
    found = ELEMENT_NAMES.fullmatch(str(element.tag))
    if not found:
        return str(element.tag)
    return "excerpt" if found["wp"] else "content" if found[2] == "encoded" else found[2]


def _texts(element: Element) -> dict[str, str]:
    """Return the texts of an element's children by their names, content and excerpt among them."""
    found = {}
    for child in element:
        name, text = _name(child), child.text or ""
        found[name] = text if name == "content" else text.strip(XML_BLANKS)
    return found


def _meta(element: Element) -> dict[str, Any]:
    """Return the custom fields of a page; one that is there several times is a list."""
    found: dict[str, list[Any]] = {}
    for child in element:
        if _name(child) == "postmeta":
            texts = _texts(child)
            value = field_value(texts.get("meta_value", ""))
            found.setdefault(texts.get("meta_key", ""), []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


class Repaired(io.TextIOWrapper):
    """The text of a file of XML, without what no XML may hold."""

    def read(self, size: int | None = -1) -> str:
        """Return the next lines; nothing at the end."""
        return BROKEN.sub("\ufdd0", "".join(self.readlines(-1 if size is None else size)))


def read_forms(file: Path) -> Iterator[Row]:
    """Yield the feeds in an export of Gravity Forms: those of add-ons that export theirs."""
    reason = "it holds no forms"
    try:
        forms = orjson.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        forms, reason = None, f"it is no JSON ({error})"
    if not isinstance(forms, dict):
        raise CannotBegin(NO_EXPORT.format(file=file, program="Gravity Forms", reason=reason))
    for form in forms.values():
        if isinstance(form, dict):
            for feed in _feeds(form.get("feeds"), ""):
                yield {"form_id": form.get("id"), **feed}


def _feeds(found: Any, slug: str) -> Iterator[Row]:
    """Yield feeds: of a list, by their add-ons, or by their ids."""
    if isinstance(found, list):
        yield from ({"addon_slug": slug, **feed} for feed in found if isinstance(feed, dict))
    elif isinstance(found, dict):
        for name, inner in found.items():
            is_feed = isinstance(inner, dict) and ("id" in inner or "meta" in inner)
            yield from _feeds([inner], slug) if is_feed else _feeds(inner, name)
