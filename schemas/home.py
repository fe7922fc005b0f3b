"""Schemas of the root of the API, and of the caller."""

from typing import Any

from marshmallow import Schema, missing

from landform.schemas.fields import Output


class Link(Output):
    """A URL that is left out where no part serves it."""

    def __init__(self, about: str) -> None:
        super().__init__(about, optional=True)

    def _show(self, row: Any) -> Any:
        return row.get(self.name, missing)


class Home(Schema):
    """The root of the API, in JSON."""

    name = Output("The title of the site.")
    description = Output("The tagline of the site.")
    docs = Link("The URL of the docs page.")
    openapi = Link("The URL of the OpenAPI document.")
    wp_json = Link("The URL of the index for clients of WordPress.")


class Caller(Schema):
    """The caller: its name, its author id and its scopes."""

    name = Output("The name of the credential or key.")
    author = Output("The author of the pages that the caller creates.", int)
    scopes = Output("The scopes of the caller.", list[str])
