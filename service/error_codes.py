"""Every error code of the service, with the statuses that it comes with and what it means."""

from typing import NamedTuple


class ErrorCode(NamedTuple):
    """The statuses of a code, and its meaning in a sentence."""

    statuses: tuple[int, ...]
    meaning: str


NO_BODY = ErrorCode((400,), "The body must be a JSON object with the fields to write.")
NO_RIGHT = "Credentials are missing or wrong (401), or lack the scope (403)."
ERROR_CODES: dict[str, ErrorCode] = {
    "rest_invalid_param": ErrorCode((400,), "A parameter is wrong; nothing was changed."),
    "rest_missing_callback_param": ErrorCode((400,), "A required field is missing."),
    "rest_invalid_json": ErrorCode((400,), "The body is not JSON that can be stored."),
    "rest_bad_request": ErrorCode((400,), "The request or its body could not be read."),
    "rest_post_exists": ErrorCode((400,), "A page to be created must not have an id."),
    "empty_content": ErrorCode((400,), "A page needs a title or content."),
    "rest_post_invalid_page_number": ErrorCode((400,), "The page number is beyond the last page."),
    "rest_revision_invalid_page_number": ErrorCode(
        (400,), "The page number is beyond the last page."
    ),
    "rest_orderby_include_missing_include": ErrorCode((400,), "orderby=include needs include."),
    "rest_no_search_term_defined": ErrorCode((400,), "orderby=relevance needs search."),
    "missing_feed": NO_BODY,
    "missing_properties": NO_BODY,
    "missing_form_id": ErrorCode((400,), "form_id is required."),
    "missing_addon_slug": ErrorCode((400,), "addon_slug is required."),
    "missing_feed_meta": ErrorCode((400,), "meta is required: an object of settings."),
    "invalid_meta": ErrorCode((400,), "meta must be an object of settings."),
    "invalid_property": ErrorCode((400,), "A property is unknown or read-only."),
    "rest_batch_not_allowed": ErrorCode((400,), "This operation cannot be a part of a batch."),
    "rest_forbidden": ErrorCode((401, 403), NO_RIGHT),
    "rest_not_logged_in": ErrorCode((401,), "Credentials are missing or wrong."),
    "rest_forbidden_context": ErrorCode((401, 403), NO_RIGHT),
    "rest_cannot_read": ErrorCode((401, 403), NO_RIGHT),
    "rest_cannot_create": ErrorCode((401, 403), NO_RIGHT),
    "rest_cannot_edit": ErrorCode((401, 403), NO_RIGHT),
    "rest_cannot_delete": ErrorCode((401, 403), NO_RIGHT),
    "rest_post_incorrect_password": ErrorCode((403,), "The page password is wrong."),
    "rest_preview_ended": ErrorCode((403,), "The preview has ended, or was revoked."),
    "rest_cross_site": ErrorCode((403,), "A cross-site browser request may not write."),
    "rest_post_invalid_id": ErrorCode((404,), "There is no such page, or no such revision of it."),
    "rest_post_invalid_parent": ErrorCode((404,), "There is no such page."),
    "gf_feed_invalid_id": ErrorCode((404,), "There is no such feed, or the filters exclude it."),
    "not_found": ErrorCode((404,), "There is no such feed."),
    "rest_user_invalid_id": ErrorCode((404,), "No page has this author."),
    "gf_not_found": ErrorCode((404,), "No feed has this form."),
    "rest_no_route": ErrorCode((404, 405), "No route matches this URL, or it lacks the method."),
    "rest_run_invalid_id": ErrorCode((404,), "There is no such run of this feed."),
    "rest_webhook_invalid_id": ErrorCode((404,), "There is no such webhook."),
    "rest_run_not_due": ErrorCode(
        (409,), "The run is done, claimed by somebody, or waits after a failure."
    ),
    "rest_run_not_claimed": ErrorCode(
        (409,), "Nobody has claimed the run, or somebody else has since."
    ),
    "rest_run_not_finished": ErrorCode((409,), "The run is claimed now."),
    "rest_order_incomplete": ErrorCode(
        (409,), "The list does not hold exactly the feeds of the form."
    ),
    "rest_already_trashed": ErrorCode((410,), "The page is in the trash already."),
    "rest_events_expired": ErrorCode(
        (410,), "Events after this one are not kept any more: read everything anew."
    ),
    "rest_precondition_failed": ErrorCode(
        (412,), "Somebody changed it since the version that If-Match names."
    ),
    "rest_body_too_large": ErrorCode((413,), "The body is too large."),
    "rest_unsupported_media_type": ErrorCode(
        (415,), "The Content-Type of the body is none that can be read here."
    ),
    "rest_idempotency_key_reused": ErrorCode(
        (422,), "This Idempotency-Key was used with another body before."
    ),
    "rest_precondition_required": ErrorCode((428,), "Send If-Match with the ETag that you read."),
    "rest_too_many_attempts": ErrorCode(
        (429,), "Too many requests had wrong credentials or passwords."
    ),
    "internal_server_error": ErrorCode((500,), "An unexpected error occurred."),
    "rest_trash_not_supported": ErrorCode((501,), "Revisions have no trash: send force=true."),
    "storage_unavailable": ErrorCode((503,), "The database is busy or cannot be reached."),
    "storage_uncertain": ErrorCode((503,), "The write may have been applied or not."),
    "rest_search_too_expensive": ErrorCode(
        (503,),
        "This list takes too long: search for longer words or fewer of them, combine fewer "
        "filters, or ask for another order or a smaller offset.",
    ),
    "storage_full": ErrorCode((507,), "The disk is full."),
}
