"""The operations on pictures, and their files."""

from collections.abc import Mapping
from math import inf
from typing import Any

from landform.parts.media import Media, intake, storage, texts
from landform.parts.media import errors as e
from landform.parts.media import schemas as s
from landform.parts.media.files import FILE_PATH
from landform.parts.media.pictures import MIME_TYPES
from landform.schemas.known_names import Anything
from landform.schemas.pages import PageDelete
from landform.service.pages.dump import created_reply, embed_authors
from landform.service.pages.resource import PAGING, paging
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.idempotency import find_reply, once
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.operations import WORDPRESS, Resource
from landform.service.pipeline.reply import Caching, Reply
from landform.storage.rows import NO_VALUES, Row
from landform.storage.sql import current_version

RESOURCE, USES, FILES = Resource(WORDPRESS), Resource(), Resource()
RESOURCES, SCREENS = (RESOURCE, USES), (FILES,)
CONTEXTS: dict[str, Any] = {"view": s.MediaView(), "embed": s.MediaEmbed(), "edit": s.MediaEdit()}
WRITE, EDIT, DELETED = s.MediaWrite(partial=True), CONTEXTS["edit"], s.MediaDeleted()
USED = s.UsedByPages()
MEDIA_PATH, FILES_PATH = "/media/<media_id>", "/media-files"
FILE, MOST_BYTES = "file", 20 << 20
SAME_AS, USED_BY = "X-Landform-Same-As", "X-Landform-Used-By"
FILE_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
UPLOAD_ERRORS = (
    e.NoData, e.NoContentType, e.NoDisposition, e.InvalidDisposition, e.HashMismatch, e.FileTooBig,
    e.RAW_REFUSED, e.PART_REFUSED, e.UploadsBusy, e.NoPillow,
)  # fmt: skip


@RESOURCE.get(
    "/media",
    query=s.MediaList(),
    response=CONTEXTS,
    many=True,
    public=True,
    headers=(*PAGING, "ETag"),
    errors=(
        "rest_forbidden_context",
        "rest_post_invalid_page_number",
        "rest_orderby_include_missing_include",
        "rest_no_search_term_defined",
        "rest_search_too_expensive",
    ),
)
def list_media(call: Call) -> Reply:
    """Return pictures, the newest first; anyone may read them."""
    caching = _check_context(call)
    version, generation = current_version(call.store, "media")
    variant = sorted(call.query.items())
    etag = call.etag("media_list", version, *variant, generation=generation)
    if call.has(etag):
        return Reply(etag=etag, caching=caching)
    rows, total = storage.list_media(call.store, call.query, call.options.max_response_bytes)
    body = _dump(call, rows, call.query["context"])
    headers = paging(call, total)
    return Reply(body, headers=headers, etag=etag, caching=caching)


@RESOURCE.post(
    "/media",
    query=WRITE,
    body=WRITE,
    file=FILE,
    is_raw=True,
    most_bytes=MOST_BYTES,
    too_large=e.FileTooBig.code,
    response=EDIT,
    status=201,
    repeatable=False,
    reads_key=True,
    scope="media:write",
    denied="rest_cannot_create",
    headers=("Location", "ETag", SAME_AS),
    batch=False,
    errors=UPLOAD_ERRORS,
)
def create_media(call: Call) -> Reply:
    """Create a picture: the body is its file, or a form with a part `file`.

    The file is a PNG, JPEG, GIF, WebP or AVIF, whatever its name says. The fields are in the query
    or in the form. Metadata are removed, such as the place where it was taken.
    """
    if reply := find_reply(call):
        return reply
    values = {**call.query, **call.body}
    storage.check_page(call.store, values.get("post") or 0)
    name, picture, contents = intake.receive(call)
    values["title"] = values.get("title") or name.title
    defaults = {"caption": "", "description": "", "alt_text": "", "author": call.caller.author}
    columns = texts.columns_of({**defaults, **values}, call.caller) | picture
    # Files first: a row never lacks one.
    files = call.part(Media).files(call.store)
    for path, content in contents.items():
        files.put(path, content)

    def write() -> Reply:
        row, same = storage.create(call.store, columns)
        headers = {} if same is None else {SAME_AS: str(same)}
        return created_reply(call, "media", _reply(call, row, headers=headers), row["id"])

    return once(call, write)


