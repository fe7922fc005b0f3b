"""The errors of pictures, with the codes of WordPress."""

from landform.parts.errors import part_error

NoData = part_error("rest_upload_no_data", 400, "There is no file in the body.")
NoContentType = part_error("rest_upload_no_content_type", 400, "The body has no Content-Type.")
NoDisposition = part_error(
    "rest_upload_no_content_disposition", 400, "The body has no Content-Disposition."
)
InvalidDisposition = part_error(
    "rest_upload_invalid_disposition",
    400,
    'Content-Disposition must look like `attachment; filename="picture.jpg"`.',
)
HashMismatch = part_error(
    "rest_upload_hash_mismatch", 412, "Content-MD5 is not that of the file: send it again."
)
FileTooBig = part_error(
    "rest_upload_file_too_big",
    413,
    "The body has more than 20 MiB, or its form too many fields or too long ones.",
)
TrashNotSupported = part_error(
    "rest_trash_not_supported", 501, "Pictures have no trash: send force=true."
)
NoPillow = part_error(
    "rest_upload_not_supported", 501, "Pictures need Pillow: install landform[media]."
)
UploadsBusy = part_error(
    "rest_upload_busy", 503, "Other pictures are being made: send it again in some seconds."
)
# Of a file that is no picture: by itself, and as a part of a form.
RAW_REFUSED = part_error(
    "rest_upload_sideload_error", 400, "The file is no picture that can be stored."
)
PART_REFUSED = part_error(
    "rest_upload_unknown_error", 400, "The file in the form is no picture that can be stored."
)
# With a code of the core.
MediaNotFound = part_error("rest_post_invalid_id", 404, "There is no such picture.")
