"""The OpenAPI document, and `/docs`, a page to read and try the operations on."""

from dataclasses import dataclass

from landform.parts.part import HomeLink, Part


@dataclass(frozen=True, kw_only=True)
class OpenApi(Part):
    """The description of all operations."""

    home_links = (
        HomeLink("/docs", "Read and try the operations", "docs"),
        HomeLink("/openapi.json", "Their description in OpenAPI", "openapi"),
    )
