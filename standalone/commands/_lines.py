"""The lines of an export: the schema of each resource."""

from typing import Any

from marshmallow import Schema

from landform.schemas.export import FeedLine, PageLine

Line = dict[str, Any]
LINES: dict[str, Schema] = {"page": PageLine(), "feed": FeedLine()}
