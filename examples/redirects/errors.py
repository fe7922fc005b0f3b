"""The errors of redirects."""

from landform.storage.errors import PartError


class RedirectNotFound(PartError):
    """There is no such redirect."""

    code, status = "rest_redirect_invalid_id", 404


class RedirectExists(PartError):
    """There is a redirect from this path already: delete it first."""

    code, status = "rest_redirect_exists", 409
