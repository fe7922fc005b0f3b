"""Where visitors find a page: the last part of the address that its slug gives it."""

from collections.abc import Collection
from urllib.parse import unquote

from landform.storage.pages.slugs import slugify


def address(slug: str, reserved: Collection[str] | None) -> str | None:
    """Return what the URL of a page with this slug ends with; None where it can have none.

    `reserved`: what other addresses of the service begin with, which no slug can hide; None where
    landform does not serve the pages itself.
    """
    if reserved is None:
        return slug
    if slug in reserved:
        return None
    if "%" in slug and slugify(unquote(slug)) != slug:
        # Decoded it would be another slug: the percent signs are a part of this one.
        return slug.replace("%", "%25")
    return slug
