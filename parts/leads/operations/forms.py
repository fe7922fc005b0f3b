"""The operations on forms."""

from typing import Any

from landform.parts.leads import Leads
from landform.parts.leads import errors as e
from landform.parts.leads import form_schemas as schemas
from landform.parts.leads import response_schemas as responses
from landform.parts.leads.intake.fields import id_of
from landform.parts.leads.intake.merging import site_tags
from landform.parts.leads.intake.warnings import warnings_of
from landform.parts.leads.storage import forms
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import NOT_CACHED, Caching, Reply, warning_headers
from landform.service.planning.entries import text_of
from landform.service.site.visits import visit_of_form
from landform.storage.rows import Row

RESOURCE = Resource(GRAVITY_FORMS)
FORM_PATH = "/forms/<form_id>"
FORM, DELETED = responses.FormRead(), responses.FormDeleted()
# As in PHP, no forms are an empty list.
NO_PAGE = "The message is shown instead of a page that visitors do not see now: {}."
FORMS = dict[str, responses.FormRead | responses.FormSummary] | list[Any]
FORM_EXAMPLE = {
    "title": "Newsletter",
    "fields": [{"id": 1, "type": "email", "label": "E-mail", "isRequired": True}],
}


@RESOURCE.get("/forms", query=schemas.FormList(), response=FORMS, scope="forms:read")
def list_forms(call: Call) -> Reply:
    """Return the forms by id: `id`, `title` and `entries`; with `include` whole forms."""
    most_bytes = call.options.max_response_bytes
    if ids := call.query.get("include"):
        rows_by_id = forms.read_forms(call.store, ids, most_bytes)
        return by_id(call, {str(number): form for number, form in rows_by_id.items()})
    rows = forms.list_forms(call.store, call.query["status"], most_bytes)
    texts = [{name: str(value) for name, value in row.items()} for row in rows]
    return by_id(call, {row["id"]: row for row in texts})


@RESOURCE.post(
    "/forms",
    body=schemas.FormCreate(),
    response=FORM,
    empty_body=e.NoForm.code,
    body_list="fields",
    status=201,
    scope="forms:write",
    headers=("Location", "ETag", "X-Landform-Warning"),
    example=FORM_EXAMPLE,
    errors=(e.NoTitle,),
)
def create_form(call: Call) -> Reply:
    """Create a form. A title in use gets a number."""
    row = forms.create_form(call.store, call.body)
    return form_reply(call, row, {"Location": f"{call.root_url}/forms/{row['id']}"})


@RESOURCE.get(
    FORM_PATH, response=FORM, scope="forms:read", headers=("ETag",), errors=(e.FormNotFound,)
)
def get_form(call: Call, form_id: int) -> Reply:
    """Return a form, also one in the trash."""
    return form_reply(call, forms.get_form_row(call.store, form_id))


@RESOURCE.put(
    FORM_PATH,
    body=schemas.FormUpdate(),
    response=FORM,
    empty_body=e.NoForm.code,
    scope="forms:write",
    if_match="form",
    headers=("ETag", "X-Landform-Warning"),
    example=FORM_EXAMPLE,
    errors=(e.NoTitle, e.FieldsMissing, e.FormToUpdateNotFound),
)
def update_form(call: Call, form_id: int) -> Reply:
    """Replace a form. Without `confirmations` and `is_active` these stay."""
    return form_reply(call, forms.update_form(call.store, form_id, call.body, call.if_match))


@RESOURCE.delete(
    FORM_PATH,
    query=schemas.Deletion(),
    form=True,
    response={"": FORM, "force": DELETED},
    scope="forms:write",
    if_match="form",
    headers=("ETag", "X-Landform-Warning"),
    errors=(e.FormToDeleteNotFound, e.AlreadyInTrash),
)
def delete_form(call: Call, form_id: int) -> Reply:
    """Move a form to the trash, or with `force` delete it, its entries and its feeds."""
    if not call.query["force"]:
        return form_reply(call, forms.trash_form(call.store, form_id, call.if_match))
    call.access.require("entries:write")
    row = forms.delete_form(call.store, form_id, call.if_match)
    return Reply(DELETED.dump({"previous": forms.form_of(row)}))


def by_id(call: Call, rows: dict[str, Row], caching: Caching = NOT_CACHED) -> Reply:
    """Return the reply with rows by their ids.

    As in PHP, none are an empty list, and with `_fields` they are a list.
    """
    return Reply([*rows.values()] if call.fields or not rows else rows, caching=caching)


def form_reply(call: Call, row: Row, headers: dict[str, str] | None = None) -> Reply:
    """Return the reply with a form; a write warns of what it asks for and nobody would get."""
    form, headers = forms.form_of(row), headers or {}
    site = site_tags(call.service, call.part(Leads).admin_email)
    if call.operation.is_write:
        text = f"{warnings_of(form, site)} {_missing_pages(call, form)}"
        headers = {**headers, **warning_headers(text)}
    return Reply(form, headers=headers, etag=call.row_etag("form", row))


def _missing_pages(call: Call, form: Row) -> str:
    """Return a warning of confirmations that lead to pages which visitors do not see now."""
    leading = [item for item in form["confirmations"].values() if item.get("type") == "page"]
    names = [
        text_of(item.get("name") or item["id"])[:100]
        for item in leading
        if visit_of_form(call, id_of(item.get("pageId"))) is None
    ]
    return NO_PAGE.format(", ".join(names)[:300]) if names else ""
