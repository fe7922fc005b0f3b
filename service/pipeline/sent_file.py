"""A file in a call: the body of a request, a part of a form, or an argument in Python."""

import hashlib
import os
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from marshmallow import ValidationError


class SentFile(NamedTuple):
    """The bytes of a file, which may be on disk, and its headers, None for each that is missing.

    `is_part`: whether it is a part of a form, with headers of its own.
    """

    stream: IO[bytes]
    size: int
    disposition: str | None
    content_type: str | None
    is_part: bool = True

    def digest(self, algorithm: str = "sha256") -> bytes:
        """Return the digest of the bytes."""
        self.stream.seek(0)
        # MD5 is what clients send to have a transfer checked.
        made = hashlib.new(algorithm, usedforsecurity=False)
        while piece := self.stream.read(1 << 16):
            made.update(piece)
        return made.digest()


def size_of(stream: IO[bytes]) -> int:
    """Return the number of bytes of a file, and go back to its start."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size


def from_python(name: str, value: Any) -> SentFile:
    """Return the file of an argument: bytes, a path, or an open file with a `name` or without."""
    if isinstance(value, bytes | bytearray):
        stream: Any = BytesIO(value)
    elif isinstance(value, str | os.PathLike):
        stream = BytesIO(Path(value).read_bytes())
        stream.name = os.fspath(value)
    else:
        stream = value
    if not (hasattr(stream, "read") and hasattr(stream, "seek")):
        raise ValidationError(f"{name} must be bytes, a path or a binary file.", name)
    file_name = os.path.basename(str(getattr(stream, "name", "")) or "file").replace('"', "_")
    return SentFile(stream, size_of(stream), f'form-data; filename="{file_name}"', None)
