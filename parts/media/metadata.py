"""Metadata in pictures, such as where a photograph was taken: they are removed.

The pictures themselves stay as they are, byte by byte, with their colour profiles. What follows the
end of a picture is left out too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from struct import error as StructError  # noqa: N812 - it is a class
from struct import pack, unpack_from

# The segments of a JPEG that it is shown with: of the file itself (APP0), the colours (APP2) and
# those of Adobe (APP14).
PROFILE = b"ICC_PROFILE\0"
MARKER = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])")
START_OF_SCAN, END_OF_JPEG = 0xDA, 0xD9
PNG_CHUNKS = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST acTL fcTL fdAT cICP mDCV "
    b"mDCv cLLI cLLi".split()
)
WEBP_CHUNKS = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"))
# The bits of VP8X that say that there are EXIF and XMP.
WEBP_METADATA = 0b1100
GIF_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


class Damaged(ValueError):
    """A picture that ends too early, or whose parts cannot be told apart."""


def without_metadata(data: bytes, kind: str) -> bytes:
    """Return the bytes of a picture without metadata; raises `Damaged`.

    `kind`: its format. Those of an AVIF are not removed.
    """
    pieces = PIECES.get(kind)
    if pieces is None:
        return data
    try:
        return b"".join(pieces(data))
    except (IndexError, StructError) as error:
        raise Damaged("It ends too early.") from error


def _jpeg(data: bytes) -> Iterator[bytes]:
    yield data[:2]
    at = 2
    while True:
        # Between segments, and in the coded data of a scan, up to the next marker.
        match = MARKER.search(data, at)
        if not match:
            raise Damaged("It has no end.")
        yield data[at : match.start()]
        marker, at = match[1][0], match.end()
        if marker == END_OF_JPEG:
            yield b"\xff\xd9"
            return
        end = at + unpack_from(">H", data, at)[0]
        body = data[at + 2 : end]
        is_app, is_comment = 0xE0 <= marker <= 0xEF, marker == 0xFE
        is_shown = marker in (0xE0, 0xEE) or (marker == 0xE2 and body.startswith(PROFILE))
        if is_shown or not (is_app or is_comment):
            yield bytes((0xFF, marker)) + data[at:end]
        at = end


def _png(data: bytes) -> Iterator[bytes]:
    yield data[:8]
    at, name = 8, b""
    while name != b"IEND":
        (size,), name = unpack_from(">I", data, at), data[at + 4 : at + 8]
        if len(name) < 4 or at + 12 + size > len(data):
            raise Damaged("A chunk ends too early.")
        if name in PNG_CHUNKS:
            yield data[at : at + 12 + size]
        at += 12 + size


def _webp(data: bytes) -> Iterator[bytes]:
    end, at, chunks = 8 + unpack_from("<I", data, 4)[0], 12, list[bytes]()
    if end > len(data) + 1:
        raise Damaged("It ends too early.")
    while at + 8 <= min(end, len(data)):
        size = unpack_from("<I", data, at + 4)[0]
        chunk = data[at : at + 8 + size + size % 2]
        if chunk[:4] == b"VP8X":
            chunk = chunk[:8] + bytes((chunk[8] & ~WEBP_METADATA,)) + chunk[9:]
        if chunk[:4] in WEBP_CHUNKS:
            chunks.append(chunk)
        at += 8 + size + size % 2
    yield b"RIFF" + pack("<I", 4 + sum(map(len, chunks))) + b"WEBP"
    yield from chunks


def gif_blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of a GIF, each with its first byte: the header has 0, a frame 0x2C.

    Raises an error for one that has no end.
    """
    at = 13 + _table_size(data[10])
    yield 0, data[:at]
    while data[at] != 0x3B:
        start, kind = at, data[at]
        if kind == 0x2C:
            at += 11 + _table_size(data[at + 9])
        elif kind == 0x21:
            at += 2
        else:
            raise Damaged("It has an unknown block.")
        while size := data[at]:
            at += size + 1
        at += 1
        yield kind, data[start:at]
    yield 0x3B, b";"


def _table_size(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _gif(data: bytes) -> Iterator[bytes]:
    for kind, block in gif_blocks(data):
        is_graphic = block[1:2] == b"\xf9"
        is_loop = block[1:2] == b"\xff" and block[3:14] in GIF_APPLICATIONS
        if kind != 0x21 or is_graphic or is_loop:
            yield block


PIECES: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "JPEG": _jpeg, "PNG": _png, "WEBP": _webp, "GIF": _gif,
}  # fmt: skip
