"""The fields of a form: their inputs, and the values that were sent for these.

A form is the object of `storage.forms.get_form`. The values of an entry are texts by the ids of
inputs, such as `2`, or `1.3` for a part of field 1.
"""

import re
from collections.abc import Mapping
from html import unescape
from itertools import count
from typing import Any, NamedTuple

from marshmallow import ValidationError

from landform.parts.leads.intake import compound, formats
from landform.schemas.fields import WHITE_SPACE
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.rendering.content import visible_text
from landform.service.site.documents import WITHIN_WORDS, plain_text

# The types that are shown and can be submitted; those without inputs only show something.
WITHOUT_INPUTS = ("html", "section")
CHOICES, BOXES = ("select", "radio", "checkbox"), ("checkbox", "multiselect")
SUPPORTED_TYPES = (
    *("text", "textarea", "email", "phone", "website", "number", "date", "time", "hidden"),
    *("name", "address", "consent", "multiselect", *CHOICES, *WITHOUT_INPUTS),
)
# Types whose value is in one input, whatever `inputs` they have.
OF_ONE_VALUE = ("email", "date", "time", "multiselect")
# How settings of Gravity Forms are off.
OFF = (None, False, "", "0", "false")
# The largest number of a field; the key of a form with the number of its next one.
LARGEST_FIELD, NEXT_ID = 99_999, "nextFieldId"
# How many inputs may be sent.
MOST_INPUTS = 200
PREFIX = "input_"
# The value of radio buttons for a choice of one's own, which is in another input.
OTHER_CHOICE = "gf_other_choice"
# The types whose values lose blanks around that nobody sees.
PASTED = ("email", "phone", "website", "number", "date")
# The types of dates that are sent as a list, in the order of the format.
DATES_IN_PARTS = ("datefield", "datedropdown")
# The numbers of the boxes of a field: 1.10 would be the same as 1.1.
BOX_NUMBERS = [str(number) for number in range(1, 10_000) if number % 10]
CONSENT = {"1": "Consent", "2": "Text", "3": "Description"}


class Input(NamedTuple):
    """An input of a field: its id, such as `1.3`, its label, and whether it is hidden."""

    id: str
    label: str
    is_hidden: bool = False


def inputs_of(field: JsonObject) -> list[Input]:
    """Return the inputs of a field in their order; a field without parts is its only input."""
    field_id, kind, inputs = str(field["id"]), field["type"], field.get("inputs")
    if kind in WITHOUT_INPUTS:
        return []
    if kind == "address":
        return [Input(*part) for part in compound.address_parts(field)]
    if inputs and kind not in OF_ONE_VALUE:
        return [
            Input(str(x["id"]), str(x.get("label", "")), bool(x.get("isHidden"))) for x in inputs
        ]
    labels = CONSENT if kind == "consent" else {}
    if kind == "checkbox":
        labels = dict(zip(BOX_NUMBERS, (text for text, _ in choices_of(field)), strict=False))
    numbered = [Input(f"{field_id}.{part}", label) for part, label in labels.items()]
    return numbered or [Input(field_id, field["label"])]


def sent_inputs(field: JsonObject) -> list[Input]:
    """Return the inputs that visitors send.

    An e-mail address may have one that repeats it; a time has its parts after the whole.
    """
    if field["type"] == "time":
        is_short = str(field.get("timeFormat")) == "24"
        labels = [*compound.TIME_LABELS.items()][: 2 if is_short else 3]
        parts = [Input(f"{field['id']}.{part}", label) for part, label in labels]
        return [*inputs_of(field), *parts]
    if not (field["type"] == "email" and field.get("emailConfirmEnabled")):
        return inputs_of(field)
    names = [text_of(item.get("label")) for item in field.get("inputs") or ()]
    first, second = names if len(names) == 2 else ("", "")
    field_id = str(field["id"])
    return [
        Input(field_id, first or field["label"]),
        Input(f"{field_id}.2", second or "Confirm Email"),
    ]


def shown_inputs(field: JsonObject) -> list[Input]:
    """Return the inputs that a page shows: of a time its parts."""
    return sent_inputs(field)[1:] if field["type"] == "time" else sent_inputs(field)


def consent_label(field: JsonObject) -> str:
    """Return the text to which visitors agree who tick the box of a consent."""
    return text_of(field.get("checkboxLabel")) or field["label"]


def consent_words(field: JsonObject) -> str:
    """Return the text to which visitors agree without its HTML, as entries have it."""
    return storable_text(unescape(visible_text(consent_label(field), " ", WITHIN_WORDS)))


def has_other_words(field: JsonObject, values: Mapping[str, str]) -> bool:
    """Return whether a consent was sent with other words than those of its field now.

    Tags and white space do not count.
    """
    sent, shown = map(plain_text, (values.get(f"{field['id']}.2", ""), consent_label(field)))
    return field["type"] == "consent" and bool(sent) and sent != shown


def choices_of(field: JsonObject) -> list[tuple[str, str]]:
    """Return the texts and values of the choices of a field, the values as they are stored."""
    return [
        (text_of(choice.get("text")), unpadded(text_of(choice.get("value", choice.get("text")))))
        for choice in field.get("choices") or ()
    ]


