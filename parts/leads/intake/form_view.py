"""The fields of a form as the template `site/form.html` shows them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial

from landform.parts.leads.intake import compound
from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.formats import date_text, normal
from landform.parts.leads.intake.logic import logic_of
from landform.parts.leads.intake.texts import translatable
from landform.parts.leads.intake.validation import NEEDED_PARTS
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.site.catalogs import Message
from landform.service.site.forms import trusted

# The attributes of the controls of a type.
ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "textarea": {},
    "email": {"type": "email", "autocomplete": "email"},
    "phone": {"type": "tel", "autocomplete": "tel"},
    "website": {"type": "url", "autocomplete": "url"},
    "number": {"type": "text", "inputmode": "decimal"},
    "date": {"type": "date"},
    "name": {"type": "text", "autocomplete": "name"},
    "time": {"type": "text", "inputmode": "numeric", "autocomplete": "off"},
    "checkbox": {"type": "checkbox"},
    "consent": {"type": "checkbox"},
    "radio": {"type": "radio"},
    "multiselect": {"type": "checkbox"},
}
# What a browser fills into the parts of a name and of an address.
FILLED_PARTS: Mapping[str, Mapping[str, str]] = {
    "name": {
        "2": "honorific-prefix",
        "3": "given-name",
        "4": "additional-name",
        "6": "family-name",
        "8": "honorific-suffix",
    },
    "address": {
        compound.STREET: "address-line1",
        compound.SECOND_LINE: "address-line2",
        compound.CITY: "address-level2",
        compound.STATE: "address-level1",
        compound.ZIP: "postal-code",
        compound.COUNTRY: "country-name",
    },
}
# The parameters of a page, each with a text or a list.
Query = Mapping[str, str | Sequence[str]]
TICKED = ("radio", "checkbox", "multiselect", "consent")
BLOCK = re.compile(r"<(?:p|div|[uod]l|h[1-6]|table|blockquote|pre|hr|figure)\b")
LIST = re.compile(r"([^\[\]]+)\[[0-9]*\]")
CLASS = re.compile(r"[\w-]+")
LENGTH = re.compile(r"[1-9][0-9]{0,4}")
AUTOCOMPLETE = re.compile(r"[a-z0-9 -]{1,60}")
# A longer text in a query is not filled in, nor a choice with more commas.
LONGEST_PREFILLED, MOST_COMMAS = 1000, 50


def first_values(form: JsonObject, query: Query) -> dict[str, str]:
    """Return the first values of a form, by the ids of inputs.

    It is the default of each field, or a value of the query for a field that allows that.
    """
    first = dict[str, str]()
    for field in f.open_fields(form):
        first |= _first_values(field, query)
        if field["type"] == "time":
            parts = compound.split_time(normal(field, first[str(field["id"])]))
            first |= zip((item.id for item in f.shown_inputs(field)), parts, strict=False)
    return first


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
    offered = {value for _, value in f.choices_of(field)}
    chosen_in = cache(partial(_choices_in, values=offered))
    choices = zip(field.get("choices") or (), f.choices_of(field), strict=True)
    chosen = [value for choice, (_, value) in choices if choice.get("isSelected")]
    for item in f.inputs_of(field):
        raw = _settings_of(field, item)
        name = raw.get("name") or field.get("inputName")
        sent = query.get(str(name)) if field.get("allowsPrepopulate") and name else None
        if sent is None or sum(map(len, sent)) > LONGEST_PREFILLED or "\0" in "".join(sent):
            default = compound.default_part(field, item.id.partition(".")[2])
            sent = text_of(raw.get("defaultValue")) or default or chosen
            sent = sent or text_of(field.get("defaultValue"))
        if field["type"] in ("checkbox", "multiselect"):
            texts = chosen_in(sent) if isinstance(sent, str) else [*map(f.unpadded, sent)]
            box = boxes.get(item.id, "")
            values[item.id] = box if box in texts else ""
            if field["type"] == "multiselect":
                values[item.id] = compound.chosen_text([x for x in texts if x in offered])
        else:
            values[item.id] = sent if isinstance(sent, str) else sent[-1]
    return values


def _choices_in(text: str, values: Collection[str]) -> list[str]:
    """Return the values of choices in a text, with commas between; a value may have some too."""
    chosen, parts = list[str](), text.split(",")
    sizes = sorted({1, *(min(value.count(","), MOST_COMMAS) + 1 for value in values)}, reverse=True)
    while parts:
        # The longest value that begins here.
        texts = ((size, f.unpadded(",".join(parts[:size]))) for size in sizes)
        size, value = next((pair for pair in texts if pair[1] in values), (1, ""))
        chosen.append(value)
        parts = parts[size:]
    return chosen


def with_lists(pairs: Iterable[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Return the parameters of a query; those with names such as `topics[]` are lists."""
    query = dict[str, str | list[str]]()
    for name, text in pairs:
        match = LIST.fullmatch(name)
        before = query.get(match[1] if match else name)
        if match:
            query[match[1]] = [*(before if isinstance(before, list) else ()), text]
        else:
            query[name] = text
    return query


