"""The fields of a form as the template `site/form.html` shows them."""

import re
from collections.abc import Collection, Mapping, Sequence

from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.formats import date_text, normal
from landform.parts.leads.intake.texts import translatable
from landform.parts.leads.intake.validation import NAME_PARTS
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.site.translations import Message

# The attributes of the controls of a type.
ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "textarea": {},
    "email": {"type": "email", "autocomplete": "email"},
    "phone": {"type": "tel", "autocomplete": "tel"},
    "website": {"type": "url", "autocomplete": "url"},
    "number": {"type": "text", "inputmode": "decimal"},
    "date": {"type": "date"},
    "name": {"type": "text", "autocomplete": "name"},
    "checkbox": {"type": "checkbox"},
    "consent": {"type": "checkbox"},
    "radio": {"type": "radio"},
}
# What a browser fills into the parts of a name.
PARTS_OF_NAMES = {
    "2": "honorific-prefix",
    "3": "given-name",
    "4": "additional-name",
    "6": "family-name",
    "8": "honorific-suffix",
}
# The parameters of a page, each with a text or a list.
Query = Mapping[str, str | Sequence[str]]
TICKED = ("radio", "checkbox", "consent")
LENGTH = re.compile(r"[1-9][0-9]{0,4}")
AUTOCOMPLETE = re.compile(r"[a-z0-9 -]{1,60}")
# A longer text in a query is not filled in.
LONGEST_PREFILLED = 1000


def first_values(form: JsonObject, query: Query) -> dict[str, str]:
    """Return the first values of a form, by the ids of inputs.

    It is the default of each field, or a value of the query for a field that allows that.
    """
    first = (_first_values(field, query) for field in f.open_fields(form))
    return {input_id: text for values in first for input_id, text in values.items()}


def internal_values(form: JsonObject) -> dict[str, str]:
    """Return the defaults of the fields that visitors do not see, by the ids of inputs.

    They are stored as values of visitors are; blank where no entry can have them.
    """
    return {
        input_id: normal(field, f.storable_text(text))
        for field in form["fields"]
        if not f.is_open(field)
        for input_id, text in _first_values(field, {}).items()
    }


def _first_values(field: JsonObject, query: Query) -> dict[str, str]:
    """Return the values of the query, else those of the selected choices, else the defaults."""
    values, boxes = {}, f.box_values(field)
    choices = zip(field.get("choices") or (), f.choices_of(field), strict=True)
    chosen = [value for choice, (_, value) in choices if choice.get("isSelected")]
    for item in f.inputs_of(field):
        raw = _settings_of(field, item)
        name = raw.get("name") or field.get("inputName")
        sent = query.get(str(name)) if field.get("allowsPrepopulate") and name else None
        if sent is None or sum(map(len, sent)) > LONGEST_PREFILLED or "\0" in "".join(sent):
            sent = text_of(raw.get("defaultValue")) or chosen or text_of(field.get("defaultValue"))
        if field["type"] == "checkbox":
            box = boxes.get(item.id, "")
            texts = _choices_in(sent, boxes.values()) if isinstance(sent, str) else sent
            values[item.id] = box if box in map(f.unpadded, texts) else ""
        else:
            values[item.id] = sent if isinstance(sent, str) else sent[-1]
    return values


def _choices_in(text: str, values: Collection[str]) -> list[str]:
    """Return the values of choices in a text, with commas between; a value may have some too."""
    found = list[str]()
    while text:
        text = text.lstrip()
        fitting = [value for value in values if value and f"{text},".startswith(f"{value},")]
        found.append(max(fitting, key=len, default=text.partition(",")[0]))
        text = text[len(found[-1]) + 1 :]
    return found


def field_views(
    form: JsonObject, values: Mapping[str, str], messages: Mapping[str, str]
) -> list[JsonObject]:
    """Return the variables of the template for each field.

    `values`: those of inputs, by their ids. `messages`: what is wrong, by the ids of fields.
    """
    views, prefix, html = [], f"{f.PREFIX}{form['id']}_", clean_form(form).html
    for field in form["fields"]:
        visible = [item for item in f.sent_inputs(field) if not item.is_hidden]
        is_text = field["type"] in f.WITHOUT_INPUTS and field.get("visibility") != "hidden"
        if not f.is_internal(field) and (visible or is_text):
            inputs = [_control(prefix, field, item, values) for item in visible]
            message = messages.get(str(field["id"]), "")
            view = _field_view(f"{prefix}{field['id']}", field, inputs, message)
            views.append({**view, "content": html.get(text_of(field.get("content")), "")})
    return views


