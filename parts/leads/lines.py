"""Schemas of forms and entries in a line of an export."""

from math import inf

from marshmallow import ValidationError, post_load

from landform.parts.leads.entry_schemas import ENTRY_STATUSES, EntryWrite
from landform.parts.leads.form_schemas import AnyObject, FormObject
from landform.parts.leads.intake.fields import checked_text, number_fields
from landform.parts.leads.intake.warnings import problems_of
from landform.schemas.export import LARGEST, Line, StoredDateTime, StoredText
from landform.schemas.fields import Flag, Integer, JsonList, JsonObject, Nested, Text
from landform.schemas.known_names import KnownOnly

# A form or an entry as a request may write it; a form also as it could be in earlier versions.
FORM_BODY, ENTRY_BODY = FormObject(), EntryWrite()
# What a form always has in a request; it is a column of the line.
TITLE = {"title": "Form"}


class FormLine(Line):
    """A form in a line of an export; its `meta` is checked as in a request."""

    title = StoredText(blank=False, required=True)
    is_active = Flag(required=True)
    is_trash = Flag(required=True)
    date_created_utc = StoredDateTime(required=True)
    meta = AnyObject(required=True)

    @post_load
    def check_meta(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns; refuse a meta that no request could have sent."""
        meta = FORM_BODY.load({**data["meta"], **TITLE})["meta"]
        return {**data, "meta": {**meta, "fields": number_fields(meta)["fields"]}}

    def problems(self, row: JsonObject) -> list[str]:
        """Return why visitors do not see a form; imports from WordPress report it."""
        return problems_of(row["meta"])


class NoteLine(KnownOnly):
    """A note in the line of its entry."""

    user_name = StoredText(required=True)
    created_utc = StoredDateTime(required=True, blank=False)
    note_type = StoredText(required=True)
    value = StoredText(required=True)


class EntryLine(Line):
    """An entry in a line of an export, with its `values` by the ids of inputs, and its notes."""

    form_id = Integer(minimum=0, required=True)
    status = Text(choices=ENTRY_STATUSES, required=True)
    is_read = Flag(required=True)
    is_starred = Flag(required=True)
    created_utc = StoredDateTime(required=True, blank=False)
    source_url = StoredText(required=True)
    ip = StoredText(required=True)
    user_agent = StoredText(required=True)
    created_by = Integer(minimum=0, allow_none=True, required=True)
    digest = StoredText(required=True)
    properties = AnyObject(required=True)
    values = AnyObject()
    notes = JsonList("", Nested("", NoteLine(), is_bounded=False), max_items=inf)
    note_ids = JsonList("", Integer(minimum=1, maximum=LARGEST), max_items=inf)

    @post_load
    def check_values(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns with texts as values; refuse values that no request can have."""
        values = ENTRY_BODY.load(data.get("values", {}))["values"]
        properties = ENTRY_BODY.load(data["properties"])["columns"].get("properties", {})
        for name, known in (("values", values), ("properties", properties)):
            if unknown := data.get(name, {}).keys() - known.keys():
                raise ValidationError(f"{min(unknown)[:50]} is unknown here.", name)
        notes, note_ids = data.get("notes", []), data.get("note_ids", [])
        if len(notes) != len(note_ids) or len({*note_ids}) != len(note_ids):
            raise ValidationError("Each note needs an id of its own.", "note_ids")
        present = {key: checked_text(key, text) for key, text in sorted(values.items()) if text}
        return {**data, "values": present, "properties": properties}
