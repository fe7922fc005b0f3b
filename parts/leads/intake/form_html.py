"""The HTML in a form that its author wrote: cleaned, within the limits of a page's content."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from marshmallow import ValidationError

from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.rendering.content import check_growth, clean_html
from landform.storage.rows import NO_VALUES

# The keys of forms, fields and confirmations that have such texts.
KEYS = ("content", "description", "message", "checkboxLabel")
MESSAGE_KEYS = ("limitEntriesMessage", "schedulePendingMessage", "scheduleMessage")
NAME = "HTML"


class Cleaned(NamedTuple):
    """The cleaned HTML of each text, or why they are refused."""

    html: Mapping[str, str] = NO_VALUES
    problem: str = ""


def clean_form(form: JsonObject) -> Cleaned:
    """Clean the HTML that a form shows."""
    return clean_texts([*own_texts(form), *form["fields"]])


def own_texts(form: JsonObject) -> list[JsonObject]:
    """Return the texts of a form itself: its description, and why it takes nothing."""
    messages = [{"message": form.get(key)} for key in MESSAGE_KEYS]
    return [{"description": form.get("description")}, *messages]


def clean_texts(items: Iterable[JsonObject]) -> Cleaned:
    """Clean the HTML of fields or confirmations. The limits are for all of it together."""
    texts = (text_of(item.get(key)) for item in items for key in KEYS)
    return _clean_texts(tuple(dict.fromkeys(filter(None, texts))))


# Each visit needs those of a form.
@lru_cache(16)
def _clean_texts(texts: tuple[str, ...]) -> Cleaned:
    try:
        _clean(texts)
        return Cleaned({text: _clean([text]) for text in texts})
    except ValidationError as error:
        return Cleaned(problem=str(error.messages_dict[NAME][0]))


def _clean(texts: Iterable[str]) -> str:
    source = "\n".join(texts)
    html = clean_html(NAME, source)
    check_growth(NAME, source, html)
    return html


# A visitor may load the same confirmation again and again.
@lru_cache(16)
def clean_message(html: str) -> str:
    """Return the HTML of a message with the values of an entry; empty if that is refused."""
    try:
        return _clean([html])
    except ValidationError:
        return ""
