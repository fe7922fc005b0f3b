"""Find the addresses and ids of pictures in pages, and replace them."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from landform.parts.moving_in.incoming import Incoming
from landform.parts.moving_in.wordpress.convert import UPLOADS
from landform.storage.rows import Row

# A word that may be an address, perhaps with the escapes of JSON.
WORD = re.compile(r"""(?:[^\s\\"'<>()\[\]{}|,;&?\#=!*$`]|\\/|\\u002d)+""")
# What has ids of pictures: a class, some blocks and the shortcode of a gallery; and the ids in it.
REFERENCE = re.compile(
    r"wp-image-[0-9]+|\[gallery\s[^\[\]<>]*"
    r"|<!--\s+wp:(?:core/)?(?:image|cover|media-text|gallery)\s[^<>]*"
)
IDS = re.compile(
    r"""wp-image-[0-9]+|\bids=["'][0-9,\s]+|"(?:id|mediaId)":\s*[0-9]+|"ids":\s*\[[0-9",\s]+"""
)
ID = re.compile("[0-9]{1,18}")
# Return what replaces an address, and an id.
ReplaceAddress: TypeAlias = Callable[[str], str]
ReplaceId: TypeAlias = Callable[[int], int]


def replace_in(page: Incoming, address: ReplaceAddress, number: ReplaceId) -> Incoming:
    """Return a page with other addresses and ids of pictures.

    `address` gets each word with a slash and a dot. Notes on addresses that are gone are dropped.
    A page that is nested too deep for it stays as it is.
    """
    if page.row is None:
        return page

    def replaced(row: Mapping[str, Any]) -> Row:
        new: Row = _replace(row, address, number)
        if "gallery" in new.get("meta", {}):
            new["meta"]["gallery"] = [_replace_id(item, number) for item in new["meta"]["gallery"]]
        return new

    try:
        row = replaced(page.row)
    except RecursionError:
        return page
    before, after = (set(UPLOADS.findall(one["content_raw"])) for one in (page.row, row))
    gone = {f"media {folder}" for folder in before - after}
    return page._replace(
        row=row, compared=replaced(page.compared), revisions=tuple(map(replaced, page.revisions)),
        notes=tuple(one for one in page.notes if one["code"] not in gone),
    )  # fmt: skip


def _replace(value: Any, address: ReplaceAddress, number: ReplaceId) -> Any:
    """Return a value with replaced addresses and ids, in texts at any depth."""
    if isinstance(value, Mapping):
        return {key: _replace(item, address, number) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, address, number) for item in value]
    if not isinstance(value, str):
        return value

    def replace_ids(match: re.Match[str]) -> str:
        return ID.sub(lambda digits: str(number(int(digits[0]))), match[0])

    def replace_address(match: re.Match[str]) -> str:
        word = match[0]
        if "/" not in word or "." not in word:
            return word
        # Escaped as in JSON, if it was.
        plain = word.replace("\\/", "/").replace("\\u002d", "-")
        new = address(plain)
        return word if new == plain else new.replace("/", "\\/" if "\\/" in word else "/")

    text = REFERENCE.sub(lambda match: IDS.sub(replace_ids, match[0]), value)
    return WORD.sub(replace_address, text)


def _replace_id(item: Any, number: ReplaceId) -> Any:
    """Return an item of a gallery with another id."""
    if isinstance(item, dict) and "id" in item:
        return {**item, "id": _replace_id(item["id"], number)}
    is_id = isinstance(item, (int, str)) and ID.fullmatch(str(item))
    return type(item)(number(int(item))) if is_id else item
