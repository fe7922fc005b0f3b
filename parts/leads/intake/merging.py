"""Merge tags, such as `{Email:2}`, in texts: what each stands for, and which stand for nothing."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from html import escape
from typing import Any, NamedTuple

from landform.parts import all_parts
from landform.parts.leads.intake import compound
from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.formats import ISO, SEPARATORS, formatted
from landform.service.pipeline.call import Service
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.site.catalogs import Message, Texts
from landform.storage.store import Store

TAG = re.compile(r"\{([^{}]*)\}")
FIELD_TAG = re.compile(r"(?:.*?:)?([0-9]+(?:\.[0-9]+)?)(?::([a-zA-Z].*))?", re.DOTALL)
# What else is taken for a tag; ` color: red; ` in a style sheet is none.
OTHER_TAG = re.compile(r"[^\W\d]\w*(?::[^;\"]*)?")
# More merge tags stay texts. A text ends before the value that would make it longer.
MOST_TAGS, MOST_MERGED = 1000, 2_000_000
# What stands for a consent without a text.
CHECKED = Message("Checked")
# The types whose values have commas between.
LISTED = ("checkbox", "multiselect", "address")
# The names of merge tags, and the keys of an entry or form that they stand for; those of an entry
# also as in `{entry:ip}`.
ENTRY_TAGS = {
    **{"entry_id": "id", "embed_url": "source_url", "page_url": "source_url"},
    **{name: name for name in "ip source_url user_agent currency".split()},
    **{f"payment_{name}": f"payment_{name}" for name in "status date amount method".split()},
    "transaction_id": "transaction_id",
}
FORM_TAGS = {"form_title": "title", "form_id": "id"}
# The keys of an entry for tags with a time, and how it is shown without a modifier.
DATE_TAGS = {
    **{name: (name, "format:Y-m-d H:i:s") for name in ("date_created", "date_updated")},
    **{f"date_{order}": ("date_created", order) for order in ("mdy", "dmy", "ymd")},
}
# Parts of a time, as formats of PHP; the letters of these, and how Python writes them.
DATE_PARTS = {"year": "Y", "month": "m", "day": "d", "time": "H:i", "timestamp": "U"}
LETTERS = {
    **{"d": "%d", "j": "%d", "D": "%a", "l": "%A", "m": "%m", "n": "%m", "M": "%b", "F": "%B"},
    **{"y": "%y", "Y": "%Y", "H": "%H", "G": "%H", "h": "%I", "g": "%I", "i": "%M", "s": "%S"},
    **{"A": "%p", "a": "%p", "U": "%s", "T": "%Z"},
}
PHP_LETTER = re.compile(r"\\(.)|([A-Za-z])", re.DOTALL)


class SiteTags(NamedTuple):
    """What merge tags of a site stand for: its time, the console's URL and its mail address.

    An empty one stands for nothing. `texts`: those of landform in the language of the reader.
    """

    store: Store
    texts: Texts
    console_url: str = ""
    admin_email: str = ""


def site_tags(service: Service, admin_email: str = "", texts: Texts | None = None) -> SiteTags:
    """Return what merge tags of a service stand for, by default in the language of the site."""
    url, console = service.options.public_url, all_parts().get("console")
    has_console = bool(url) and console in service.options.part_types
    console_url = f"{url}/console#" if has_console else ""
    return SiteTags(service.store, texts or service.site.texts(), console_url, admin_email)


def merge(
    text: str,
    form: JsonObject,
    entry: JsonObject,
    site: SiteTags,
    encode: Callable[[str], str] = escape,
    *,
    keeps_unknown: bool = False,
) -> str:
    """Return a text with the values of an entry in place of its merge tags.

    `encode` makes a value harmless where it is put. A tag in a value stays a text. One that stands
    for nothing is left out, or with `keeps_unknown` a text.
    """
    find = _finder(form, entry, site, encode)
    merged, size = list[str](), 0
    # Every other part is the name of a tag.
    for number, part in enumerate(TAG.split(text, MOST_TAGS)):
        value = find(part) if number % 2 else part
        if value is None:
            value = "" if _is_tag(part) and not keeps_unknown else f"{{{part}}}"
        merged.append(value)
        size += len(value)
        if size > MOST_MERGED:
            merged.pop()
            break
    return "".join(merged)


def unknown_tags(text: str, form: JsonObject | None, site: SiteTags) -> list[str]:
    """Return the merge tags in a text that stand for nothing; without a form none of a field."""
    find = _finder(form or {"id": 0, "title": "", "fields": []}, {}, site, str)
    names = [name for name in TAG.findall(text) if _is_tag(name) and find(name) is None]
    return [f"{{{name}}}" for name in names if form or not FIELD_TAG.fullmatch(name)]


def tags_problem(texts: Iterable[str], form: JsonObject | None, site: SiteTags) -> list[str]:
    """Return what is wrong with the merge tags in texts; nothing if all is well."""
    unknown = (tag for text in texts for tag in unknown_tags(text, form, site))
    tags = " ".join(", ".join(dict.fromkeys(unknown)).split())[:300]
    return [f"These merge tags stand for nothing: {tags}."] if tags else []


def _is_tag(name: str) -> bool:
    """Return whether a name in braces looks like that of a merge tag."""
    is_field = ":" in name and FIELD_TAG.fullmatch(name) is not None
    return (is_field and ";" not in name) or OTHER_TAG.fullmatch(name) is not None


def _finder(
    form: JsonObject, entry: Mapping[str, Any], site: SiteTags, encode: Callable[[str], str]
) -> Callable[[str], str | None]:
    """Return the function that returns the value of a merge tag, encoded; None for no tag."""
    fields = {
        number: field
        for field in form["fields"]
        for number in (str(field["id"]), *(item.id for item in f.inputs_of(field)))
    }
    console = site.console_url and f"{site.console_url}/entries/{entry.get('id', '')}"
    checked = site.texts.gettext(CHECKED)
    of_site = {"entry_url": console, "admin_email": site.admin_email}
    values = {
        **{name: form[key] for name, key in FORM_TAGS.items()},
        **{name: entry.get(key) for name, key in ENTRY_TAGS.items()},
        **{f"entry:{key}": entry.get(key) for key in ENTRY_TAGS.values()},
        **{name: text for name, text in of_site.items() if text},
    }

    @cache
    def find(name: str) -> str | None:
        if name in values:
            return encode(text_of(values[name]))
        key, _, modifier = name.partition(":")
        if key == "all_fields":
            return _all_fields(form, entry, encode, modifier.lower().split(","), checked)
        if key in DATE_TAGS:
            stored, shown_as = DATE_TAGS[key]
            return encode(_date_text(entry.get(stored) or "", modifier or shown_as, site))
        tag = FIELD_TAG.fullmatch(name)
        if not tag or ":" not in name or tag[1] not in fields:
            return None
        return encode(field_text(fields[tag[1]], entry, *tag.groups(), checked=checked))

    return find


def _date_text(utc: str, modifier: str, site: SiteTags) -> str:
    """Return a time in UTC as the time of the site, in the format of a modifier; `raw`: as it is.

    That is one of the formats of date fields, a part such as `year`, or `format:` and one of PHP.
    """
    if not utc or modifier == "raw":
        return utc
    local = datetime.fromisoformat(utc).replace(tzinfo=UTC).astimezone(site.store.clock.zone)
    order, separator = modifier[:3], SEPARATORS.get(modifier[3:])
    if {*order} == {*ISO} and separator:
        php = separator.join(order).replace("y", "Y")
    else:
        php = DATE_PARTS.get(modifier) or modifier.removeprefix("format:")

    def formatted(letter: re.Match[str]) -> str:
        if letter[2] not in LETTERS:
            return letter[1] or letter[2]
        if letter[2] == "U":
            return str(int(local.timestamp()))
        text = local.strftime(LETTERS[letter[2]])
        text = text.lower() if letter[2] == "a" else text
        return text.lstrip("0") or "0" if letter[2] in "jnGg" else text

    return PHP_LETTER.sub(formatted, php)


def field_text(
    field: JsonObject,
    entry: Mapping[str, Any],
    number: str = "",
    modifier: str | None = None,
    *,
    checked: str = CHECKED,
) -> str:
    """Return the values of a field, or of one of its inputs, as a text for people.

    Choices have their texts, or with the modifier `value` their values; numbers and dates have the
    format of their field (`formatted`). `checked` stands for a consent without a text.
    """
    modifiers = (modifier or "").lower().split(",")
    is_plain = "value" in modifiers
    texts = {} if is_plain else {value: text for text, value in f.choices_of(field)}
    ids = [number] if "." in number else [item.id for item in f.inputs_of(field)]
    if field["type"] == "consent" and "." not in number:
        # Never the present text of the form: it may have another since.
        agreed = entry.get(ids[1], "") if len(ids) > 1 else ""
        return agreed or checked if entry.get(ids[0]) else ""
    if field["type"] == "consent" and number.endswith(".1") and not is_plain:
        texts = {"1": checked}
    values = [str(entry.get(input_id) or "") for input_id in ids]
    if field["type"] == "multiselect":
        values = compound.chosen(values[0])
    if field["type"] in ("number", "date"):
        shown_as = "value" if is_plain else modifiers[0]
        return formatted(field, values[0], shown_as, str(entry.get("currency") or "USD"))
    displayed = [texts.get(value, value) for value in values if value]
    return (", " if field["type"] in LISTED else " ").join(displayed)


def escape_lines(text: str) -> str:
    """Return a value for HTML, with its line ends."""
    return re.sub(r"\r?\n", "<br>\n", escape(text))


def _all_fields(
    form: JsonObject,
    entry: Mapping[str, Any],
    encode: Callable[[str], str],
    modifiers: list[str],
    checked: str,
) -> str:
    """Return the labels and texts of the fields of an entry that are not blank.

    `modifiers`: `value` for the values of choices, `admin` for labels of the admin, `empty` for
    blank ones too, `nohidden` for those that visitors see.
    """
    pairs, shown_as = [], "value" if "value" in modifiers else None
    for field in f.open_fields(form):
        text = field_text(field, entry, modifier=shown_as, checked=checked)
        is_hidden = "hidden" in (field["type"], field.get("visibility"))
        if (text or "empty" in modifiers) and not (is_hidden and "nohidden" in modifiers):
            label = text_of(field.get("adminLabel")) if "admin" in modifiers else ""
            pairs.append((encode(label or field["label"]), encode(text)))
    if encode in (escape, escape_lines):
        rows = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in pairs)
        return f"<dl>{rows}</dl>" if rows else ""
    return "\n".join(f"{label}: {text}" for label, text in pairs)
