"""Previews of pages: requests for one, and responses."""

from marshmallow import EXCLUDE, Schema, fields

from landform.schemas.fields import Integer

DAY = 24 * 60 * 60


class PreviewWrite(Schema):
    """The body that asks for a preview."""

    class Meta:
        unknown = EXCLUDE

    expires_in = Integer(minimum=1, maximum=30 * DAY, load_default=DAY)


class PagePreview(Schema):
    """A preview: its token, the address with the token in it, and when both end."""

    id = fields.Integer()
    token = fields.String()
    link = fields.String()
    expires = fields.String()
    expires_gmt = fields.String()


class PreviewsRevoked(Schema):
    """The response that no preview of the page is left."""

    revoked = fields.Constant(True)