def unpadded(text: str) -> str:
    """Return a value without blanks around, and with the line ends that browsers change."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip(WHITE_SPACE)


def takes_own_choice(field: JsonObject) -> bool:
    """Return whether a field takes a choice of one's own."""
    return field["type"] == "radio" and bool(field.get("enableOtherChoice"))


def control_name(field: JsonObject, input_id: str) -> str:
    """Return the name with which a page sends an input; the boxes of a multiselect are a list."""
    ending = "[]" if field["type"] == "multiselect" else ""
    return f"{PREFIX}{input_id.replace('.', '_')}{ending}"


def box_values(field: JsonObject) -> dict[str, str]:
    """Return the value of each box of a checkbox field, by the id of its input."""
    values = [value for _, value in choices_of(field)]
    return {item.id: value for item, value in zip(inputs_of(field), values, strict=False)}


def input_ids(form: JsonObject) -> list[str]:
    """Return the ids of all inputs of a form, in order."""
    return [item.id for field in form.get("fields", ()) for item in inputs_of(field)]


def values_of(entry: JsonObject) -> dict[str, str]:
    """Return the values of an entry by the ids of inputs, without its properties."""
    return {name: text for name, text in entry.items() if name[:1].isdecimal()}


def id_of(value: object) -> int:
    """Return an id that is a number or its digits; 0 for other values."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def is_internal(field: JsonObject) -> bool:
    """Return whether visitors never see a field."""
    return bool(field.get("adminOnly")) or field.get("visibility") == "administrative"


def is_open(field: JsonObject) -> bool:
    """Return whether visitors fill in a field."""
    return not is_internal(field) and field["type"] not in WITHOUT_INPUTS


def open_fields(form: JsonObject) -> list[JsonObject]:
    """Return the fields that visitors fill in."""
    return [field for field in form["fields"] if is_open(field)]


def next_field_id(form: JsonObject) -> int:
    """Return the number after the highest one that a field of a form ever had."""
    stored_id = id_of(form.get(NEXT_ID))
    last = max((field["id"] for field in form["fields"]), default=0)
    return max(stored_id if stored_id <= LARGEST_FIELD + 1 else 0, last + 1)


def number_fields(meta: JsonObject, first: int = 1) -> JsonObject:
    """Return the meta of a form in which each field has a number; new ones from `first` on.

    Raises `ValidationError`.
    """
    free, fields = count(max(first, next_field_id(meta))), []
    for field in meta["fields"]:
        # The ids of inputs begin with that of their field.
        number = field["id"] or next(free)
        inputs = [
            {**part, "id": re.sub("^[0-9]+", str(number), str(part["id"]))}
            for part in field.get("inputs") or ()
        ]
        new = {"id": number, **({"inputs": inputs} if inputs else {})}
        fields.append(field if field["id"] else field | new)
    next_id = next(free)
    if next_id > LARGEST_FIELD + 1:
        raise ValidationError(f"The ids of fields are at most {LARGEST_FIELD}.", "fields")
    return {**meta, "fields": fields, NEXT_ID: next_id}


def honeypot_name(form: JsonObject) -> str:
    """Return the name of the input that people do not see: that after the last one of a form.

    It is no field that was removed: a page that is still open has that one.
    """
    return f"{PREFIX}{next_field_id(form)}"


def is_spam(form: JsonObject, sent: Mapping[str, Any], *, from_page: bool) -> bool:
    """Return whether the honeypot was filled in.

    The forms of landform's pages always have one; others have it with `enableHoneypot`.
    """
    has_honeypot = from_page or bool(form.get("enableHoneypot"))
    return has_honeypot and sent.get(honeypot_name(form)) not in (None, "", [], {}, False)


def read_values(form: JsonObject, sent: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return the values that were sent for a form by the ids of inputs, trimmed, and their names.

    An input is sent as `input_1_3` or `input_1.3`; the boxes of a checkbox field also as a list
    `input_5`. Others are ignored. Raises `ValidationError` for values that cannot be texts.
    """
    inputs = {name.replace(".", "_"): name for name in sent if name.startswith(PREFIX)}
    if len(inputs) > MOST_INPUTS:
        raise ValidationError(f"There must not be more than {MOST_INPUTS} inputs.", "input_")
    values, unread = dict[str, str](), {**inputs}
    for field in open_fields(form):
        field_id = str(field["id"])
        if field["type"] == "checkbox" and (name := unread.pop(PREFIX + field_id, "")):
            values |= _ticked(field, name, sent[name])
        for item in sent_inputs(field):
            if name := unread.pop(PREFIX + item.id.replace(".", "_"), ""):
                values[item.id] = _sent_text(field, name, sent[name])
        if field["type"] == "time":
            values |= _whole_time(field, values)
        own_choice = unread.pop(f"{PREFIX}{field_id}_other", "") if field["type"] == "radio" else ""
        # Who types a choice need not select that it is one.
        if takes_own_choice(field) and values.get(field_id, OTHER_CHOICE) == OTHER_CHOICE:
            values[field_id] = checked_text(own_choice, sent.get(own_choice), WHITE_SPACE)
    read = inputs.keys() - unread
    return values, [name for name in sent if name.replace(".", "_") in read]


