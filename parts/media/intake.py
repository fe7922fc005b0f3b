"""The file of a create: its refusals, in the order of WordPress, and the picture made of it."""

import base64
from collections.abc import Mapping

from landform.parts.errors import PartError
from landform.parts.media import errors as e
from landform.parts.media import pictures
from landform.parts.media.names import NAMELESS, FileName, read_disposition
from landform.parts.media.storage import new_folder
from landform.service.pipeline.call import Call
from landform.service.pipeline.sent_file import SentFile
from landform.storage.rows import Row, json_text

MD5_HEADER = "Content-MD5"


def receive(call: Call) -> tuple[FileName, Row, Mapping[str, bytes]]:
    """Return the name of the file that was sent, the columns of its picture, and its files.

    The files are by their paths. Raises the errors of `errors`.
    """
    file = call.incoming.file
    name = _check(file)
    assert file is not None  # nosec B101
    sent = call.incoming.headers.get(MD5_HEADER, "").strip()
    if sent:
        digest = file.digest("md5")
        if sent.lower() != digest.hex() and sent != base64.b64encode(digest).decode():
            raise e.HashMismatch
    refused: type[PartError] = e.PART_REFUSED if file.is_part else e.RAW_REFUSED
    try:
        with pictures.one_at_a_time():
            picture_set = pictures.make(file.stream)
    except pictures.Refused as error:
        raise refused(reason=str(error)) from error
    columns, contents = _columns(name, picture_set)
    return name, {**columns, "digest": file.digest().hex()}, contents


def _check(file: SentFile | None) -> FileName:
    """Return the name of a file; raises an error for one that lacks something."""
    if file is None or not (file.size or file.is_part):
        raise e.NoData
    name = read_disposition(file.disposition or "")
    if file.is_part:
        return name or FileName(NAMELESS, NAMELESS)
    if not file.content_type:
        raise e.NoContentType
    if not file.disposition:
        raise e.NoDisposition
    if name is None:
        raise e.InvalidDisposition
    return name


def _columns(name: FileName, picture_set: pictures.PictureSet) -> tuple[Row, Mapping[str, bytes]]:
    """Return the columns of a picture, and its files by their paths, in a new folder."""
    folder, extension = new_folder(), pictures.EXTENSIONS[picture_set.kind]
    picture, file = picture_set.picture, f"{name.stem}.{extension}"
    sizes, contents = [], {f"{folder}/{file}": picture.content}
    for size, width, height, content in picture_set.variants:
        variant = f"{name.stem}-{width}x{height}.{extension}"
        sizes.append({"name": size, "file": variant, "width": width, "height": height})
        contents[f"{folder}/{variant}"] = content
    columns = {
        "folder": folder,
        "file": file,
        "mime_type": pictures.MIME_TYPES[extension],
        "width": picture.width,
        "height": picture.height,
        "filesize": len(picture.content),
        "sizes": json_text(sizes),
    }
    return columns, contents
