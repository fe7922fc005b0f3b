"""A part: redirects of visitors from addresses that no page has."""

from dataclasses import dataclass
from typing import Any

from landform.parts.part import Part
from landform.parts.redirects.errors import RedirectExists, RedirectNotFound
from landform.parts.redirects.models import Redirect


@dataclass(frozen=True, kw_only=True)
class Redirects(Part):
    """Redirects, each from a path to a target."""

    tables = (Redirect,)
    scopes = ("redirects:write",)
    errors = (RedirectNotFound, RedirectExists)

    def redirect_target(self, store: Any, slug: str) -> str | None:
        """Return the URL to redirect visitors of `/<slug>/` to, where no page has this address."""
        from landform.parts.redirects import storage  # noqa: PLC0415 - needs the store

        row = storage.find(store, f"/{slug}")
        return row["target"] if row else None
