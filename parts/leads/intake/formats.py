"""The formats of values: whether a text fits the type of its field, and how it is stored."""

import re
from datetime import date
from decimal import Decimal
from urllib.parse import urlsplit

from landform.parts.leads.intake.compound import time_text
from landform.schemas.fields import WHITE_SPACE
from landform.service.pipeline.json_codec import JsonObject

LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# As WordPress takes them, with dots anywhere before the @; not those to which nobody can deliver.
EMAIL = re.compile(rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~.-]{{1,64}}@(?:{LABEL}\.)+(?![0-9]){LABEL}")
SHORTEST_EMAIL, LONGEST_EMAIL = 6, 254
STANDARD_PHONE = re.compile(r"\D?(\d{3})\D?\D?(\d{3})\D?(\d{4})", re.ASCII)
HOST = re.compile(rf"(?:{LABEL}\.)*{LABEL}\.?")
NO_ADDRESS = ("http://", "https://")
NUMBER = re.compile(r"(-?)((?:\d{1,3}(?:,?\d{3})*)?)(\.\d+)?", re.ASCII)
# The order of year, month and day in each format of a date; a browser sends the first one.
ISO = "ymd"
DATE = re.compile(r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})", re.ASCII)
# Stored values, as `normal` returns them; a longer number is shown as it is.
STORED_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?", re.ASCII)
STORED_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
SWAPPED = {ord("."): ",", ord(","): "."}
# Between year, month and day, by what follows their order in the name of a format.
SEPARATORS = {"": "/", "_slash": "/", "_dash": "-", "_dot": "."}

# Blanks that people do not see: spaces of any width, marks of direction, and what has no width.
UNSEEN = f"{WHITE_SPACE}\f\x1c\x1d\x1e\x1f\x85\xa0\xad\u061c\u1680\u180e\u3000\ufeff" + "".join(
    map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030), *range(0x205F, 0x2070)))
)


def is_email(text: str) -> bool:
    """Return whether a text is an e-mail address."""
    return SHORTEST_EMAIL <= len(text) <= LONGEST_EMAIL and EMAIL.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL in ASCII."""
    if not (text.isascii() and text.isprintable()) or " " in text:
        return False
    try:
        url = urlsplit(text)
        is_known = text.lower().startswith(NO_ADDRESS) and (url.port or 1) > 0
    except ValueError:
        return False
    host = url.netloc.rpartition("@")[2].split(":")[0]
    return is_known and HOST.fullmatch(host) is not None


def phone_text(field: JsonObject, text: str) -> str | None:
    """Return a phone number in its stored form; None if it does not have the format of its field.

    That is (###) ###-#### by default; the other one is any text.
    """
    if field.get("phoneFormat") not in (None, "", "standard"):
        return text
    match = STANDARD_PHONE.fullmatch(text)
    return f"({match[1]}) {match[2]}-{match[3]}" if match else None


def number_text(field: JsonObject, text: str) -> str | None:
    """Return a number in its stored form, with a dot; None for any other text."""
    if field.get("numberFormat") == "currency":
        text = text.replace("$", "").strip()
    if field.get("numberFormat") == "decimal_comma":
        text = text.translate(SWAPPED)
    match = NUMBER.fullmatch(text)
    if not match or not (match[2] or match[3]):
        return None
    number = f"{match[1]}{match[2].replace(',', '') or '0'}{match[3] or ''}"
    # As in Gravity Forms amounts have no zeros at their end.
    is_amount = match[3] and field.get("numberFormat") == "currency"
    return number.rstrip("0").rstrip(".") if is_amount else number


def date_text(field: JsonObject, text: str) -> str | None:
    """Return a date in the format of its field as `YYYY-MM-DD`; None for any other text."""
    match = DATE.fullmatch(text)
    if not match:
        return None
    # As in Gravity Forms the day comes first in every other format.
    order = "mdy" if str(field.get("dateFormat") or "mdy")[:3] == "mdy" else "dmy"
    parts = dict(zip(ISO if len(match[1]) == 4 else order, match.groups(), strict=True))
    try:
        day = date(*(int(parts[name]) for name in ISO))
    except ValueError:
        return None
    return day.isoformat() if len(parts["y"]) == 4 else None


def normal(field: JsonObject, text: str) -> str:
    """Return the stored form of a value; unchanged if it does not fit its field."""
    if text in BLANKS.get(field["type"], ()):
        return ""
    stored_text = STORED_TEXTS.get(field["type"])
    return stored_text(field, text) or text if stored_text else text


# The functions that return the stored form of a value, and the values that are blank, by types.
STORED_TEXTS = {"phone": phone_text, "number": number_text, "date": date_text, "time": time_text}
BLANKS = {"website": NO_ADDRESS, "consent": ("0",)}


def formatted(field: JsonObject, text: str, modifier: str = "", currency: str = "USD") -> str:
    """Return a stored number or date in the format of its field; any other text as it is.

    `modifier`: of a merge tag. With `value` a number has no separator of thousands, and a date is
    as it is stored; the name of a format of dates is that of the date.
    """
    if field["type"] == "number" and STORED_NUMBER.fullmatch(text):
        if field.get("numberFormat") == "currency":
            sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
            return f"{sign}${Decimal(digits):,.2f}" if currency == "USD" else text
        number = text if modifier == "value" else f"{Decimal(text):,f}"
        return number.translate(SWAPPED) if field.get("numberFormat") == "decimal_comma" else number
    if field["type"] == "date" and modifier != "value" and (match := STORED_DATE.fullmatch(text)):
        name = modifier if modifier[:3] in ("mdy", "dmy", ISO) else field.get("dateFormat")
        order, separator = str(name or "mdy")[:3], SEPARATORS.get(str(name)[3:], "/")
        parts = dict(zip(ISO, match.groups(), strict=True))
        return separator.join(parts[part] for part in (order if {*order} == {*ISO} else "mdy"))
    return text
