"""Schemas of forms: how they are written, with the defaults of Gravity Forms, and read."""

import re
import secrets
from typing import Any, TypeGuard

from marshmallow import INCLUDE, Schema, ValidationError, post_load, pre_load

from landform.parts.leads.errors import FieldsMissing, NoTitle
from landform.parts.leads.intake.confirmations import THANKS
from landform.parts.leads.storage.forms import LONGEST_TITLE
from landform.schemas.fields import (
    WHITE_SPACE,
    Field,
    Flag,
    Integer,
    JsonObject,
    ListOf,
    Number,
    Text,
    check_keys,
)
from landform.schemas.known_names import Tolerant
from landform.storage.rows import digest_of, json_text

# How many fields a form may have, and the largest number of one.
MOST_FIELDS, LARGEST_FIELD = 500, 99_999
MOST_DAYS = 36_500
DEFAULT_BUTTON = {"type": "text", "text": "Submit", "imageUrl": ""}
# What a form has as columns, or what the service chooses.
FORM_STATUSES = ("active", "inactive", "trash", "all")
COLUMN_KEYS = ("id", "title", "is_active", "is_trash", "date_created")


class FormFields(Field[list[JsonObject]]):
    """The fields of a form, each an object with a `type`; one without an `id` gets the next."""

    kind = list[dict[str, Any]]
    json_type = {"type": "array", "maxItems": MOST_FIELDS, "items": {"type": "object"}}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        if not _are_objects(value):
            raise ValidationError("fields must be a list of objects.")
        if len(value) > MOST_FIELDS:
            raise ValidationError(f"fields must not have more than {MOST_FIELDS} items.")
        check_keys(attr, value)
        number = max((_field_id(item) for item in value), default=0)
        loaded = []
        for item in value:
            field_id = _field_id(item)
            number += not field_id
            loaded.append(_with_defaults(item, field_id or number))
        if len({item["id"] for item in loaded}) < len(loaded):
            raise ValidationError("fields must not have an id twice.")
        return loaded


def _field_id(item: JsonObject) -> int:
    """Return the id of a field; 0 if it has none."""
    value = item.get("id")
    if value in (None, "", 0):
        return 0
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) < 6):
        raise ValidationError(f"The id of a field must be from 1 to {LARGEST_FIELD}.")
    return int(text)


def _with_defaults(item: JsonObject, field_id: int) -> JsonObject:
    kind, label = item.get("type", "text"), item.get("label", "")
    if not (isinstance(kind, str) and kind and isinstance(label, str)):
        raise ValidationError("The type and the label of a field must be strings.")
    for part in (item, *_objects(item, "inputs")):
        _objects(part, "choices")
    if not all(_is_input(part, field_id) for part in _objects(item, "inputs")):
        raise ValidationError(f"The ids of inputs must look like {field_id}.1.")
    is_required = item.get("isRequired") in (True, 1, "1", "true")
    return {**item, "id": field_id, "type": kind, "label": label, "isRequired": is_required}


def _objects(item: JsonObject, name: str) -> list[JsonObject]:
    """Return the objects of a key, which may be empty."""
    value = item.get(name)
    if value in (None, ""):
        return []
    if not _are_objects(value):
        raise ValidationError(f"The {name} of a field must be a list of objects.")
    return value


def _are_objects(value: object) -> TypeGuard[list[JsonObject]]:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _is_input(part: JsonObject, field_id: int) -> bool:
    # The first input of an e-mail address that is repeated has the id of its field.
    return bool(re.fullmatch(rf"{field_id}(\.[0-9]{{1,4}})?", str(part.get("id", ""))))


class Confirmations(Field[JsonObject]):
    """The confirmations of a form by their ids; a list of them becomes such an object."""

    json_type = {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}
    python_type = "Mapping[str, Any]"

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        items = [*value.values()] if isinstance(value, dict) else value
        if not _are_objects(items):
            raise ValidationError("confirmations must be objects by their ids.")
        check_keys(attr, items)
        return {item["id"]: item for item in map(_with_id, items)}


def _with_id(confirmation: JsonObject) -> JsonObject:
    # The same one gets the same id, so that an import that is repeated changes nothing.
    number = confirmation.get("id") or digest_of(json_text(confirmation))[:14]
    return {**confirmation, "id": str(number)[:100]}


def default_confirmations() -> JsonObject:
    """Return the confirmations of a form that has none."""
    message = {
        "name": "Default Confirmation",
        "isDefault": True,
        "type": "message",
        "message": THANKS,
    }
    number = secrets.token_hex(7)
    return {number: {"id": number, **message, "url": "", "pageId": "", "queryString": ""}}


class FormWrite(Schema):
    """The body that creates a form: Gravity Forms' form object; unknown keys are kept."""

    class Meta:
        unknown = INCLUDE
        # A field with this name is no attribute: marshmallow has one of its own.
        include = {"fields": FormFields("The fields, in their order.")}

    title = Text("The title.", longest=LONGEST_TITLE, line=True)
    is_active = Flag("Whether it can be submitted; true by default.")
    confirmations = Confirmations("What visitors get after a submission.")
    retention_days = Integer("After how many days entries are deleted.", 1, MOST_DAYS)

    @pre_load
    def check_parts(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse a body without a title, with the code of Gravity Forms."""
        sent = {name: value for name, value in data.items() if value is not None}
        title = sent.get("title", "")
        if isinstance(title, str):
            sent["title"] = title.strip(WHITE_SPACE)
        if not sent["title"]:
            raise NoTitle
        return sent

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns: `title`, `meta` with everything else, and `is_active` if sent."""
        flags = {"is_active": data["is_active"]} if "is_active" in data else {}
        meta = {name: value for name, value in data.items() if name not in COLUMN_KEYS}
        check_keys("form", meta)
        meta.setdefault("fields", [])
        if not isinstance(meta.get("button"), dict):
            meta["button"] = DEFAULT_BUTTON
        return {"title": data["title"], "meta": meta, **flags}


class FormCreate(FormWrite):
    """The body that creates a form, with defaults."""

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns, with a confirmation, and as an active form by default."""
        columns = super().to_columns(data)
        if not columns["meta"].get("confirmations"):
            columns["meta"]["confirmations"] = default_confirmations()
        return {"is_active": True, **columns}


class FormUpdate(FormWrite):
    """The body that replaces a form; without `is_active` that stays."""

    @pre_load
    def check_fields(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse a body without fields, which would delete all of them."""
        if not isinstance(data.get("fields"), list):
            raise FieldsMissing
        return data


class FormList(Tolerant):
    """The query of a list of forms."""

    include = ListOf("The forms with these ids, whole, also trashed ones.", Number())
    status = Text(
        "Forms of this status; `all` are those that are not in the trash.",
        FORM_STATUSES,
        load_default="active",
    )


class Deletion(Tolerant):
    """How something is deleted, in the query or the body."""

    force = Flag("Delete it for good.", load_default=False, allow_none=True)
