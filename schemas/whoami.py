"""What a caller looks like to itself."""

from marshmallow import Schema, fields


class Caller(Schema):
    """Who is calling: the name of a credential or key, the author of its pages, its scopes."""

    name = fields.String()
    author = fields.Integer()
    scopes = fields.List(fields.String())