def prose(text: str, html: Mapping[str, str]) -> JsonObject:
    """Return the cleaned HTML of a text, and the element for it: a `div` for blocks."""
    cleaned = html.get(text, "")
    return {"html": trusted(cleaned), "element": "div" if BLOCK.search(cleaned) else "p"}


def field_views(
    form: JsonObject, values: Mapping[str, str], messages: Mapping[str, str], number: int = 1
) -> list[JsonObject]:
    """Return the variables of the template for each field.

    `values`: those of inputs, by their ids. `messages`: what is wrong, by the ids of fields.
    `number`: of the form among those with its id in a page.
    """
    views, html = [], clean_form(form).html
    prefix = f"{f.PREFIX}{form['id']}" + (f"n{number}_" if number > 1 else "_")
    with_logic = {logic.id for logic in logic_of(form)}
    for field in form["fields"]:
        visible = [item for item in f.shown_inputs(field) if not item.is_hidden]
        is_text = field["type"] in f.WITHOUT_INPUTS and field.get("visibility") != "hidden"
        if not f.is_internal(field) and (visible or is_text):
            inputs = [_control(prefix, field, item, values) for item in visible]
            message = messages.get(str(field["id"]), "")
            view = _field_view(f"{prefix}{field['id']}", field, inputs, message, html)
            view["other"] = _own_choice(view["id"], field, values)
            view["content"] = html.get(text_of(field.get("content")), "")
            views.append({**view, "has_logic": str(field["id"]) in with_logic})
    return views


def _own_choice(base: str, field: JsonObject, values: Mapping[str, str]) -> JsonObject | None:
    """Return the radio button for a choice of one's own, with its text, where a field has one."""
    if not f.takes_own_choice(field):
        return None
    name, value = str(field["id"]), f.unpadded(values.get(str(field["id"]), ""))
    text = values.get(f"{name}.other", "") if value in ("", f.OTHER_CHOICE) else value
    is_own = bool(text) and text not in [choice for _, choice in f.choices_of(field)]
    return {
        "id": f"{base}_other",
        "name": f"{f.PREFIX}{name}",
        "value": f.OTHER_CHOICE,
        "chosen": is_own or value == f.OTHER_CHOICE,
        "text": text if is_own else "",
    }