def _field_view(base: str, field: JsonObject, inputs: list[JsonObject], message: str) -> JsonObject:
    kind, note = field["type"], text_of(field.get("description"))
    is_hidden = kind == "hidden" or field.get("visibility") == "hidden"
    if is_hidden:
        # The words of a consent are not for those who cannot read them.
        inputs = [x for x in inputs if x["value"] and kind != "consent"] or inputs[:1]
    if kind in TICKED and not is_hidden:
        inputs = _ticked(base, field, inputs, is_wrong=bool(message))
    shape = "group" if len(inputs) > 1 else "single"
    if kind in f.WITHOUT_INPUTS or kind in TICKED:
        shape = "choices" if kind in TICKED else kind
    notes = {f"{base}_help": note, f"{base}_error": message}
    nameless = Message("Field %(number)s", number=field["id"])
    return {
        "id": base,
        "type": kind,
        "kind": "hidden" if is_hidden else shape,
        "label": field["label"] or text_of(field.get("adminLabel")) or nameless,
        "required": bool(field.get("isRequired")),
        "help": note,
        "error": message,
        # What the box stands for: a submission with other words is refused.
        "words_name": f"{f.PREFIX}{field['id']}_2",
        "words": f.storable_text(f.consent_label(field)) if kind == "consent" else "",
        "described": " ".join(name for name, text in notes.items() if text),
        "focus": inputs[0]["id"] if inputs else base,
        "inputs": inputs,
    }


def _settings_of(field: JsonObject, input_: f.Input) -> JsonObject:
    """Return the settings of an input in its form, maybe empty."""
    inputs = field.get("inputs") or ()
    return next((item for item in inputs if str(item["id"]) == input_.id), {})


def _control(
    prefix: str, field: JsonObject, input_: f.Input, values: Mapping[str, str]
) -> JsonObject:
    """Return a control: its `options` are those of a select."""
    raw = _settings_of(field, input_)
    name, part, kind = input_.id.replace(".", "_"), input_.id.partition(".")[2], field["type"]
    value = values.get(input_.id, "")
    if kind == "date":
        # As a browser takes it.
        value = date_text(field, value) or value
    chosen = f.unpadded(value)
    choices = f.choices_of(raw if kind == "name" else field) if kind in ("select", "name") else []
    options = [{"text": text, "value": box, "chosen": box == chosen} for text, box in choices]
    attributes = {} if options else {**ATTRIBUTES.get(kind, {"type": "text"})}
    autocomplete = text_of(raw.get("autocompleteAttribute") or field.get("autocompleteAttribute"))
    if part in PARTS_OF_NAMES and kind == "name":
        attributes["autocomplete"] = PARTS_OF_NAMES[part]
    if AUTOCOMPLETE.fullmatch(autocomplete):
        attributes["autocomplete"] = autocomplete
    placeholder = text_of(raw.get("placeholder") or field.get("placeholder"))
    if not options and kind not in TICKED:
        longest = text_of(field.get("maxLength")) if kind in ("text", "textarea") else ""
        if LENGTH.fullmatch(longest):
            attributes["maxlength"] = longest
        if placeholder:
            attributes["placeholder"] = placeholder
    is_needed = kind != "name" or not part or part in NAME_PARTS
    return {
        "id": f"{prefix}{name}",
        "name": f"{f.PREFIX}{name}",
        "label": text_of(raw.get("customLabel")) or translatable(input_.label),
        "value": value,
        "required": bool(field.get("isRequired")) and is_needed,
        "attributes": attributes,
        "options": options,
        "first": placeholder if placeholder or not any(o["chosen"] for o in options) else None,
    }


def _ticked(
    base: str, field: JsonObject, inputs: list[JsonObject], *, is_wrong: bool
) -> list[JsonObject]:
    """Return the radio buttons or boxes of a field; a consent that `is_wrong` is given anew."""
    kind, choices, first = field["type"], f.choices_of(field), inputs[0]
    if kind == "consent":
        is_given = first["value"] == "1" and not is_wrong
        return [{**first, "label": f.consent_label(field), "value": "1", "chosen": is_given}]
    if kind == "checkbox":
        # A browser cannot require one of several boxes.
        is_needed = bool(field.get("isRequired")) and len(inputs) == 1
        return [
            {**box, "label": text, "value": value, "chosen": bool(box["value"])}
            | {"required": is_needed}
            for box, (text, value) in zip(inputs, choices, strict=False)
        ]
    return [
        {**first, "id": f"{base}_{number}", "label": text, "value": value}
        | {"chosen": value == f.unpadded(first["value"])}
        for number, (text, value) in enumerate(choices)
    ]