def typed_values(form: JsonObject, sent: Mapping[str, Any]) -> dict[str, str]:
    """Return what was typed into a form by the ids of inputs, also what is refused."""
    typed = {
        name.removeprefix(PREFIX).replace("_", "."): value
        for name, value in sent.items()
        if isinstance(value, str)
    }
    for field in form["fields"]:
        value = sent.get(f"{PREFIX}{field['id']}")
        if field["type"] == "checkbox":
            items = value if isinstance(value, list) else [value]
            texts = [unpadded(str(item)) for item in items if item]
            typed |= {box: text for box, text in box_values(field).items() if text in texts}
        if field["type"] == "multiselect" and isinstance(value, list):
            texts = [unpadded(text) for text in value if isinstance(text, str)]
            typed[str(field["id"])] = compound.chosen_text(texts)
    return typed


def _sent_text(field: JsonObject, name: str, value: object) -> str:
    """Return what was sent for an input as a text; dates, times and choices may be lists.

    Numbers in JSON have a dot, whatever the format of the field.
    """
    kind = field["type"]
    around = formats.UNSEEN if kind in PASTED else WHITE_SPACE
    has_parts = kind == "date" and field.get("dateType") in DATES_IN_PARTS
    if kind == "multiselect" and not isinstance(value, (list, dict)):
        value = compound.chosen(checked_text(name, value))
    if isinstance(value, list) and (has_parts or kind in ("time", "multiselect")):
        texts = [unpadded(checked_text(name, part, around)) for part in value]
        if kind == "multiselect":
            return compound.chosen_text(texts)
        date = "/".join(texts) if any(texts) else ""
        value = compound.joined_time(texts) if kind == "time" else date
    text = checked_text(name, value, around)
    if isinstance(value, float) and field.get("numberFormat") == "decimal_comma":
        return text.replace(".", ",")
    return unpadded(text) if kind in CHOICES else text


def _whole_time(field: JsonObject, values: Mapping[str, str]) -> dict[str, str]:
    """Return a time as a whole, by what was sent of its parts."""
    whole, *numbered = [item.id for item in sent_inputs(field)]
    sent = [values.get(input_id, "") for input_id in numbered]
    return {whole: compound.joined_time(sent)} if any(sent) and whole not in values else {}


def _ticked(field: JsonObject, name: str, value: object) -> dict[str, str]:
    """Return the boxes that a list of values ticks."""
    items = value if isinstance(value, list) else [value]
    texts = [unpadded(checked_text(name, item)) for item in items]
    boxes = {value: input_id for input_id, value in box_values(field).items()}
    if any(text not in boxes for text in texts if text):
        raise ValidationError(f"{name} has a value that is not offered.", name)
    return {boxes[text]: text for text in texts if text}


def checked_text(name: str, value: object, trimmed: str = "") -> str:
    """Return a value as a text, without `trimmed` characters around; raises `ValidationError`."""
    if isinstance(value, (list, dict)):
        raise ValidationError(f"{name} must be one text or number.", name)
    text = text_of(value).strip(trimmed)  # type: ignore[arg-type]
    if "\0" in text:
        raise ValidationError(f"{name} must not have the character NUL.", name)
    return text


def agreed_texts(form: JsonObject, values: Mapping[str, str], *, from_page: bool) -> dict[str, str]:
    """Return the texts of the consents that visitors gave, by the ids of their inputs.

    They are those of the form, whatever was sent. `from_page`: whether a page showed the form;
    as in Gravity Forms, a client of the API that sends no text stores none.
    """
    texts = {}
    for field in open_fields(form):
        text_id = f"{field['id']}.2"
        is_shown = from_page and text_id in [item.id for item in inputs_of(field)]
        is_given = field["type"] == "consent" and values.get(f"{field['id']}.1") == "1"
        if is_given and (is_shown or values.get(text_id)):
            texts[text_id] = consent_words(field)
    return texts


def storable_text(text: str) -> str:
    """Return a text of a form as the value of an entry: trimmed, blank if no entry can have it."""
    return "" if "\0" in text else text.strip(WHITE_SPACE)


def stored_values(form: JsonObject, values: Mapping[str, str]) -> dict[str, str]:
    """Return the normalized values of a form, by the ids of its inputs.

    Those of a consent that was not given are left out: nobody agreed to the words that were sent.
    An address of a country has that.
    """
    stored = dict[str, str]()
    for field in open_fields(form):
        if field["type"] == "consent" and values.get(f"{field['id']}.1") in (None, "", "0"):
            continue
        ids = [item.id for item in inputs_of(field)]
        present = {name: formats.normal(field, values[name]) for name in ids if name in values}
        country, country_id = compound.country_of(field), f"{field['id']}.{compound.COUNTRY}"
        if country and country_id in ids:
            present[country_id] = country.name if any(present.values()) else ""
        stored |= present
    return stored
