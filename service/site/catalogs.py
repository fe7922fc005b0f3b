"""The texts that landform shows to visitors, in the language of a page.

They are written in English in templates and as `Message`; catalogs of gettext translate them.
"""

import re
import struct
from collections.abc import Mapping, Sequence
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Self

from markupsafe import Markup

from landform.parts import all_parts
from landform.service.site.languages import direction_of

TRANSLATIONS = Path(__file__).parent / "translations"
FILES = "*/LC_MESSAGES/landform.mo"
PLACES = re.compile(r"%(?:\(\w+\)s|.?)", re.DOTALL)


class Message(str):
    """A text of landform, in English until a template or `Texts.gettext` translates it."""

    id: str
    values: Mapping[str, object]

    def __new__(cls, text: str, **values: object) -> Self:
        """Put values in places such as `%(number)s`; without any, a `%` is one."""
        message = super().__new__(cls, text % values if values else text)
        message.id, message.values = text, values
        return message


class Texts(NamedTuple):
    """The texts of landform in a language, for a document whose language may be another."""

    language: str
    document: str
    catalog: NullTranslations

    def gettext(self, text: str) -> str:
        """Return the translation of a text or `Message`; as it is where no catalog has it.

        A translation with other places for values than its text is a mistake, and not used.
        """
        source, values = (text.id, text.values) if isinstance(text, Message) else (text, {})
        translated = self.catalog.gettext(source)
        if "%(" in source and {*PLACES.findall(translated)} != {*PLACES.findall(source)}:
            translated = source
        return translated % values if values else translated

    def lang(self, text: str | None = None) -> Markup:
        """Return the attributes `lang` and `dir` for an element with a text of landform.

        Empty where the document has that language, and for a `text` that is no `Message`.
        """
        is_same = f"{self.document}-".lower().startswith(f"{self.language}-".lower())
        if is_same or not (text is None or isinstance(text, Message)):
            return Markup()
        direction = direction_of(self.language)
        return Markup(' lang="{}" dir="{}"').format(self.language, direction)


class Catalogs:
    """The catalogs of landform, of its parts, and of a folder, which come first.

    Raises `ValueError` for one of the folder that cannot be read.
    """

    def __init__(self, folder: str | None) -> None:
        of_parts = [part.translations for part in all_parts().values() if part.translations]
        own = [Path(folder)] if folder else []
        self.files: dict[str, list[bytes]] = {}
        self._loaded: dict[tuple[str, ...], NullTranslations] = {}
        for root in (*own, *of_parts, TRANSLATIONS):
            for file in sorted(root.glob(FILES)):
                content, name = file.read_bytes(), file.parts[-3]
                self.files.setdefault(name.replace("_", "-").lower(), []).append(content)
                if root in own:
                    _check(file, content)

    def texts(self, tags: Sequence[str]) -> Texts:
        """Return the texts in the first language that has a catalog, or in English.

        `tags`: the first one is the language of the document. `de-AT` is found as `de` too.
        """
        for tag in tags:
            parts = tag.split("-")
            ends = ("-".join(parts[:end]) for end in range(len(parts), 0, -1))
            names = [end for end in ends if end.lower() in self.files or end.lower() == "en"]
            if names:
                return Texts(names[0], tags[0], self._load(tuple(map(str.lower, names))))
        return Texts("en", tags[0], self._load(("en",)))

    def _load(self, names: tuple[str, ...]) -> NullTranslations:
        """Return the catalogs of some languages, each the fallback of the one before."""
        if names not in self._loaded:
            chain = NullTranslations()
            for content in (content for name in names for content in self.files.get(name, ())):
                chain.add_fallback(GNUTranslations(BytesIO(content)))
            self._loaded[names] = chain
        return self._loaded[names]


def _check(file: Path, content: bytes) -> None:
    """Raise `ValueError` for a file that is no catalog."""
    try:
        GNUTranslations(BytesIO(content))
    except (OSError, ValueError, LookupError, struct.error) as error:
        place = "/".join(file.parts[-3:])
        raise ValueError(f"translations: {place} cannot be read: {error}") from None
