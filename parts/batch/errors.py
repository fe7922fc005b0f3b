"""The errors of batches."""

from landform.parts.errors import part_error

BatchNotAllowed = part_error(
    "rest_batch_not_allowed", 400, "This operation cannot be a part of a batch."
)
