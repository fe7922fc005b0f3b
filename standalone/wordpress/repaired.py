"""Reads a file of XML as UTF-8, whatever encoding it declares, without what no XML may hold."""

import codecs
import re
from typing import IO

# What no XML may hold, with the bytes that are no characters, and what stands for it until it is
# found in a page.
BROKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd1\ufffe\uffff]")
MARK = "\ufdd0"
# What stands for a carriage return in CDATA, which XML takes for a line feed.
RETURN = "\ufdd1"
EDGE = re.compile(r"(<!\[CDATA\[|\]\]>)")
# What may be the beginning of an edge, where a text ends.
BEGUN = re.compile(r"(<(!(\[(C(D(A(TA?)?)?)?)?)?)?|\]\]?)\Z")
CHUNK = 1 << 16
DECLARED = re.compile(r"""(^\ufeff?\s*<\?xml\b[^>]*?\bencoding\s*=\s*["'])([A-Za-z][\w.-]*)""")
BEGIN = "<?xml"


class UnknownEncoding(ValueError):
    """A file declares an encoding that Python does not know."""


class Repaired:
    """A file as UTF-8, without the characters that no XML may hold."""

    def __init__(self, opened: IO[bytes]) -> None:
        self._opened = opened
        head = opened.read(CHUNK)
        opened.seek(0)
        self._is_first, self._rest = True, ""
        self._is_in_data = self._keeps_returns = False
        self._decoder = codecs.getincrementaldecoder(_encoding(head))("surrogateescape")

    def read(self, size: int = CHUNK) -> bytes:
        """Return the next bytes; none at the end."""
        while data := self._opened.read(size):
            if text := self._repaired(self._decoder.decode(data)):
                return text.encode()
        last = self._repaired(self._decoder.decode(b"", final=True)) + self._rest
        self._rest = ""
        return last.encode()

    def _repaired(self, text: str) -> str:
        if self._is_first and text:
            # What it declares is of no use to who reads UTF-8.
            text, self._is_first = DECLARED.sub(r"\1UTF-8", text), False
            # A file with returns everywhere got them on its way.
            self._keeps_returns = not text.partition("\n")[0].endswith("\r")
        text = BROKEN.sub(MARK, text)
        return self._with_returns(text) if self._keeps_returns else text

    def _with_returns(self, text: str) -> str:
        text = self._rest + text
        begun = BEGUN.search(text)
        end = begun.start() if begun else len(text)
        text, self._rest = text[:end], text[end:]
        pieces = EDGE.split(text)
        for number, piece in enumerate(pieces):
            if number % 2:
                self._is_in_data = piece != "]]>"
            elif self._is_in_data:
                pieces[number] = piece.replace("\r", RETURN)
        return "".join(pieces)


def _encoding(head: bytes) -> str:
    """Return the encoding of a file: by its mark, as it declares, or UTF-8."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    found = DECLARED.search(head.decode("latin-1"))
    if head.startswith(codecs.BOM_UTF8) or not found:
        return "utf-8"
    declared = found[2]
    try:
        is_like_ascii = BEGIN.encode().decode(declared) == BEGIN
    except (LookupError, ValueError) as error:
        raise UnknownEncoding(f"it declares the encoding {declared}, which is unknown") from error
    # What could be read so far is no UTF-16, whatever it says.
    return declared if is_like_ascii else "utf-8"
