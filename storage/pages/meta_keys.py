"""What lists find pages by in their meta: the form, and the languages, each as a key.

The keys are columns of the page, which follow from its meta as `title_key` does from its title.
Numbers and their texts have the same key. The keys are short, whatever the meta holds: indexes
take no long texts. All that they are made by is written out here, since another Unicode version
must not make others.
"""

import json
import re
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from landform.storage.pages import windows
from landform.storage.rows import Row, json_text

# Of a text that is longer, or that JSON would escape, the SHA-256 is the key.
PLAIN = re.compile(r'[^\x00-\x1f"\\\x7f\ud800-\udfff]{1,64}')
NUMBER = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)
WHITE_SPACE = " \t\n\r\f\v"
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
# The keys of an object that may name its language.
NAMES = ("code", "slug", "value")


def meta_columns(meta: object) -> Row:
    """Return the columns that follow from the meta of a page: `form`, `languages`, its window.

    The first two are empty where there is none; `languages` is a JSON list of keys in order.
    """
    if not isinstance(meta, dict):
        return {"form": "", "languages": "", **windows.NO_WINDOW}
    languages = _languages(meta.get("language"))
    return {
        "form": form_key(meta.get("form_id")),
        "languages": json_text(languages) if languages else "",
        **windows.columns(meta),
    }


def stored_meta_columns(text: object) -> Row:
    """Return these columns for meta as it is stored, which may be damaged."""
    try:
        meta: object = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        meta = None
    return meta_columns(meta)


def form_key(value: object) -> str:
    """Return the key of a form: of a number its digits; empty where the value names none."""
    text = _text(value)
    if number := NUMBER.fullmatch(text):
        sign = "-" if number[1] == "-" and number[2] != "0" else ""
        text = sign + number[2]
    return _bounded(text)


def language_key(value: object) -> str:
    """Return the key of a language, without regard to ASCII case; empty for what names none."""
    return _bounded(_text(value).translate(LOWER))


def _languages(value: object) -> list[str]:
    if not value or not isinstance(value, list):
        return []
    named: list[Any] = []
    for item in value:
        named += [item.get(name) for name in NAMES] if isinstance(item, dict) else [item]
    return sorted({language_key(name) for name in named} - {""})


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip(WHITE_SPACE)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _bounded(text: str) -> str:
    if not text or PLAIN.fullmatch(text):
        return text
    return "#" + sha256(text.encode(errors="surrogatepass")).hexdigest()
