"""The errors of revisions."""

from landform.parts.errors import part_error

ParentNotFound = part_error("rest_post_invalid_parent", 404, "There is no such page.")
BeyondLastPage = part_error(
    "rest_revision_invalid_page_number", 400, "The page number is beyond the last page."
)
TrashNotSupported = part_error(
    "rest_trash_not_supported", 501, "Revisions have no trash: send force=true."
)
# With a code of the core.
RevisionNotFound = part_error("rest_post_invalid_id", 404, "The page has no such revision.")
