"""Schemas of forms: how they are written, with the defaults of Gravity Forms, and read."""

import re
import secrets
from math import inf
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, post_load, pre_load, validates_schema

from landform.parts.leads.errors import FieldsMissing, NoTitle
from landform.parts.leads.intake.fields import LARGEST_FIELD, id_of
from landform.parts.leads.intake.form_html import clean_texts, own_texts
from landform.parts.leads.intake.texts import THANKS
from landform.parts.leads.models import MOST_DAYS
from landform.parts.leads.storage.forms import LONGEST_TITLE
from landform.schemas import fields
from landform.schemas.known_names import Tolerant
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.storage.rows import digest_of, json_text

# How many fields a form may have.
MOST_FIELDS = 500
# How many characters the texts of a confirmation may have.
LONGEST = {"url": fields.LONGEST_TEXT, "queryString": fields.LONGEST_TEXT, "message": 100_000}
DEFAULT_BUTTON = {"type": "text", "text": "Submit", "imageUrl": ""}
DEFAULT_CONFIRMATION = {
    **{"name": "Default Confirmation", "isDefault": True, "type": "message", "message": THANKS},
    **dict.fromkeys(("url", "pageId", "queryString"), ""),
}
# What a form has as columns, or what the service chooses.
FORM_STATUSES = ("active", "inactive", "trash", "all")
COLUMN_KEYS = ("id", "title", "is_active", "is_trash", "date_created")


class AnyObject(fields.Field[JsonObject]):
    """An object, which the schema that has it checks."""

    json_type = wordpress_type = {"type": "object"}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> JsonObject:
        if not isinstance(value, dict):
            raise ValidationError(f"{attr} must be an object.")
        return value


OBJECTS = fields.JsonList("", AnyObject(), max_items=inf)


class FormFields(fields.JsonList[JsonObject]):
    """The fields of a form, each an object with a `type`; the `id` of a new one may be 0."""

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        items = super()._deserialize(value, attr, data, **kw)
        numbers = [_field_id(item) for item in items]
        known = [number for number in numbers if number]
        if len({*known}) < len(known) or max(known, default=0) > LARGEST_FIELD:
            raise ValidationError(f"The ids of fields must differ, up to {LARGEST_FIELD}.")
        return [_with_defaults(*pair) for pair in zip(items, numbers, strict=True)]


def _field_id(item: JsonObject) -> int:
    """Return the id of a field; 0 if it has none."""
    number = id_of(item.get("id"))
    if not number and item.get("id") not in (None, "", 0, "0"):
        raise ValidationError(f"The id of a field must be from 1 to {LARGEST_FIELD}.")
    return number


def _with_defaults(item: JsonObject, field_id: int) -> JsonObject:
    """Return a field with the keys that all have. Raises `ValidationError`."""
    kind, label = item.get("type", "text"), item.get("label", "")
    if not (isinstance(kind, str) and kind and isinstance(label, str)):
        raise ValidationError("The type and the label of a field must be strings.")
    inputs = OBJECTS.deserialize(item.get("inputs") or [], "inputs")
    for part in (item, *inputs):
        OBJECTS.deserialize(part.get("choices") or [], "choices")
    # The first input of an e-mail address that is repeated has the id of its field.
    input_id = re.compile(rf"{field_id or '[0-9]{1,5}'}(\.[0-9]{{1,4}})?")
    if not all(input_id.fullmatch(str(part.get("id", ""))) for part in inputs):
        raise ValidationError(f"The ids of inputs must look like {field_id}.1.")
    is_required = item.get("isRequired") in (True, 1, "1", "true")
    return {**item, "id": field_id, "type": kind, "label": label, "isRequired": is_required}


class Confirmations(fields.ListOf[JsonObject]):
    """The confirmations of a form by their ids; a list of them becomes such an object."""

    def __init__(self, about: str = "") -> None:
        super().__init__(about, AnyObject(), max_items=inf)
        self.json_type = {"oneOf": [AnyObject.json_type, self.json_type]}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        items = super()._deserialize(value, attr, data, **kw)
        return {item["id"]: item for item in map(_with_id, items)}


def _with_id(confirmation: JsonObject) -> JsonObject:
    # The same one gets the same id, so that an import that is repeated changes nothing.
    number = confirmation.get("id") or digest_of(json_text(confirmation))[:14]
    return {**confirmation, "id": str(number)[:100]}


class FormObject(Schema):
    """Gravity Forms' form object; unknown keys are kept."""

    class Meta:
        unknown = INCLUDE
        # A field with this name is no attribute: marshmallow has one of its own.
        include = {
            "fields": FormFields(
                "The fields, in their order.", AnyObject(), max_items=MOST_FIELDS, load_default=list
            )
        }

    title = fields.Text("The title.", longest=LONGEST_TITLE, line=True)
    is_active = fields.Flag("Whether it can be submitted; true by default.")
    confirmations = Confirmations("What visitors get after a submission.")
    retention_days = fields.Integer("After how many days entries are deleted.", 1, MOST_DAYS)

    @pre_load
    def check_parts(self, data: JsonObject, **kw: object) -> JsonObject:
        """Refuse a body without a title, with the code of Gravity Forms."""
        sent = {name: value for name, value in data.items() if value is not None}
        title = sent.get("title", "")
        if isinstance(title, str):
            sent["title"] = title.strip(fields.WHITE_SPACE)
        if not sent["title"]:
            raise NoTitle
        return sent

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns: `title`, `meta` with everything else, and `is_active` if sent."""
        meta = {name: value for name, value in data.items() if name not in COLUMN_KEYS}
        fields.check_keys("form", meta)
        if not isinstance(meta.get("button"), dict):
            meta["button"] = DEFAULT_BUTTON
        columns: JsonObject = {name: data[name] for name in ("title", "is_active") if name in data}
        return {**columns, "meta": meta}


class FormWrite(FormObject):
    """A form object whose texts have limits, which those of earlier versions did not."""

    @validates_schema
    def check_texts(self, data: JsonObject, **kw: object) -> None:
        """Refuse long confirmations, and HTML that would take too long to show."""
        confirmations = [*data.get("confirmations", {}).values()]
        for confirmation in confirmations:
            for name, longest in LONGEST.items():
                if len(text_of(confirmation.get(name))) > longest:
                    message = f"The {name} of a confirmation has more than {longest} characters."
                    raise ValidationError(message, "confirmations")
        texts = own_texts(data)
        for name, items in (
            ("description", texts[:1]),
            ("fields", [*texts, *data["fields"]]),
            ("confirmations", confirmations),
        ):
            if problem := clean_texts(items).problem:
                raise ValidationError(problem, name)


class FormCreate(FormWrite):
    """The body that creates a form, with defaults."""

    is_active = fields.Flag(load_default=True)

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns, with a confirmation."""
        number = secrets.token_hex(7)
        default = {number: {"id": number, **DEFAULT_CONFIRMATION}}
        confirmations = data.get("confirmations") or default
        columns: JsonObject = super().to_columns({**data, "confirmations": confirmations})
        return columns


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

    include = fields.ListOf("The forms with these ids, whole, also trashed ones.", fields.Number())
    status = fields.Text(
        "Forms of this status; `all` are those that are not in the trash.",
        FORM_STATUSES,
        load_default="active",
    )


class Deletion(Tolerant):
    """How something is deleted, in the query or the body."""

    force = fields.Flag("Delete it for good.", load_default=False, allow_none=True)
