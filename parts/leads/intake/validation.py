"""The messages for values that do not fit their fields."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest

from landform.parts.leads.intake import compound, formats
from landform.parts.leads.intake import fields as f
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.site.catalogs import Message
from landform.storage.errors import TextRefused
from landform.storage.search import fold

Texts = Sequence[str]
# Whether the values of a field, by the ids of its inputs, are in another entry of its form.
IsDuplicate = Callable[[Mapping[str, str]], bool]
REQUIRED = Message("This field is required.")
NOTHING = Message("At least one field must be filled in.")
DUPLICATE = Message("This was sent before, and each value can be sent only once.")
NOT_OFFERED = Message("Please choose one of the options.")
EMAIL = Message("Please enter an e-mail address, such as name@example.com.")
REPEATED = Message("The two e-mail addresses are not the same.")
URL = Message("Please enter a web address that starts with https:// or http://.")
PHONE = Message("Please enter a phone number as (###) ###-####.")
OTHER_WORDS = Message("These words have changed. Please read them, and tick the box again.")
UNFOLDABLE = Message("Please use fewer characters that stand for several.")
NUMBER = Message("Please enter a number.")
DATE = Message("Please enter a date.")
TIME = Message("Please enter a time.")
# How many boxes must be ticked, as the keys of the lowest and the highest number.
LIMITS: Mapping[str, tuple[str, str]] = {
    "exactly": ("choiceLimitNumber", "choiceLimitNumber"),
    "range": ("choiceLimitMin", "choiceLimitMax"),
}
# The parts that are required of a field that is, where the form has them.
NEEDED_PARTS: Mapping[str, str] = {"name": "36", "address": "13456", "time": "12"}


def validate(
    form: JsonObject, values: Mapping[str, str], is_duplicate: IsDuplicate = lambda _: False
) -> dict[str, str]:
    """Return a message for each field whose values are refused, by the id of the field.

    `values`: those of `read_values`. Without `is_duplicate` others may have them.
    A message is a `Message`, or a text of the form's author.
    """
    fields, normalized = f.open_fields(form), f.stored_values(form, values)
    messages = {}
    for field in fields:
        ids = [item.id for item in f.inputs_of(field)]
        stored = {key: normalized[key] for key in ids if normalized.get(key)}
        sent = [values.get(item.id, "") for item in f.sent_inputs(field)]
        problem = _problem(field, stored, sent, is_duplicate)
        if f.has_other_words(field, values):
            problem = OTHER_WORDS
        if problem:
            messages[str(field["id"])] = text_of(field.get("errorMessage")) or problem
    if not messages and not any(normalized.values()):
        return {str(field["id"]): NOTHING for field in fields if _is_seen(field)}
    return messages


def _problem(
    field: JsonObject, stored: Mapping[str, str], sent: Texts, is_duplicate: IsDuplicate
) -> Message | None:
    """Return why the values of a field are refused; None if they are not.

    `stored`: the normalized ones, without blank ones; `sent`: a text for each input.
    """
    check = CHECKS.get(field["type"])
    if not _is_seen(field):
        is_refused = stored and check and check(field, sent) == NOT_OFFERED
        return NOT_OFFERED if is_refused else None
    if field.get("isRequired") and _is_missing(field, stored):
        return REQUIRED
    if not stored:
        # An e-mail address may be in the second input only.
        return REPEATED if field["type"] == "email" and any(sent) else None
    if problem := check(field, sent) if check else None:
        return problem
    if not all(map(_is_foldable, stored.values())):
        return UNFOLDABLE
    return DUPLICATE if field.get("noDuplicates") and is_duplicate(stored) else None


def _is_seen(field: JsonObject) -> bool:
    """Return whether visitors see a field, so that they can correct its value."""
    return field.get("visibility") != "hidden"


def _is_foldable(text: str) -> bool:
    """Return whether entries can be searched for a text."""
    with suppress(TextRefused):
        return fold(text) is not None
    return False


def _is_missing(field: JsonObject, stored: Mapping[str, str]) -> bool:
    """Return whether a required value is missing."""
    if field["type"] == "consent":
        return stored.get(f"{field['id']}.1") != "1"
    if field["type"] in ("name", "address"):
        needed = {f"{field['id']}.{part}" for part in NEEDED_PARTS[field["type"]]}
        ids = [x.id for x in f.inputs_of(field) if x.id in needed and not x.is_hidden]
        return not all(map(stored.get, ids)) if ids else not stored
    return not stored


def _check_text(field: JsonObject, sent: Texts) -> Message | None:
    longest = formats.number_text({}, str(field.get("maxLength") or "")) or "0"
    if 0 < float(longest) < len(sent[0].replace("\r\n", "\n")):
        return _too_long(longest)
    return None


def _too_long(longest: object) -> Message:
    return Message("Please enter at most %(number)s characters.", number=longest)


def _check_email(field: JsonObject, sent: Texts) -> Message | None:
    if len(sent[0]) > formats.LONGEST_EMAIL:
        return _too_long(formats.LONGEST_EMAIL)
    if not formats.is_email(sent[0]):
        return EMAIL
    return REPEATED if len({*sent}) > 1 else None


def _check_number(field: JsonObject, sent: Texts) -> Message | None:
    number = formats.number_text(field, sent[0])
    if number is None:
        return NUMBER
    ends = [text_of(field.get(name)) for name in ("rangeMin", "rangeMax")]
    low, high = (formats.number_text(field, end) or formats.number_text({}, end) for end in ends)
    is_low, is_high = low and float(number) < float(low), high and float(number) > float(high)
    if not (is_low or is_high):
        return None
    if low and high:
        return Message("Please enter a number from %(low)s to %(high)s.", low=low, high=high)
    if low:
        return Message("Please enter a number of at least %(low)s.", low=low)
    return Message("The largest number is %(high)s.", high=high)


def _check_choice(field: JsonObject, sent: Texts) -> Message | None:
    is_own = f.takes_own_choice(field) and sent[0] != f.OTHER_CHOICE
    is_offered = any(value == sent[0] for _, value in f.choices_of(field))
    return None if is_offered or is_own else NOT_OFFERED


def _check_chosen(field: JsonObject, sent: Texts) -> Message | None:
    offered = [value for _, value in f.choices_of(field)]
    return None if all(value in offered for value in compound.chosen(sent[0])) else NOT_OFFERED


def _check_boxes(field: JsonObject, sent: Texts) -> Message | None:
    boxes = [value for _, value in f.choices_of(field)]
    if any(text and text != box for text, box in zip_longest(sent, boxes)):
        return NOT_OFFERED
    names = LIMITS.get(text_of(field.get("choiceLimit")), ("", ""))
    lowest, highest = (formats.number_text({}, text_of(field.get(name))) for name in names)
    number = sum(map(bool, sent))
    if lowest and number < float(lowest):
        return Message("Please choose at least %(number)s.", number=lowest)
    if highest and number > float(highest):
        return Message("Please choose at most %(number)s.", number=highest)
    return None


# The functions that return why the texts that were sent for a field do not fit it.
CHECKS: Mapping[str, Callable[[JsonObject, Texts], Message | None]] = {
    "text": _check_text,
    "textarea": _check_text,
    "email": _check_email,
    "phone": lambda field, sent: None if formats.phone_text(field, sent[0]) else PHONE,
    "website": lambda field, sent: None if formats.is_url(sent[0]) else URL,
    "number": _check_number,
    "date": lambda field, sent: None if formats.date_text(field, sent[0]) else DATE,
    "time": lambda field, sent: None if compound.time_text(field, sent[0]) else TIME,
    "multiselect": _check_chosen,
    "select": _check_choice,
    "radio": _check_choice,
    "checkbox": _check_boxes,
    "consent": lambda field, sent: None if sent[0] in ("", "0", "1") else NOT_OFFERED,
}
