"""Access to pages, and how their replies may be cached."""

from marshmallow import ValidationError

from landform.service.pages.previews import signed_until
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import api_error
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import Caching
from landform.storage.pages.scheduling import Validity
from landform.storage.rows import Row

ONLY_PUBLISHED = "must be publish; others need credentials with the scope pages:read."


def check_context(call: Call) -> None:
    """Refuse callers who may not see pages in the requested context."""
    if call.query["context"] == "edit":
        call.access.require("pages:read", "rest_forbidden_context")
    call.access.reject_invalid_credentials()


def check_page(call: Call, page: Row, validity: Validity) -> tuple[bool, Caching]:
    """Refuse callers who may not see a page.

    Returns whether the reply shows the content, and how it may be cached.
    """
    password, preview = call.page_password, call.query["preview"]
    is_edit = call.query["context"] == "edit"
    check_context(call)
    if preview:
        until = signed_until(call.store, page["id"], preview)
        if until is None or page["status"] == "trash":
            raise api_error("rest_preview_ended")
    else:
        if page["status"] != "publish":
            call.access.require("pages:read")
        if password:
            call.access.check_password(page, password)
    is_unlocked = bool(password or preview)
    is_secret = bool(is_unlocked or is_edit or page["password"])
    caching = Caching(table="page", until=0 if is_unlocked else validity.until, is_secret=is_secret)
    return is_unlocked or is_edit or not page["password"], caching


def check_list(call: Call) -> JsonObject:
    """Refuse callers who may not see a list, and return its query with `unprotected_only`.

    Its password is compared when the pages are dumped.
    """
    query = {name: value for name, value in call.query.items() if name != "password"}
    sees_all = call.access.has_scope("pages:read")
    # Wrong credentials are reported as such, not as a status that needs other credentials.
    is_public = not (sees_all or call.access.is_rejected)
    if is_public and any(status != "publish" for status in query.get("status", ())):
        raise ValidationError(ONLY_PUBLISHED, "status")
    check_context(call)
    return {**query, "unprotected_only": not sees_all}
