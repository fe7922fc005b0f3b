"""Files compressed by gzip: written, and unpacked up to a limit."""

import gzip
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

CHUNK = 1024 * 1024
HEADER_BYTES = 100
# A tenth larger than the best, in a fifth of the time.
LEVEL = 3
# Even a database of nothing but equal pages packs into a hundredth; what unpacks to much more is
# an attack on the disk.
MOST_UNPACKED, ALWAYS_UNPACKED = 250, 64 * 1024 * 1024


class Damaged(Exception):
    """A compressed file cannot be unpacked; the text says why."""


def is_compressed(file: Path) -> bool:
    """Return whether a file is compressed, by its name."""
    return file.suffix == ".gz"


def pack(source: Path, target: Path) -> None:
    """Write what a file holds as one that is compressed."""
    with source.open("rb") as full, _opened(target, "wb") as empty:
        shutil.copyfileobj(full, empty, CHUNK)


def unpack(source: Path, target: Path, announced: Callable[[bytes], int]) -> None:
    """Write what a compressed file holds; `Damaged` where that is more than is to be expected.

    `announced`: how many bytes there are, by the first `HEADER_BYTES`; 0 where the file is none of
    those that are wanted.
    """
    most = source.stat().st_size * MOST_UNPACKED + ALWAYS_UNPACKED
    with _opened(source, "rb") as full, target.open("wb") as empty:
        header = full.read(HEADER_BYTES)
        expected = announced(header)
        if not expected:
            raise Damaged("it holds no database")
        done = empty.write(header)
        while chunk := full.read(CHUNK):
            done += empty.write(chunk)
            if done > min(most, expected):
                raise Damaged(f"it unpacks to more than {min(most, expected):,} bytes")


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[gzip.GzipFile]:
    try:
        with gzip.GzipFile(path, mode, LEVEL) as opened:
            yield opened
    except (zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise Damaged("it is damaged") from error
