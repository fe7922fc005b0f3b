"""Metadata in pictures, such as where a photograph was taken: they are removed.

The pictures themselves stay as they are, byte by byte, with their colour profiles. What follows the
end of a picture is left out too. All this is done before Pillow reads a file: metadata can be made
to cost it minutes, or all memory.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from struct import error as StructError  # noqa: N812 - it is a class
from struct import pack, unpack_from

# The segments of a JPEG that it is shown with: of the file itself (APP0), the colours (APP2) and
# those of Adobe (APP14).
PROFILE = b"ICC_PROFILE\0"
MARKER = re.compile(rb"\xff([^\x00\xff\xd0-\xd7])")
START_OF_SCAN, END_OF_JPEG = 0xDA, 0xD9
PNG_CHUNKS = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST acTL fcTL fdAT cICP mDCV "
    b"mDCv cLLI cLLi".split()
)
WEBP_CHUNKS = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"))
# The bits of VP8X that say that there are EXIF and XMP.
WEBP_METADATA = 0b1100
GIF_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
# How many parts a file may have, and scans a JPEG: each costs time, however small it is.
MOST_PARTS, MOST_SCANS = 20_000, 100
# A part with EXIF, of a JPEG, a PNG or a WebP; and where EXIF begins in a file or a part.
EXIF = re.compile(rb"\xff\xe1..Exif\0\0|.{4}eXIf|EXIF", re.DOTALL)
TIFF = re.compile(rb"II\*\0|MM\0\*")
ORIENTATION = 0x0112


class Damaged(ValueError):
    """A picture that ends too early, or whose parts cannot be told apart."""


def without_metadata(data: bytes) -> tuple[bytes, int]:
    """Return the bytes of a picture without metadata, and its orientation in EXIF, by default 1.

    Raises `Damaged`. An AVIF stays as it is.
    """
    parts = next((WALKS[start] for start in WALKS if data.startswith(start)), _avif)
    kept, exif = list[bytes](), b""
    try:
        for number, (is_kept, part) in enumerate(parts(data)):
            if number == MOST_PARTS:
                raise Damaged("It has too many parts.")
            if is_kept:
                kept.append(part)
            elif not exif and EXIF.match(part):
                exif = part
    except (IndexError, StructError) as error:
        raise Damaged("It ends too early.") from error
    content, orientation = b"".join(kept), read_orientation(exif)
    if parts is _webp:
        content = content[:4] + pack("<I", len(content) - 8) + content[8:]
    return content, orientation


def read_orientation(exif: bytes) -> int:
    """Return the orientation in EXIF; 1, which is upright, if there is none."""
    return next((value for tag, _, value in _tags(exif) if tag == ORIENTATION), 1)


def _tags(exif: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the number, the count of values and the first small value of each tag.

    Raises `Damaged` for more tags, or more starts of EXIF, than `MOST_PARTS`.
    """
    left = MOST_PARTS
    for start in TIFF.finditer(exif):
        order = "<" if start[0].startswith(b"I") else ">"
        left -= 1
        # Damaged metadata do no harm: they are removed.
        with suppress(StructError):
            at = start.start() + unpack_from(f"{order}I", exif, start.start() + 4)[0]
            for number in range(unpack_from(f"{order}H", exif, at)[0]):
                tag, _, count, value = unpack_from(f"{order}HHIH", exif, at + 2 + 12 * number)
                yield tag, count, value
                left -= 1
        if left < 0:
            raise Damaged("It has too much EXIF.")


def _jpeg(data: bytes) -> Iterator[tuple[bool, bytes]]:
    yield True, data[:2]
    at, scans = 2, 0
    while True:
        # Between segments, and in the coded data of a scan, up to the next marker.
        match = MARKER.search(data, at)
        if not match:
            raise Damaged("It has no end.")
        yield scans > 0, data[at : match.start()].rstrip(b"\xff")
        marker, at = match[1][0], match.end()
        if marker == END_OF_JPEG:
            yield True, b"\xff\xd9"
            return
        scans += marker == START_OF_SCAN
        if scans > MOST_SCANS:
            raise Damaged("It has too many scans.")
        end = at + unpack_from(">H", data, at)[0]
        body = data[at + 2 : end]
        is_app, is_comment = 0xE0 <= marker <= 0xEF, marker == 0xFE
        is_shown = marker in (0xE0, 0xEE) or (marker == 0xE2 and body.startswith(PROFILE))
        yield is_shown or not (is_app or is_comment), bytes((0xFF, marker)) + data[at:end]
        at = end


def _png(data: bytes) -> Iterator[tuple[bool, bytes]]:
    yield True, data[:8]
    at, name = 8, b""
    while name != b"IEND":
        (size,), name = unpack_from(">I", data, at), data[at + 4 : at + 8]
        if len(name) < 4 or at + 12 + size > len(data):
            raise Damaged("A chunk ends too early.")
        yield name in PNG_CHUNKS, data[at : at + 12 + size]
        at += 12 + size


def _webp(data: bytes) -> Iterator[tuple[bool, bytes]]:
    end, at = 8 + unpack_from("<I", data, 4)[0], 12
    if end > len(data) + 1:
        raise Damaged("It ends too early.")
    # The size is written anew in the end.
    yield True, data[:at]
    while at + 8 <= min(end, len(data)):
        size = unpack_from("<I", data, at + 4)[0]
        chunk = data[at : at + 8 + size + size % 2]
        if chunk[:4] == b"VP8X":
            chunk = chunk[:8] + bytes((chunk[8] & ~WEBP_METADATA,)) + chunk[9:]
        yield chunk[:4] in WEBP_CHUNKS, chunk
        at += 8 + size + size % 2


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


def _gif(data: bytes) -> Iterator[tuple[bool, bytes]]:
    for kind, block in gif_blocks(data):
        is_graphic = block[1:2] == b"\xf9"
        is_loop = block[1:2] == b"\xff" and block[3:14] in GIF_APPLICATIONS
        yield kind != 0x21 or is_graphic or is_loop, block


def _avif(data: bytes) -> Iterator[tuple[bool, bytes]]:
    # Pillow copies the values of all tags, each of which may be as long as the file.
    if sum(count for _, count, _ in _tags(data)) > len(data):
        raise Damaged("Its metadata are longer than the file.")
    yield True, data


# By the first bytes of a file: its parts, each with whether it is kept.
WALKS = {b"\xff\xd8": _jpeg, b"\x89PNG": _png, b"RIFF": _webp, b"GIF8": _gif}
