"""Schemas of redirects."""

import re

from marshmallow import Schema, ValidationError

from landform.schemas import fields
from landform.schemas.fields import SHORT_TEXT, Output, UtcTime, required
from landform.schemas.known_names import Tolerant

# A path, without a query; `//host` would be another site.
PATH = re.compile(r"/(?![/\\])[^\s?#\\]*")
URL = re.compile(r"https?://[^\s/?#@\\]+([/?#][^\s\\]*)?")


def check_path(text: str) -> None:
    """Refuse a text that is not a path below the root, or is the root."""
    if not PATH.fullmatch(text) or not text.strip("/"):
        raise ValidationError("must be a path such as /old, without a query.")


def check_target(text: str) -> None:
    """Refuse a text that is neither a path nor an http or https URL."""
    if not (PATH.fullmatch(text.partition("?")[0]) or URL.fullmatch(text)):
        raise ValidationError("must be a path such as /new/, or an http or https URL.")


class RedirectCreate(Tolerant):
    """The body of a create."""

    path = fields.Text(
        "The path that is redirected, also with a slash at its end.",
        validate=check_path,
        line=True,
        longest=SHORT_TEXT,
        **required("path"),
    )
    target = fields.Text(
        "The path or URL that it leads to.", validate=check_target, line=True, **required("target")
    )


class Redirect(Schema):
    """A redirect."""

    id = Output("The number of the redirect.", int)
    path = Output("The path that is redirected.")
    target = Output("The path or URL that it leads to.")
    created = UtcTime("When the redirect was created.", attribute="created_utc")
