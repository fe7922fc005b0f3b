"""Schemas of the root of the API, and of the caller."""

from marshmallow import Schema

from landform.schemas.fields import Output


class Home(Schema):
    """The root of the API, in JSON."""

    name = Output("The title of the site.")
    description = Output("The tagline of the site.")
    docs = Output("The URL of the docs page.", optional=True)
    openapi = Output("The URL of the OpenAPI document.", optional=True)
    wp_json = Output("The URL of the index for clients of WordPress.", optional=True)


class Caller(Schema):
    """The caller: its name, its author id and its scopes."""

    name = Output("The name of the credential or key.")
    author = Output("The author of the pages that the caller creates.", int)
    scopes = Output("The scopes of the caller.", list[str])
