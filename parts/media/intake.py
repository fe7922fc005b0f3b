"""A new file: its refusals in a create, in the order of WordPress, and the picture made of it."""

import base64
from collections.abc import Mapping
from typing import Any

from landform.parts.errors import PartError
from landform.parts.media import errors as e
from landform.parts.media import pictures, texts
from landform.parts.media.files import Files
from landform.parts.media.names import NAMELESS, FileName, file_name, read_disposition
from landform.parts.media.storage import free_slug, new_folder
from landform.service.auth.credentials import Identity
from landform.service.pipeline.call import Call
from landform.service.pipeline.sent_file import SentFile, from_python
from landform.storage.rows import Row, json_text
from landform.storage.store import Store

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
        return name, *_make(file, name)
    except pictures.Refused as error:
        raise refused(reason=str(error)) from error


def store(store: Store, files: Files, data: bytes, name: str, fields: Mapping[str, Any]) -> Row:
    """Store the files of a picture that is imported, and return its columns; raises `Refused`.

    HTML is not cleaned: the other site has done so when its authors sent it.
    """
    plain_name = file_name(name)
    picture, contents = _make(from_python("file", data), plain_name)
    values = {name: fields[name] for name in ("caption", "description", "alt_text")}
    values["title"] = fields["title"] or plain_name.title
    columns = texts.columns_of(values, Identity("import")) | picture
    columns["slug"] = free_slug(store, fields["slug"], columns)
    for path, content in contents.items():
        files.put(path, content)
    return columns


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


def _make(sent: SentFile, name: FileName) -> tuple[Row, Mapping[str, bytes]]:
    """Return the columns of the picture in a file, and its files by their paths, in a new folder.

    Raises `Refused`.
    """
    with pictures.one_at_a_time():
        picture_set = pictures.make(sent.stream)
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
        "digest": sent.digest().hex(),
    }
    return columns, contents
