"""The error codes of the service, with their statuses and meanings."""

from functools import cache

from landform.parts import all_parts

NO_BODY = ((400,), "The body must be a JSON object with the fields to write.")
NO_RIGHT = "Credentials are missing or wrong (401), or lack the scope (403)."
ERROR_CODES: dict[str, tuple[tuple[int, ...], str]] = {
    "rest_invalid_param": ((400,), "A parameter is wrong; nothing was changed."),
    "rest_missing_callback_param": ((400,), "A required field is missing."),
    "rest_invalid_json": ((400,), "The body is not JSON that can be stored."),
    "rest_bad_request": (
        (400, 408, 414, 431),
        "The request could not be read, came too slowly, or has a head that is too long.",
    ),
    "rest_post_exists": ((400,), "A page to be created must not have an id."),
    "empty_content": ((400,), "A page needs a title or content."),
    "rest_post_invalid_page_number": ((400,), "The page number is beyond the last page."),
    "rest_orderby_include_missing_include": ((400,), "orderby=include needs include."),
    "rest_no_search_term_defined": ((400,), "orderby=relevance needs search."),
    "missing_feed": NO_BODY,
    "missing_properties": NO_BODY,
    "missing_form_id": ((400,), "form_id is required."),
    "missing_addon_slug": ((400,), "addon_slug is required."),
    "missing_feed_meta": ((400,), "meta is required: an object of settings."),
    "invalid_meta": ((400,), "meta must be an object of settings."),
    "invalid_property": ((400,), "A property is unknown or read-only."),
    "rest_forbidden": ((401, 403), NO_RIGHT),
    "rest_forbidden_context": ((401, 403), NO_RIGHT),
    "rest_cannot_read": ((401, 403), NO_RIGHT),
    "rest_cannot_create": ((401, 403), NO_RIGHT),
    "rest_cannot_edit": ((401, 403), NO_RIGHT),
    "rest_cannot_delete": ((401, 403), NO_RIGHT),
    "rest_post_incorrect_password": ((403,), "The page password is wrong."),
    "rest_preview_ended": ((403,), "The preview has ended, or was revoked."),
    "rest_cross_site": ((403,), "A cross-site browser request may not write."),
    "rest_post_invalid_id": ((404,), "There is no such page."),
    "gf_feed_invalid_id": ((404,), "There is no such feed, or the filters exclude it."),
    "not_found": ((404,), "There is no such feed."),
    "rest_no_route": ((404, 405), "No route matches this URL, or it lacks the method."),
    "rest_order_incomplete": ((409,), "The list does not hold exactly the feeds of the form."),
    "rest_already_trashed": ((410,), "The page is in the trash already."),
    "rest_events_expired": (
        (410,),
        "Events after this one are not kept any more: read everything anew.",
    ),
    "rest_precondition_failed": (
        (412,),
        "Somebody changed it since the version that If-Match names.",
    ),
    "rest_body_too_large": ((413,), "The body is too large."),
    "rest_unsupported_media_type": (
        (415,),
        "The Content-Type of the body is none that can be read here.",
    ),
    "rest_idempotency_key_reused": (
        (422,),
        "This Idempotency-Key was used with another body before.",
    ),
    "rest_precondition_required": ((428,), "Send If-Match with the ETag that you read."),
    "rest_too_many_attempts": ((429,), "Too many requests had wrong credentials or passwords."),
    "internal_server_error": ((500,), "An unexpected error occurred."),
    "storage_unavailable": ((503,), "The database is busy or cannot be reached."),
    "storage_uncertain": ((503,), "The write may have been stored or not."),
    "rest_search_too_expensive": (
        (503,),
        "This list takes too long: search for longer words or fewer of them, combine fewer "
        "filters, or ask for another order or a smaller offset.",
    ),
    "storage_full": ((507,), "The disk is full."),
}


@cache
def all_error_codes() -> dict[str, tuple[tuple[int, ...], str]]:
    """Return the error codes of the core and of every part; one of several has all meanings."""
    codes = dict(ERROR_CODES)
    for error in (error for part in all_parts().values() for error in part.errors):
        statuses, meaning = codes.get(error.code, ((error.status,), ""))
        codes[error.code] = statuses, f"{meaning} {error.meaning()}".strip()
    return codes
