"""Packed files, .gz and .zst: written, and unpacked no further than they may be meant to."""

import gzip
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from landform.storage.errors import BackupRefused

CHUNK = 1024 * 1024
HEADER_BYTES = 100
# Of gzip: a tenth larger than its best, in a fifth of the time.
LEVEL = 3
# Even a database of nothing but equal pages packs into a hundredth; what unpacks to much more is
# meant to fill the disk.
MOST_UNPACKED, ALWAYS_UNPACKED = 250, 64 * 1024 * 1024


class Damaged(Exception):
    """A packed file cannot be unpacked; the text says why."""


def is_packed(file: Path) -> bool:
    """Say whether a file is packed, by its name."""
    return file.suffix in PACKERS


def pack(source: Path, target: Path, suffix: str) -> None:
    """Write what a file holds as one that is packed, as files with a suffix are."""
    with source.open("rb") as full, _opened(target, "wb", suffix) as empty:
        shutil.copyfileobj(full, empty, CHUNK)


def unpack(source: Path, target: Path, announced: Callable[[bytes], int]) -> None:
    """Write what a packed file holds; `Damaged` where that is more than is to be expected.

    `announced`: how many bytes there are, by the first `HEADER_BYTES`; 0 where the file is none of
    those that are wanted.
    """
    most = source.stat().st_size * MOST_UNPACKED + ALWAYS_UNPACKED
    with _opened(source, "rb", source.suffix) as full, target.open("wb") as empty:
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
def _opened(path: Path, mode: str, suffix: str) -> Iterator[IO[bytes]]:
    opener, damages = PACKERS[suffix]()
    try:
        with opener(path, mode) as opened:
            yield opened
    except damages as error:
        raise Damaged("it is damaged") from error


# What opens a packed file, and what it raises for one that is damaged.
Packer = tuple[Callable[[Path, str], IO[bytes]], tuple[type[Exception], ...]]


def _gzip() -> Packer:
    def opener(path: Path, mode: str) -> IO[bytes]:
        return cast("IO[bytes]", gzip.open(path, mode, LEVEL))

    return opener, (zlib.error, gzip.BadGzipFile, EOFError)


def _zstandard() -> Packer:
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise BackupRefused("For .zst install landform[zstd], or take .gz.") from None
    opener: Any = zstandard.open
    return opener, (zstandard.ZstdError, EOFError)


PACKERS: dict[str, Callable[[], Packer]] = {".gz": _gzip, ".zst": _zstandard}
