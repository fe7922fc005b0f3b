"""What clients of WordPress and Gravity Forms ask for beside pages and feeds, below `/wp-json`."""

from dataclasses import dataclass

from landform.parts.errors import errors_in
from landform.parts.part import HomeLink, Part
from landform.parts.wordpress import errors


@dataclass(frozen=True, kw_only=True)
class WordPress(Part):
    """Indexes of routes, users, statuses and the like, where a blueprint has `wp_json_paths`."""

    errors = errors_in(errors)
    home_links = (
        HomeLink(
            "/wp-json/",
            "The index for clients of WordPress and Gravity Forms",
            "wp_json",
            rel="https://api.w.org/",
        ),
    )
