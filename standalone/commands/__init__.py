"""The commands of `landform`: each module of this package adds its own to the group.

A module whose name begins with an underscore holds what several of them need.
"""

import os

import click

from landform.standalone.settings import SettingError
from landform.storage import StorageError


class Group(click.Group):
    """A group whose failures are a sentence, not a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; settings and storage that cannot be used end it with their message."""
        before = dict(os.environ)
        try:
            return super().invoke(ctx)
        except (SettingError, StorageError) as error:
            raise click.ClickException(str(error)) from error
        finally:
            os.environ.clear()
            os.environ.update(before)


landform = Group("landform", help="Landing pages and form feeds over HTTP.")
