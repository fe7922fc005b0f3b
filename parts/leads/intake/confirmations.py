"""Confirmations after a submission: messages and redirects with merge tags such as `{Email:2}`."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from html import escape
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlsplit

from marshmallow import ValidationError

from landform.parts.leads.intake import compound
from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.form_html import clean_message
from landform.parts.leads.intake.formats import formatted
from landform.parts.leads.intake.logic import comparable
from landform.parts.leads.intake.texts import THANKS, translatable
from landform.schemas.fields import LONGEST_TEXT
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import to_uri
from landform.service.planning import conditions
from landform.service.planning.entries import Entry

TAG = re.compile(r"\{([^{}]*)\}")
# A merge tag, or the `#` before a fragment.
TAG_OR_FRAGMENT = re.compile(r"\{[^{}]*\}|#")
FIELD_TAG = re.compile(r"(?:.*?:)?([0-9]+(?:\.[0-9]+)?)(?::([a-zA-Z].*))?", re.DOTALL)
# More merge tags stay texts. A text ends before the value that would make it longer.
MOST_TAGS, MOST_MERGED = 1000, 2_000_000
CHECKED = "Checked"
# The types whose values have commas between.
LISTED = ("checkbox", "multiselect", "address")
# The names of merge tags, and the keys of an entry or form that they stand for.
ENTRY_TAGS = {
    "entry_id": "id",
    "ip": "ip",
    "embed_url": "source_url",
    "user_agent": "user_agent",
    "date_created": "date_created",
}
# The day of an entry in UTC, as parts of `ISO_DATE`.
DATE_TAGS = {"date_mdy": r"\2/\3/\1", "date_dmy": r"\3/\2/\1"}
ISO_DATE = re.compile("(.{4})-(..)-(..).*")
FORM_TAGS = {"form_title": "title", "form_id": "id"}


class Confirmation(NamedTuple):
    """The response to a submission: a message, or a redirect to a URL or to a page by its id.

    `query` is added to the URL of the page. The message is shown if visitors do not see that; it is
    cleaned, whoever wrote it.
    """

    message_html: str = ""
    redirect_url: str = ""
    page: int = 0
    query: str = ""


def confirm(form: JsonObject, entry: JsonObject) -> Confirmation:
    """Return the first confirmation whose rules hold for an entry, or the default one."""
    active = [item for item in form["confirmations"].values() if item.get("isActive", True)]
    compared = Entry(comparable(form, entry), entry)
    conditional = (x for x in active if not x.get("isDefault") and _holds(x, compared))
    default = (item for item in active if item.get("isDefault"))
    chosen: JsonObject = next(chain(conditional, default), {})
    if chosen.get("type") == "redirect" and (url := _redirect_url(chosen, form, entry)):
        return Confirmation(redirect_url=url)
    text = merge(str(chosen.get("message") or THANKS), form, entry)
    if not chosen.get("disableAutoformat"):
        text = re.sub(r"\r?\n", "<br>\n", text)
    text = translatable(clean_message(text)) or THANKS
    page = f.id_of(chosen.get("pageId")) if chosen.get("type") == "page" else 0
    query = merge(str(chosen.get("queryString") or ""), form, entry, encode=quote_plus)
    return Confirmation(text, page=page, query=_sendable(query))


def _holds(confirmation: JsonObject, entry: Entry) -> bool:
    """Return whether the rules of a confirmation hold; False if they compare too much."""
    with suppress(conditions.NotUnderstood, ValidationError):
        rules = conditions.parse_logic(confirmation.get("conditionalLogic"))
        return rules is None or conditions.is_met(rules, entry)
    return False


def dead_redirects(form: JsonObject) -> list[str]:
    """Return the names of the confirmations whose redirects lead nowhere."""
    redirects = [item for item in form["confirmations"].values() if item.get("type") == "redirect"]
    dead = [item for item in redirects if not leads_on(str(item.get("url") or ""))]
    return [str(item.get("name") or item["id"])[:100] for item in dead]


def leads_on(address: str) -> bool:
    """Return whether an address begins with `http` or `https` and a host without merge tags."""
    start = re.match(r"https?://[^/?#\\]+", address.strip())
    return bool(start) and "{" not in start[0] and "@" not in start[0]  # type: ignore[index]


def _redirect_url(confirmation: JsonObject, form: JsonObject, entry: JsonObject) -> str:
    """Return the URL of a redirect; empty for one that is none, or whose host has a merge tag."""
    address, query = (str(confirmation.get(name) or "") for name in ("url", "queryString"))
    if not leads_on(address):
        return ""
    address = address.strip()
    found = (match.start() for match in TAG_OR_FRAGMENT.finditer(address) if match[0] == "#")
    end = next(found, len(address))
    address, fragment = address[:end], address[end:]
    if query:
        address += ("&" if "?" in address else "?") + query
    url = merge(address + fragment, form, entry, encode=quote_plus)
    try:
        return _sendable(to_uri(url)) if urlsplit(url).hostname else ""
    except ValueError:
        return ""


def _sendable(url: str) -> str:
    """Return a URL, or a part of one, for a header; empty if it cannot be in one.

    Proxies answer long headers with an error, though the entry is stored.
    """
    is_sendable = url.isprintable() and len(url) <= LONGEST_TEXT
    return url.replace(" ", "%20") if is_sendable else ""


def merge(
    text: str, form: JsonObject, entry: JsonObject, encode: Callable[[str], str] = escape
) -> str:
    """Return a text with the values of an entry in place of its merge tags.

    `encode` makes a value harmless where it is put. A tag in a value stays a text, and so does one
    that stands for nothing.
    """
    fields = {
        number: field
        for field in (form["fields"] if "{" in text else ())
        for number in (str(field["id"]), *(item.id for item in f.inputs_of(field)))
    }

    @cache
    def value(name: str) -> str:
        if name == "all_fields":
            return _all_fields(form, entry, encode)
        if name in ENTRY_TAGS or name in FORM_TAGS:
            stored = entry[ENTRY_TAGS[name]] if name in ENTRY_TAGS else form[FORM_TAGS[name]]
            return encode(str(stored))
        if name in DATE_TAGS:
            return encode(ISO_DATE.sub(DATE_TAGS[name], entry["date_created"]))
        tag = FIELD_TAG.fullmatch(name)
        if not tag or ":" not in name or tag[1] not in fields:
            return f"{{{name}}}"
        return encode(field_text(fields[tag[1]], entry, *tag.groups()))

    merged, size = list[str](), 0
    # Every other part is the name of a tag.
    for number, part in enumerate(TAG.split(text, MOST_TAGS)):
        merged.append(value(part) if number % 2 else part)
        size += len(merged[-1])
        if size > MOST_MERGED:
            merged.pop()
            break
    return "".join(merged)


def field_text(
    field: JsonObject, entry: Mapping[str, Any], number: str = "", modifier: str | None = None
) -> str:
    """Return the values of a field, or of one of its inputs, as a text for people.

    Choices have their texts, or with the modifier `value` their values; numbers and dates have the
    format of their field (`formatted`).
    """
    modifiers = (modifier or "").lower().split(",")
    is_plain = "value" in modifiers
    texts = {} if is_plain else {value: text for text, value in f.choices_of(field)}
    ids = [number] if "." in number else [item.id for item in f.inputs_of(field)]
    if field["type"] == "consent" and "." not in number:
        # Never the present text of the form: it may have another since.
        agreed = entry.get(ids[1], "") if len(ids) > 1 else ""
        return agreed or CHECKED if entry.get(ids[0]) else ""
    if field["type"] == "consent" and number.endswith(".1") and not is_plain:
        texts = {"1": CHECKED}
    values = [str(entry.get(input_id) or "") for input_id in ids]
    if field["type"] == "multiselect":
        values = compound.chosen(values[0])
    if field["type"] in ("number", "date"):
        shown_as = "value" if is_plain else modifiers[0]
        return formatted(field, values[0], shown_as, str(entry.get("currency") or "USD"))
    displayed = [texts.get(value, value) for value in values if value]
    return (", " if field["type"] in LISTED else " ").join(displayed)


def _all_fields(form: JsonObject, entry: JsonObject, encode: Callable[[str], str]) -> str:
    """Return the labels and texts of the fields of an entry that are not blank."""
    texts = [(field["label"], field_text(field, entry)) for field in f.open_fields(form)]
    pairs = [(encode(label), encode(text)) for label, text in texts if text]
    if encode is escape:
        rows = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in pairs)
        return f"<dl>{rows}</dl>" if rows else ""
    return "\n".join(f"{label}: {text}" for label, text in pairs)
