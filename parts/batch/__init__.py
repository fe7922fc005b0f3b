"""Batches: several writes in one request and one commit, at `/batch/v1`."""

from dataclasses import dataclass

from landform.parts.batch import errors
from landform.parts.errors import errors_in
from landform.parts.part import Part


@dataclass(frozen=True, kw_only=True)
class Batches(Part):
    """Batches of the write operations of all resources."""

    errors = errors_in(errors)
