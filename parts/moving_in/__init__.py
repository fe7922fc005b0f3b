"""Moving in from WordPress: pages and feeds are imported again and again until the switch."""

from landform.parts.moving_in.models import ImportOrigin, ImportRun
from landform.storage.part import Part


class MovingIn(Part):
    """The import from WordPress: a command, and what it remembers of each import."""

    tables = (ImportOrigin, ImportRun)
    variables = ("WORDPRESS_PASSWORD",)
