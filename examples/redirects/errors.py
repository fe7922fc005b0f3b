"""The errors of redirects."""

from landform.parts.errors import part_error

RedirectNotFound = part_error("rest_redirect_invalid_id", 404, "There is no such redirect.")
RedirectExists = part_error(
    "rest_redirect_exists", 409, "There is a redirect from this path already: delete it first."
)
