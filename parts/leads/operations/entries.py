"""The operations on entries."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from landform.parts.leads import Leads, retention
from landform.parts.leads import entry_schemas as schemas
from landform.parts.leads import errors as e
from landform.parts.leads import response_schemas as responses
from landform.parts.leads.exporting import csv_of
from landform.parts.leads.form_schemas import Deletion
from landform.parts.leads.intake.compound import chosen_text
from landform.parts.leads.intake.fields import checked_text, input_ids, inputs_of, values_of
from landform.parts.leads.operations.forms import by_id
from landform.parts.leads.storage import entries, forms, searching
from landform.schemas.known_names import Anything
from landform.service.pipeline.call import Call
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.pipeline.loading import prefers
from landform.service.pipeline.names import check_body
from landform.service.pipeline.operations import GRAVITY_FORMS, Resource
from landform.service.pipeline.reply import NO_STORE, Reply
from landform.storage.errors import TooLarge
from landform.storage.rows import NO_VALUES, Row

RESOURCE = Resource(GRAVITY_FORMS)
CSV = "text/csv"
ENTRY_PATH = "/entries/<entry_id>"
ENTRY, DELETED = responses.EntryRead(), responses.EntryDeleted()
PAGE, ERASED = responses.EntryPage(), responses.EntriesErased()
# With `include` they are an object by id; as in PHP, none are an empty list.
ENTRIES = responses.EntryPage | dict[str, responses.EntryRead] | list[Any]
# What both lists declare.
LISTED: dict[str, Any] = {
    "query": schemas.EntryList(),
    "response": ENTRIES,
    "scope": "entries:read",
    "errors": ("rest_search_too_expensive",),
}
# What both creates declare.
CREATED: dict[str, Any] = {
    "response": responses.EntryCreated(),
    "status": 201,
    "scope": "entries:write",
    "headers": ("Location",),
    # What is remembered for a repetition must not hold an entry: it may be erased.
    "repeatable": False,
}
# What both updates declare.
UPDATES: dict[str, Any] = {
    "body": schemas.EntryUpdate(),
    "response": ENTRY,
    "empty_body": e.NoEntry.code,
    "scope": "entries:write",
    "if_match": "entry",
    "headers": ("X-Landform-Warning",),
    "errors": (e.EntryToUpdateNotFound, e.EntryFormUnknown),
}
FORM_ERRORS = (e.EntryFormEmpty, e.EntryFormUnknown)
ENTRY_EXAMPLE = {"form_id": 3, "1": "Ada", "2": "ada@example.com"}
VARY = {"Vary": "Accept"}
# What every caller may see of an entry that it writes, and the rest of an entry without values.
STATE_KEYS = "id form_id date_created date_updated is_starred is_read status".split()
NOTHING_SENT = {
    **dict.fromkeys(("ip", "source_url", "user_agent"), ""),
    **dict.fromkeys(schemas.NULL_KEYS),
}
UPDATED, NOTHING = "The entry was updated.", "There is no property to update."


@RESOURCE.get("/entries", **LISTED)
def list_entries(call: Call) -> Reply:
    """Return active entries, the newest first, or those of a search, with their number."""
    # As in Gravity Forms 0 means all forms, and one form without brackets has its labels once.
    form_ids = [number for number in call.query.get("form_ids") or () if number]
    is_one = len(form_ids) == 1 and isinstance(call.sent_query["form_ids"], str)
    return _list_reply(call, form_ids, one_form=form_ids[0] if is_one else None)


@RESOURCE.get("/forms/<form_id>/entries", other_type=CSV, **LISTED)
def list_form_entries(call: Call, form_id: int) -> Reply:
    """Return the entries of a form, as the list of all entries does.

    With `Accept: text/csv` all that pass the search are returned as CSV.
    """
    if prefers(CSV, call.incoming.headers) and (form := forms.find_form(call.store, form_id)):
        name = f'attachment; filename="form-{form_id}-entries.csv"'
        chunks = csv_of(call.store, form, call.query.get("search", searching.ACTIVE_ENTRIES))
        # The first one now: its errors are responses.
        body = chain([next(chunks)], chunks)
        headers = {"Content-Disposition": name, **VARY}
        return Reply(body, headers=headers, content_type=f"{CSV}; charset=utf-8", caching=NO_STORE)
    return _list_reply(call, [form_id], one_form=form_id)


@RESOURCE.post(
    "/entries",
    body=schemas.EntryCreate(),
    example=ENTRY_EXAMPLE,
    errors=("rest_missing_callback_param", *FORM_ERRORS),
    **CREATED,
)
def create_entry(call: Call) -> Reply:
    """Store an entry: the values are not checked, and no feed runs."""
    return _created(call, call.body["form_id"])


@RESOURCE.post(
    "/forms/<form_id>/entries",
    body=schemas.EntryWrite(),
    empty_body=e.NoEntry.code,
    example={"1": "Ada", "2": "ada@example.com"},
    errors=FORM_ERRORS,
    **CREATED,
)
def create_form_entry(call: Call, form_id: int) -> Reply:
    """Store an entry of the form in the path."""
    return _created(call, form_id)


@RESOURCE.post(
    "/entries/erase",
    body=schemas.Erasure(),
    response=ERASED,
    scope="entries:write",
    repeatable=False,
)
def erase_entries(call: Call) -> Reply:
    """Delete every entry with an e-mail address for good, in all forms; return how many."""
    erased = retention.erase_entries(call.store, call.body["email"])
    return Reply(ERASED.dump({"erased": erased}))


@RESOURCE.get(
    ENTRY_PATH,
    query=schemas.EntryView(),
    response=ENTRY,
    scope="entries:read",
    errors=(e.EntryNotFound,),
)
def get_entry(call: Call, entry_id: int) -> Reply:
    """Return an entry."""
    return _entry_reply(call, entry_id)


@RESOURCE.put(ENTRY_PATH, example=ENTRY_EXAMPLE, **UPDATES)
def update_entry(call: Call, entry_id: int) -> Reply:
    """Replace the values of an entry, and write the properties that are sent."""
    return _updated(call, entry_id, replaces=True)


@RESOURCE.patch(ENTRY_PATH, example={"2": "ada@example.com", "is_read": True}, **UPDATES)
def patch_entry(call: Call, entry_id: int) -> Reply:
    """Write the values and properties of an entry that are sent; all others stay."""
    return _updated(call, entry_id, replaces=False)


@RESOURCE.put(
    f"{ENTRY_PATH}/properties",
    body=schemas.EntryProperties(),
    response=UPDATED,
    invalid=NOTHING,
    form=True,
    scope="entries:write",
    if_match="entry",
    example={"is_read": True, "status": "spam"},
    errors=(e.EntryToUpdateNotFound,),
)
def update_entry_properties(call: Call, entry_id: int) -> Reply:
    """Change the status, the star or whether an entry was read. Returns a message.

    The feeds of one that was spam are planned.
    """
    if not call.body or call.incoming.read_form(call.operation):
        # Gravity Forms reads only JSON here.
        return Reply(NOTHING, status=400)
    entries.get_row(call.store, entry_id, missing=e.EntryToUpdateNotFound)
    entries.update_entry(call.store, entry_id, call.body, if_match=call.if_match)
    return Reply(UPDATED)


@RESOURCE.post(
    f"{ENTRY_PATH}/notifications",
    query=schemas.NotificationView(),
    body=Anything(),
    response=list[Any],
    scope="entries:write",
    errors=(e.EntryToUpdateNotFound,),
)
def send_notifications(call: Call, entry_id: int) -> Reply:
    """Send the notifications of an entry, of which there are none: feeds do that."""
    entries.get_row(call.store, entry_id, missing=e.EntryToUpdateNotFound)
    return Reply([])


@RESOURCE.delete(
    ENTRY_PATH,
    query=Deletion(),
    form=True,
    response={"": ENTRY, "force": DELETED},
    scope="entries:write",
    if_match="entry",
    errors=(e.EntryNotFound, e.AlreadyInTrash),
)
def delete_entry(call: Call, entry_id: int) -> Reply:
    """Move an entry to the trash, or with `force` delete it for good."""
    if call.query["force"]:
        previous = entries.delete_entry(call.store, entry_id, call.if_match)
        return Reply(DELETED.dump({"previous": _visible(call, previous)}), caching=NO_STORE)
    entries.trash_entry(call.store, entry_id, call.if_match)
    return _entry_reply(call, entry_id)


def _read_values(
    call: Call, form: Row, stored: Mapping[str, Any]
) -> tuple[dict[str, str], Mapping[str, str]]:
    """Return the values that were sent for the inputs of a form, and the header of ignored names.

    `stored`: the entry as it is, so that a value of a field that was removed may be sent again.
    A multiselect may have a list. Raises `ValidationError` for other lists.
    """
    keys, sent = input_ids(form), call.sent_body
    lists = {str(field["id"]) for field in form["fields"] if field["type"] == "multiselect"}
    values = {
        key: chosen_text(value)
        if key in lists and isinstance(value, list)
        else checked_text(key, value)
        for key, value in call.body["values"].items()
    }
    same = [name for name, value in stored.items() if sent.get(name) == value]
    ignored = check_body(call, [*ENTRY.fields, *keys, *same])
    return {key: values[key] for key in keys if key in values}, ignored


def _updated(call: Call, entry_id: int, *, replaces: bool) -> Reply:
    """Write an entry; the response warns of values that are blank now, as they were not sent.

    A caller who may not read entries is not told which ones there were.
    """
    row = entries.get_row(call.store, entry_id, missing=e.EntryToUpdateNotFound)
    form_id = call.body.get("form_id") or row["form_id"]
    form = forms.get_form(call.store, form_id, missing=e.EntryFormUnknown)
    (old,) = entries.load_entries(call.store, [row])
    is_reader = call.access.has_scope("entries:read")
    values, headers = _read_values(call, form, old if is_reader else NO_VALUES)
    written: Row = {"form": form, "values": values, "replaces": replaces, "if_match": call.if_match}
    entries.update_entry(call.store, entry_id, call.body["columns"], **written)
    new = entries.get_entry(call.store, entry_id)
    gone = [key for key, text in values_of(old).items() if text and not new.get(key)]
    if lost := [key for key in gone if key not in values]:
        names = ", ".join(lost)[:1000] if is_reader else "some values"
        headers = {**headers, "X-Landform-Warning": f"Blank now, as they were not sent: {names}."}
    return _entry_reply(call, entry_id, headers)


def _created(call: Call, form_id: int) -> Reply:
    if form_id == 0:
        raise e.EntryFormEmpty
    form = forms.get_form(call.store, form_id, missing=e.EntryFormUnknown)
    columns = {
        "user_agent": "API",
        "created_by": call.caller.author,
        "source_url": call.incoming.url[:2000],
        "ip": call.access.address if call.part(Leads).entry_ip else "",
        **call.body["columns"],
    }
    values, ignored = _read_values(call, form, NO_VALUES)
    row = entries.create_entry(call.store, form, values, **columns)
    known = {*ENTRY.fields, *input_ids(form)}
    sent = {name: value for name, value in call.sent_body.items() if name in known}
    # A list as it is stored.
    sent |= {name: values[name] for name in values if isinstance(sent[name], list)}
    sent |= {"form_id": form["id"], "id": row["id"]}
    headers = {"Location": f"{call.root_url}/entries/{row['id']}", **ignored}
    return Reply(sent, headers=headers, caching=NO_STORE)


def _entry_reply(call: Call, entry_id: int, headers: Mapping[str, str] = NO_VALUES) -> Reply:
    entry = _visible(call, entries.get_entry(call.store, entry_id))
    keys = _requested_keys(call)
    chosen = {key: entry[key] for key in entry if entries.is_chosen(key, keys)}
    body = {**chosen, **_labels(call, int(entry["form_id"]))}
    return Reply(body, headers=headers, caching=NO_STORE)


def _visible(call: Call, entry: Row) -> Row:
    """Return an entry; without the scope `entries:read` only its state, and no values."""
    if call.access.has_scope("entries:read"):
        return entry
    return {**{name: entry[name] for name in STATE_KEYS}, **NOTHING_SENT}


def _list_reply(call: Call, form_ids: list[int], one_form: int | None = None) -> Reply:
    most_bytes, keys = call.options.max_response_bytes, _requested_keys(call)
    if ids := call.query.get("include"):
        rows = entries.find_entries(call.store, ids, most_bytes)
        listed = entries.load_entries(call.store, rows, keys, most_bytes)
        shown = zip(rows, _with_labels(call, rows, listed), strict=True)
        return by_id(call, {str(row["id"]): entry for row, entry in shown}, NO_STORE)
    query = {key: call.query[key] for key in ("search", "sorting", "paging") if key in call.query}
    rows, total = searching.list_entries(call.store, form_ids, most_bytes=most_bytes, **query)
    listed = entries.load_entries(call.store, rows, keys, most_bytes)
    if one_form is None:
        page = {"total_count": total, "entries": _with_labels(call, rows, listed)}
        return Reply(PAGE.dump(page), caching=NO_STORE)
    page = {"total_count": total, "entries": listed, **_labels(call, one_form)}
    return Reply(PAGE.dump(page), headers=VARY, caching=NO_STORE)


def _with_labels(call: Call, rows: list[Row], listed: list[Row]) -> list[Row]:
    """Return entries, each with the labels of its form if these are asked for."""
    labels_of: dict[int, JsonObject] = {}
    size = 0
    for form_id, count in Counter(row["form_id"] for row in rows).items():
        labels_of[form_id] = _labels(call, form_id)
        size += count * len(dumps(labels_of[form_id]))
        if size > call.options.max_response_bytes:
            raise TooLarge
    return [{**entry, **labels_of[row["form_id"]]} for row, entry in zip(rows, listed, strict=True)]


def _labels(call: Call, form_id: int) -> JsonObject:
    """Return `_labels` with those of the requested fields of a form; empty if not asked for."""
    if not call.query.get("_labels"):
        return {}
    form = forms.find_form(call.store, form_id)
    requested = {key.partition(".")[0] for key in _requested_keys(call)}
    labels = {
        str(field["id"]): _labels_of(field)
        for field in (form["fields"] if form else ())
        if not requested or str(field["id"]) in requested
    }
    # As in PHP, none are an empty list.
    return {"_labels": labels or []}


def _requested_keys(call: Call) -> list[str]:
    ids = call.query.get("_field_ids", "").split(",")
    return [key for key in map(str.strip, ids) if key]


def _labels_of(field: JsonObject) -> object:
    inputs = [part for part in inputs_of(field) if "." in part.id]
    if not inputs:
        return field["label"]
    return {str(field["id"]): field["label"], **{part.id: part.label for part in inputs}}