@RESOURCE.get(
    MEDIA_PATH,
    query=s.MediaInContext(),
    response=CONTEXTS,
    public=True,
    headers=("ETag", "Last-Modified"),
    errors=("rest_forbidden_context", "rest_post_invalid_id"),
)
def get_media(call: Call, media_id: int) -> Reply:
    """Return a picture; anyone may read it."""
    caching = _check_context(call)
    reply = _reply(call, storage.get(call.store, media_id), call.query["context"])
    return reply._replace(caching=caching)


@RESOURCE.operation(
    "PUT POST PATCH",
    MEDIA_PATH,
    body=WRITE,
    form=True,
    file=FILE,
    most_bytes=MOST_BYTES,
    too_large=e.FileTooBig.code,
    response=EDIT,
    scope="media:write",
    denied="rest_cannot_edit",
    if_match="media",
    headers=("ETag", "Last-Modified"),
    example={"alt_text": "A red bicycle at a wall"},
    render=texts.columns_of,
    errors=("rest_post_invalid_id", e.FileTooBig),
)
def update_media(call: Call, media_id: int) -> Reply:
    """Change the fields that are sent, and return the picture; its file stays the same."""
    return _reply(call, storage.update(call.store, media_id, call.rendered, call.if_match))


@RESOURCE.delete(
    MEDIA_PATH,
    query=PageDelete(),
    form=True,
    response=DELETED,
    scope="media:write",
    denied="rest_cannot_delete",
    if_match="media",
    headers=(USED_BY,),
    errors=("rest_post_invalid_id", e.TrashNotSupported),
)
def delete_media(call: Call, media_id: int) -> Reply:
    """Delete a picture permanently and return it; `force` is required.

    The response names pages that use it, and lack it now.
    """
    row = storage.get(call.store, media_id)
    if not call.query["force"]:
        raise e.TrashNotSupported
    users = storage.pages_with(call.store, row)
    row = storage.delete(call.store, media_id, call.if_match)
    if not call.store.database.in_transaction():
        # Inside one the delete may still be undone; then `landform vacuum` removes them.
        call.part(Media).files(call.store).delete(storage.paths_of(row))
    headers = {USED_BY: ", ".join(map(str, users))} if users else {}
    return Reply(DELETED.dump(_with_url(call, row)), headers=headers)


@USES.get(
    f"{MEDIA_PATH}/pages", response=USED, scope="pages:read", errors=("rest_post_invalid_id",)
)
def list_pages_of_media(call: Call, media_id: int) -> Reply:
    """Return which pages use a picture, in their content or their gallery."""
    row = storage.get(call.store, media_id)
    return Reply(USED.dump({"pages": storage.pages_with(call.store, row)}))


@FILES.get(f"{FILES_PATH}/<folder>/<file>", name="media_file", public=True, query=Anything())
def show_file(call: Call, folder: str, file: str) -> Reply:
    """Return a file of a picture, which caches may store for ever."""
    path, etag = f"{folder}/{file}", f'"{folder}-{file}"'
    if not (FILE_PATH.fullmatch(path) and storage.has_folder(call.store, folder)):
        raise no_route()
    content_type = MIME_TYPES.get(file.rpartition(".")[2], "")
    if call.has(etag):
        return Reply(headers=FILE_HEADERS, etag=etag, content_type=content_type)
    stored_file = call.part(Media).files(call.store).get(path)
    if stored_file is None:
        raise no_route()
    size, pieces = stored_file
    headers = {**FILE_HEADERS, "Content-Length": str(size)}
    return Reply(pieces, headers=headers, etag=etag, content_type=content_type)


def _check_context(call: Call) -> Caching:
    """Refuse callers who may not see the requested context; return how the reply is cached."""
    is_edit = call.query["context"] == "edit"
    if is_edit:
        call.access.require("media:read", "rest_forbidden_context")
    call.access.reject_invalid_credentials()
    return Caching(table="media", until=inf, is_secret=is_edit)


def _with_url(call: Call, row: Row) -> Row:
    return {**row, "files_url": f"{call.public_url}{FILES_PATH}"}


def _dump(call: Call, rows: list[Row], context: str) -> list[JsonObject]:
    dumped = [CONTEXTS[context].dump(_with_url(call, row)) for row in rows]
    return embed_authors(call, dumped)


def _reply(
    call: Call, row: Row, context: str = "edit", headers: Mapping[str, str] = NO_VALUES
) -> Reply:
    (body,) = _dump(call, [row], context)
    etag = call.row_etag("media", row, context)
    return Reply(body, headers=headers, etag=etag, last_modified=row["modified_utc"])
