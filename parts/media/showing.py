"""Pictures in the pages of the site: they have their size, and smaller ones to choose from."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import unquote

from landform.parts.media import storage
from landform.parts.part import PagePictures
from landform.service.pipeline.call import Call
from landform.service.rendering.markup import Token, tokens
from landform.service.site.documents import plain_text
from landform.service.site.pictures import attributes_of, gallery_pictures
from landform.storage.rows import Row

FILE_ADDRESS = re.compile(r"/media-files/([0-9a-z]{16,64})/([^/?#]+)")
CLASS = re.compile(r"(?:^|\s)wp-image-([0-9]{1,18})(?:\s|$)")
AFTER_PATH = re.compile(r"[?#].*", re.DOTALL)
# Of a content with more pictures the others stay as they are.
MOST_PICTURES = 200
# That of the size `medium_large`.
GALLERY_WIDTH = 768


class Size(NamedTuple):
    """A file of a picture."""

    url: str
    width: int
    height: int


def page_pictures(call: Call, page: Row, link: str, content: str) -> PagePictures | None:
    """Return the pictures of a page as visitors see them; None if it has none of landform's."""
    meta = json.loads(page["meta"])
    ids = storage.gallery_ids(meta)
    is_own = "<img" in content and ("/media-files/" in content or "wp-image-" in content)
    if not (ids or is_own):
        return None
    parts = [*tokens(content)] if is_own else [Token(content)]
    images = [place for place, part in enumerate(parts) if part.name == "img"][:MOST_PICTURES]
    attributes = {place: attributes_of(parts[place]) for place in images}
    rows = _Rows(call, ids, attributes.values())
    shown_sizes = dict[str, tuple[int, int]]()
    for place in images:
        if file_and_row := rows.find(attributes[place]):
            size, row = file_and_row
            shown_sizes[size.url] = size.width, size.height
            is_first = place == images[0]
            added = _missing(attributes[place], size, rows.sizes(row), is_first=is_first)
            parts[place] = Token(_with_attributes(parts[place].text, added))
    gallery = [*_gallery(meta, link, rows)]
    for item in gallery:
        if "width" in item:
            shown_sizes[item["url"]] = item["width"], item["height"]
    return PagePictures("".join(part.text for part in parts), gallery, shown_sizes, ("media",))


class _Rows:
    """The pictures that a page refers to, read at once."""

    def __init__(
        self, call: Call, ids: Sequence[int], images: Collection[Mapping[str, str]]
    ) -> None:
        self.base = f"{call.public_url}/media-files"
        folders = filter(None, (FILE_ADDRESS.search(image.get("src", "")) for image in images))
        numbers = filter(None, (CLASS.search(image.get("class", "")) for image in images))
        wanted = {*ids, *(int(number[1]) for number in numbers)}
        rows = storage.find_all(call.store, wanted, {folder[1] for folder in folders})
        self.by_id = {row["id"]: row for row in rows}
        self._files = {
            (key, size.url.rpartition("/")[2]): (size, row)
            for row in rows
            for size in self.sizes(row)
            for key in (row["folder"], str(row["id"]))
        }

    def find(self, image: Mapping[str, str]) -> tuple[Size, Row] | None:
        """Return the file that an image shows, and its picture; None if it is not landform's.

        An image that has only the id of a picture has to have the name of one of its files.
        """
        source = image.get("src", "")
        match = FILE_ADDRESS.search(source) or CLASS.search(image.get("class", ""))
        name = unquote(AFTER_PATH.sub("", source).rpartition("/")[2])
        return self._files.get((match[1], name)) if match else None

    def sizes(self, row: Row) -> list[Size]:
        """Return the files of a picture."""
        folder, variants = f"{self.base}/{row['folder']}", json.loads(row["sizes"])
        return [
            Size(f"{folder}/{file['file']}", file["width"], file["height"])
            for file in (row, *variants)
        ]


def _srcset(size: Size, sizes: Sequence[Size]) -> str:
    """Return the files with the proportions of one of them, for `srcset`; empty for one alone."""
    same = {
        variant.width: variant.url
        for variant in sizes
        if abs(variant.width * size.height / size.width - variant.height) <= 1
    }
    return ", ".join(f"{same[w]} {w}w" for w in sorted(same)) if len(same) > 1 else ""


def _missing(
    attributes: Mapping[str, str], size: Size, sizes: Sequence[Size], *, is_first: bool
) -> dict[str, str]:
    """Return the attributes that an image lacks."""
    width = attributes.get("width", "")
    shown_width = int(width) if width.isdecimal() and len(width) < 6 else size.width
    is_eager = is_first and attributes.get("loading") != "lazy"
    values = {"decoding": "async", **({"fetchpriority": "high"} if is_eager else {})}
    values |= {} if is_first else {"loading": "lazy"}
    if not attributes.keys() & {"width", "height"}:
        values |= {"width": str(size.width), "height": str(size.height)}
    if "srcset" not in attributes and (srcset := _srcset(size, sizes)):
        values |= {
            "srcset": srcset,
            "sizes": f"(max-width: {shown_width}px) 100vw, {shown_width}px",
        }
    return {name: value for name, value in values.items() if name not in attributes}


def _with_attributes(tag: str, values: Mapping[str, str]) -> str:
    added = "".join(f' {name}="{escape(value)}"' for name, value in values.items())
    end = "/>" if tag.endswith("/>") else ">"
    return f"{tag.removesuffix(end).rstrip()}{added}{' ' * (end == '/>')}{end}"


def _gallery(meta: Row, link: str, rows: _Rows) -> Iterator[dict[str, Any]]:
    """Yield the pictures of the gallery, those of landform with their sizes."""
    items = meta.get("gallery")
    for item in items if isinstance(items, list) else ():
        (number,) = storage.gallery_ids({"gallery": [item]}) or (0,)
        row = rows.by_id.get(number)
        if row is None:
            yield from gallery_pictures({"gallery": [item]}, link)
            continue
        sizes = rows.sizes(row)
        size = next((size for size in sizes if size.width == GALLERY_WIDTH), sizes[0])
        texts = {name: item[name] for name in ("alt", "caption")
                 if isinstance(item, dict) and isinstance(item.get(name), str)}  # fmt: skip
        caption = plain_text(row["caption_rendered"])
        plain = {"alt": row["alt_text"], "caption": caption, **texts}
        yield {"url": size.url, "width": size.width, "height": size.height, **plain,
               "srcset": _srcset(size, sizes)}  # fmt: skip
