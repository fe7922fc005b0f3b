"""A translation in which each text of landform is marked: what has no mark cannot be translated."""

import re
from html import unescape
from pathlib import Path

import pytest

from landform.parts import all_parts
from landform.service.site.catalogs import TRANSLATIONS

FOLDERS = [TRANSLATIONS, *(part.translations for part in all_parts().values() if part.translations)]
# A language that landform does not have, from right to left.
LANGUAGE = "ar"
MARKED = re.compile("⟦[^⟦⟧]*⟧")
NO_TEXT = re.compile(r"<(style|script)\b.*?</\1>|<!.*?>", re.DOTALL)
READ_ALOUD = re.compile(r"""\s(?:aria-label|alt|title|placeholder)="([^"]*)""")


def write_marked_catalog(folder: Path) -> str:
    """Write a catalog with all texts of landform, and return the folder for the setting."""
    catalogs, mofile = (
        pytest.importorskip(f"babel.messages.{name}") for name in ("catalog", "mofile")
    )
    marked = catalogs.Catalog(LANGUAGE)
    for source in FOLDERS:
        with (source / "de/LC_MESSAGES/landform.mo").open("rb") as compiled:
            for message in mofile.read_mo(compiled):
                if message.id:
                    marked.add(message.id, f"⟦{message.id}⟧")
    file = folder / LANGUAGE / "LC_MESSAGES/landform.mo"
    file.parent.mkdir(parents=True)
    with file.open("wb") as written:
        mofile.write_mo(written, marked)
    return str(folder)


def unmarked_words(html: str) -> list[str]:
    """Return the words of a document, also those that are read aloud, that have no mark."""
    html = NO_TEXT.sub("", html)
    text = unescape(" ".join([re.sub("<[^>]*>", " ", html), *READ_ALOUD.findall(html)]))
    while (shorter := MARKED.sub("", text)) != text:
        text = shorter
    return re.findall(r"[^\W\d_]+", text)
