"""Moving in from WordPress, with imports that are repeated until the day of the switch."""

from landform.parts.moving_in.models import ImportOrigin, ImportRun
from landform.parts.part import Part


class MovingIn(Part):
    """The import from WordPress, with its command and the tables of earlier imports."""

    tables = (ImportOrigin, ImportRun)
    variables = ("WORDPRESS_PASSWORD",)
