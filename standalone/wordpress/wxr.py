"""Reads the file that WordPress exports (WXR): its pages, as the REST API would show them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError  # nosec B405 # defusedxml parses

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from landform.standalone.wordpress.errors import CannotBegin
from landform.standalone.wordpress.repaired import MARK, RETURN, Repaired, UnknownEncoding
from landform.standalone.wordpress.values import unserialize

Row = dict[str, Any]
# The columns of a page, each with its element.
ELEMENTS = {
    **{
        name: f"post_{name}"
        for name in ("date", "date_gmt", "modified", "modified_gmt", "password", "parent")
    },
    **{"slug": "post_name", "status": "status", "menu_order": "menu_order"},
}
WHOLE = re.compile("-?[0-9]{1,40}")
NO_DATE = "0000-00-00 00:00:00"
NO_EXPORT = "{file} is no export of WordPress: {reason}."
CUT = "{file} ends or breaks after {pages:,} pages: {reason}. Export it again, and take that file."


class Export:
    """A file that WordPress exported. `home` is the address of its site once `read` has begun."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.home = ""
        self._authors: dict[str, int] = {}

    def read(self) -> Iterator[Row]:
        """Yield its pages as the REST API would show them; `CannotBegin` for another file."""
        pages = 0
        try:
            with self._file.open("rb") as opened:
                for page in self._items(Repaired(opened)):
                    pages += 1
                    yield page
        except (ParseError, DefusedXmlException, UnknownEncoding) as error:
            text = CUT if pages else NO_EXPORT
            raise CannotBegin(text.format(file=self._file, pages=pages, reason=error)) from error
        if not self.home:
            reason = "it names no site"
            raise CannotBegin(NO_EXPORT.format(file=self._file, reason=reason))

    def _items(self, source: Repaired) -> Iterator[Row]:
        parents: list[Element] = []
        for event, element in iterparse(source, ("start", "end")):
            if event == "start":
                parents.append(element)
                continue
            parents.pop()
            name = _name(element)
            if name == "base_blog_url":
                self.home = element.text or ""
            elif name == "author":
                login = _texts(element).get("author_login", "")
                self._authors[login] = _integer(_texts(element).get("author_id", "")) or 0
            elif name == "item":
                texts = _texts(element)
                if texts.get("post_type") == "page" and texts.get("status") != "auto-draft":
                    yield self._page(texts, element)
                # What was read is not held any longer.
                parents[-1].remove(element)

    def _page(self, texts: dict[str, str], element: Element) -> Row:
        page: Row = {name: texts.get(wanted, "") for name, wanted in ELEMENTS.items()}
        number = _integer(texts.get("post_id", ""))
        if number is None:
            return {**page, **_unidentified(_without_marks(texts))}
        meta = _meta(element)
        page |= {
            "id": number, "link": texts.get("link", ""),
            "title": texts.get("title", ""), "content": texts.get("content", ""),
            "excerpt": texts.get("excerpt", ""),
            "author": self._authors.get(texts.get("creator", ""), 0),
            "template": meta.pop("_wp_page_template", ""),
            "floats": page["date_gmt"] == NO_DATE,
        }  # fmt: skip
        for name in ("parent", "menu_order"):
            # What is no number is lost as one would be.
            page[name] = page[name] if _integer(page[name] or "0") is None else int(page[name] or 0)
        page["meta"] = {name: value for name, value in meta.items() if not name.startswith("_")}
        repaired = _without_marks(page)
        return {**repaired, "repaired": repaired != page}


def _integer(text: str) -> int | None:
    return int(text) if WHOLE.fullmatch(text.strip()) else None


def _unidentified(texts: dict[str, str]) -> Row:
    title, found = texts.get("title", ""), texts.get("post_id", "")
    told = f"the id {found[:40]!r}, which is no number" if found else "no id"
    return {"id": 0, "unreadable": f"({title[:80]}) has {told}"}


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _texts(element: Element) -> dict[str, str]:
    """Return the texts of an element's children by their names, content and excerpt among them."""
    found = {}
    for child in element:
        name = _name(child)
        if name == "encoded":
            name = "excerpt" if "excerpt" in str(child.tag) else "content"
        found[name] = (child.text or "").replace(RETURN, "\r")
    return found


def _meta(element: Element) -> dict[str, Any]:
    """Return the custom fields of a page; one that is there several times is a list."""
    found: dict[str, list[Any]] = {}
    for child in element:
        if _name(child) == "postmeta":
            texts = _texts(child)
            value = unserialize(texts.get("meta_value", ""))
            found.setdefault(texts.get("meta_key", ""), []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _without_marks(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(MARK, "\ufffd")
    if isinstance(value, dict):
        return {_without_marks(key): _without_marks(item) for key, item in value.items()}
    return [_without_marks(item) for item in value] if isinstance(value, list) else value
