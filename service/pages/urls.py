"""The URLs of pages."""

from collections.abc import Collection
from typing import NamedTuple

from landform.storage.pages.slugs import path_segment
from landform.storage.rows import Row

# The statuses of pages with an address of their own.
LINKED = ("publish", "private")


class Urls(NamedTuple):
    """The start of the links of pages, and of their `_links` below `/wp-json`.

    `reserved`: slugs that are other addresses of the service; None if landform does not serve pages
    to visitors. `home`: the slug of the home page.
    """

    public: str
    wordpress: str = ""
    reserved: Collection[str] | None = None
    home: str | None = None

    def page_link(self, row: Row) -> str:
        """Return the public URL of a page. It needs `id`, `slug` and `status`."""
        has_address = row["slug"] and row["status"] in LINKED
        ending = self.address(row["slug"]) if has_address else None
        return f"{self.public}/" + (f"?page_id={row['id']}" if ending is None else ending)

    def address(self, slug: str) -> str | None:
        """Return the end of the URL of a page, or None for a reserved slug."""
        if slug == self.home:
            return ""
        if self.reserved is not None:
            if slug in self.reserved:
                return None
            # Most slugs have no `%`.
            slug = path_segment(slug) if "%" in slug else slug
        return f"{slug}/"
