"""Fields of several parts: addresses, times, and choices that are one value."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.storage.rows import json_text

STREET, SECOND_LINE, CITY, STATE, ZIP, COUNTRY = "123456"
ADDRESS_LABELS = {
    STREET: "Street Address",
    SECOND_LINE: "Address Line 2",
    CITY: "City",
    STATE: "State / Province",
    ZIP: "ZIP / Postal Code",
    COUNTRY: "Country",
}
TIME_LABELS = {"1": "Hour", "2": "Minute", "3": "AM/PM"}
HALVES = ("am", "pm")
# Older forms hide parts of an address by these keys.
HIDDEN_BY = {SECOND_LINE: "hideAddress2", STATE: "hideState", COUNTRY: "hideCountry"}
US_STATES = (
    "Alabama, Alaska, American Samoa, Arizona, Arkansas, California, Colorado, Connecticut, "
    "Delaware, District of Columbia, Florida, Georgia, Guam, Hawaii, Idaho, Illinois, Indiana, "
    "Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, "
    "Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, "
    "New York, North Carolina, North Dakota, Northern Mariana Islands, Ohio, Oklahoma, Oregon, "
    "Pennsylvania, Puerto Rico, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, "
    "Utah, U.S. Virgin Islands, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, "
    "Armed Forces Americas, Armed Forces Europe, Armed Forces Pacific"
)
PROVINCES = (
    "Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador, "
    "Northwest Territories, Nova Scotia, Nunavut, Ontario, Prince Edward Island, Quebec, "
    "Saskatchewan, Yukon"
)


class Country(NamedTuple):
    """A country with its own type of address: states, the key of the default one, and labels."""

    name: str
    states: Sequence[str]
    default_key: str
    labels: Mapping[str, str]


# By the `addressType`; an address of any other type is international.
COUNTRIES = {
    "us": Country(
        "United States",
        US_STATES.split(", "),
        "defaultState",
        {STATE: "State", ZIP: "ZIP Code"},
    ),
    "canadian": Country(
        "Canada",
        PROVINCES.split(", "),
        "defaultProvince",
        {STATE: "Province", ZIP: "Postal Code"},
    ),
}
TIME = re.compile(r"(\d{1,2}):(\d{1,2})(?::\d\d)?\s*([ap]m)?", re.ASCII | re.IGNORECASE)


def country_of(field: JsonObject) -> Country | None:
    """Return the country of an address with states of its own; None for an international one."""
    return COUNTRIES.get(text_of(field.get("addressType"))) if field["type"] == "address" else None


def address_parts(field: JsonObject) -> list[tuple[str, str, bool]]:
    """Return the id and the label of each part of an address, and whether visitors do not see it.

    Labels that are not of the form's author are those of the type of the address.
    """
    parts, country = [], country_of(field)
    inputs = field.get("inputs") or [{"id": f"{field['id']}.{part}"} for part in ADDRESS_LABELS]
    for item in inputs:
        input_id, label = str(item["id"]), str(item.get("label", ""))
        part = input_id.partition(".")[2]
        default = ADDRESS_LABELS.get(part, "")
        if label in ("", default):
            label = (country.labels.get(part) if country else "") or default
        is_fixed = country is not None and part == COUNTRY
        is_hidden = item.get("isHidden") or field.get(HIDDEN_BY.get(part, "")) or is_fixed
        parts.append((input_id, label, bool(is_hidden)))
    return parts


def default_part(field: JsonObject, part: str) -> str:
    """Return the default of a part of an address; empty for none."""
    country = country_of(field)
    key = {COUNTRY: "defaultCountry", STATE: country.default_key if country else ""}.get(part, "")
    return text_of(field.get(key))


def joined_time(parts: Sequence[str]) -> str:
    """Return hour, minute and half of the day as one text; empty without hour and minute."""
    hour, minute, half = (*parts, "", "", "")[:3]
    return f"{hour}:{minute} {half}".strip() if hour or minute else ""


def split_time(text: str) -> Sequence[str]:
    """Return hour, minute and half of the day of a time; what is no time is the hour."""
    match = TIME.fullmatch(text)
    return [part or "" for part in match.groups()] if match else [text, "", ""]


def time_text(field: JsonObject, text: str) -> str | None:
    """Return a time in its stored form: `02:30 pm`, or `14:30`; None for any other text.

    A text without am and pm has 24 hours.
    """
    match = TIME.fullmatch(text)
    if not match:
        return None
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59:
        return None
    if str(field.get("timeFormat")) == "24":
        return f"{hour:02}:{minute:02}"
    return f"{hour % 12 or 12:02}:{minute:02} {HALVES[hour // 12]}"


def chosen(text: str) -> list[str]:
    """Return the chosen values of a multiselect; older entries have them with commas between."""
    with suppress(ValueError, RecursionError):
        values = json.loads(text)
        if isinstance(values, list):
            return [text_of(item) if not isinstance(item, (list, dict)) else "" for item in values]
    return [part.strip() for part in text.split(",") if part.strip()]


def chosen_text(values: Sequence[str]) -> str:
    """Return chosen values as one value, as Gravity Forms stores them; empty for none."""
    present = [value for value in values if value]
    return json_text(present) if present else ""