def _field_view(
    base: str,
    field: JsonObject,
    inputs: list[JsonObject],
    message: str,
    html: Mapping[str, str],
) -> JsonObject:
    kind, note = field["type"], prose(text_of(field.get("description")), html)
    is_hidden = kind == "hidden" or field.get("visibility") == "hidden"
    if is_hidden:
        # The words of a consent are not for those who cannot read them.
        inputs = [x for x in inputs if x["value"] and kind != "consent"] or inputs[:1]
    if kind in TICKED and not is_hidden:
        inputs = _ticked(base, field, inputs, is_wrong=bool(message))
        if kind == "consent" and (label := html.get(text_of(field.get("checkboxLabel")))):
            inputs[0]["label"] = trusted(label)
    shape = "group" if len(inputs) > 1 else "single"
    if kind in f.WITHOUT_INPUTS or kind in TICKED:
        shape = "choices" if kind in TICKED else kind
    notes = {f"{base}_help": note["html"], f"{base}_error": message}
    nameless = Message("Field %(number)s", number=field["id"])
    return {
        "id": base,
        "number": field["id"],
        "type": kind,
        "kind": "hidden" if is_hidden else shape,
        "label": field["label"] or text_of(field.get("adminLabel")) or nameless,
        "required": bool(field.get("isRequired")),
        "help": note["html"],
        "help_element": note["element"],
        "css": css_of(field),
        "error": message,
        # What the box stands for: a submission with other words is refused.
        "words_name": f"{f.PREFIX}{field['id']}_2",
        "words": f.consent_words(field) if kind == "consent" else "",
        "described": " ".join(name for name, text in notes.items() if text),
        "focus": inputs[0]["id"] if inputs else base,
        "inputs": inputs,
    }


def css_of(item: JsonObject) -> str:
    """Return the classes of a form or field, each with a blank before."""
    return "".join(f" {name}" for name in CLASS.findall(text_of(item.get("cssClass"))))


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
    choices = _choices_of_control(field, part, raw)
    options = [{"text": text, "value": box, "chosen": box == chosen} for text, box in choices]
    is_open = not any(option["chosen"] for option in options)
    attributes = {} if options else {**ATTRIBUTES.get(kind, {"type": "text"})}
    autocomplete = text_of(raw.get("autocompleteAttribute") or field.get("autocompleteAttribute"))
    if part in FILLED_PARTS.get(kind, ()):
        attributes["autocomplete"] = FILLED_PARTS[kind][part]
    if AUTOCOMPLETE.fullmatch(autocomplete):
        attributes["autocomplete"] = autocomplete
    placeholder = text_of(raw.get("placeholder") or field.get("placeholder"))
    if not options and kind not in TICKED:
        longest = text_of(field.get("maxLength")) if kind in ("text", "textarea") else ""
        if LENGTH.fullmatch(longest):
            attributes["maxlength"] = longest
        if placeholder:
            attributes["placeholder"] = placeholder
    if kind == "number" and field.get("numberFormat"):
        attributes["data-format"] = text_of(field.get("numberFormat"))
    is_needed = not part or part in NEEDED_PARTS.get(kind, part)
    # An am or pm is always chosen.
    has_blank = part != "3" or kind != "time"
    return {
        "id": f"{prefix}{name}",
        "name": f.control_name(field, input_.id),
        "label": text_of(raw.get("customLabel")) or translatable(input_.label),
        "value": value,
        "required": bool(field.get("isRequired")) and is_needed,
        "attributes": attributes,
        "options": options,
        "first": placeholder if has_blank and (placeholder or is_open) else None,
    }


def _choices_of_control(field: JsonObject, part: str, raw: JsonObject) -> list[tuple[str, str]]:
    """Return the texts and values of a select: a field, or a part with these settings."""
    kind, country = field["type"], compound.country_of(field)
    if kind in ("select", "name"):
        return f.choices_of(field if kind == "select" else raw)
    if kind == "time" and part == "3":
        return [(translatable(half), half) for half in compound.HALVES]
    states = country.states if country and part == compound.STATE else ()
    return [(state, state) for state in states]


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
    sent = first["value"]
    chosen = compound.chosen(sent) if kind == "multiselect" else [f.unpadded(sent)]
    return [
        {**first, "id": f"{base}_{number}", "label": text, "value": value}
        | {"chosen": value in chosen, "required": first["required"] and kind == "radio"}
        for number, (text, value) in enumerate(choices)
    ]
