"""Schemas of the bodies and queries of entries."""

import re
from datetime import datetime, time
from typing import Any
from urllib.parse import unquote_plus

from marshmallow import EXCLUDE, INCLUDE, Schema, ValidationError, post_load

from landform.parts.leads.intake.fields import checked_text, unpadded
from landform.parts.leads.intake.formats import UNSEEN
from landform.parts.leads.models import ACTIVE, ENTRY_KEYS, PROPERTIES, SPAM, TIME_KEYS, TRASH
from landform.parts.leads.storage.filters import EntryFilter
from landform.parts.leads.storage.searching import EntryOrder, EntrySearch, EntrySlice
from landform.schemas import fields
from landform.schemas.known_names import Tolerant
from landform.service.pipeline.errors import MISSING
from landform.service.pipeline.json_codec import JsonObject, loads
from landform.service.planning.entries import text_of
from landform.storage.search import fold

LONGEST_NOTE = 20_000
ENTRY_STATUSES, ANY_STATUS = (ACTIVE, SPAM, TRASH), "any"
INPUT_KEY = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,4})?")
DATE_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
MOST_PER_PAGE, MOST_FILTERS, MOST_TEXTS, LONGEST_SEARCH = 200, 50, 200, 10_000
OPERATORS = ("is", "isnot", "contains", "like", "not like", ">", ">=", "<", "<=", "in", "not in")
# Other spellings of `in` and `not in`, which have one value or a list.
SAME = {
    **dict.fromkeys(("is", "="), "in"),
    **dict.fromkeys(("isnot", "is not", "<>", "!=", "notin"), "not in"),
}
# The keys of filters and orders beside those of inputs.
KEYS = (*ENTRY_KEYS, *PROPERTIES)
# Columns of which null is a value.
NULL_KEYS = ("created_by", *PROPERTIES)


class Time(fields.Text):
    """A time in UTC as Gravity Forms has it: `2026-01-31 12:00:00`; a blank one is None."""

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        text = super()._deserialize(value, attr, data, **kw)
        return _iso(text, attr) if text else None


def _iso(text: str, name: str | None, *, is_end: bool = False) -> str:
    """Return a date or a time in ISO format; a date is its first second, or its last one.

    As in Gravity Forms an end at midnight is that of the day.
    """
    try:
        if not DATE_OR_TIME.fullmatch(text):
            raise ValueError
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValidationError(f"{name} must look like 2026-01-31 12:00:00.") from None
    is_day = is_end and moment.time() == time.min
    return f"{moment.date()}T23:59:59" if is_day else moment.isoformat()


class Property(fields.Field[str]):
    """A text or a number, which is stored as a text."""

    json_type = {"anyOf": [{"type": kind} for kind in ("string", "number", "boolean")]}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> str:
        return checked_text(attr or "", value)


class EntryColumns(Schema):
    """The columns of an entry that a body may have."""

    class Meta:
        include = {name: Property(f"The `{name}`.") for name in PROPERTIES}

    status = fields.Text("The status.", ENTRY_STATUSES)
    is_read = fields.Flag("`1` if it was read.")
    is_starred = fields.Flag("`1` if it has a star.")
    created_by = fields.Integer("The author id of who sent it; null for strangers.", 0)
    date_created = Time("When it was sent, in UTC: `2026-01-31 12:00:00`.")
    date_updated = Time("When it was last written, in UTC: `2026-01-31 12:00:00`.")
    ip = fields.Text("The IP address of the sender; empty if not stored.", longest=100, line=True)
    source_url = fields.Text("The page from which it was sent.")
    user_agent = fields.Text("The program that sent it.", longest=250)

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:
        """Allow null for each field that is not required."""
        field_obj.allow_none = not field_obj.required

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the columns by the names that they have in the database.

        As in Gravity Forms those that are null count as not sent.
        """
        sent = {name: data[name] for name in self.load_fields if name in data}
        columns = {
            TIME_KEYS.get(name, name): value
            for name, value in sent.items()
            if name not in PROPERTIES and (value is not None or name in NULL_KEYS)
        }
        properties = {name: sent[name] for name in PROPERTIES if name in sent}
        return {**columns, "properties": properties} if properties else columns


class EntryProperties(EntryColumns):
    """Properties of an entry, of which at least one is sent."""

    class Meta:
        unknown = EXCLUDE


class EntryWrite(EntryColumns):
    """The body that writes an entry: values by the ids of inputs, and columns."""

    class Meta:
        unknown = INCLUDE

    @post_load
    def to_columns(self, data: JsonObject, **kw: object) -> JsonObject:
        """Return the `columns`, and the `values` of inputs, which may be lists; also `form_id`."""
        columns = super().to_columns(data)
        form = {"form_id": columns.pop("form_id")} if "form_id" in columns else {}
        keys = filter(INPUT_KEY.fullmatch, data)
        values = {name: _entry_value(name, data[name]) for name in keys}
        return {**form, "columns": columns, "values": values}


def _entry_value(name: str, value: object) -> str | list[str]:
    """Return a value as a text, or a list of texts; an address without blanks around it."""
    if isinstance(value, list):
        return [unpadded(checked_text(name, item)) for item in value]
    text = checked_text(name, value)
    stripped = text.strip(UNSEEN)
    return stripped if "@" in text and len(stripped.split(maxsplit=1)) == 1 else text


class EntryUpdate(EntryWrite):
    """The body that replaces an entry."""

    form_id = fields.Number("The form; by default that which it has.")


class EntryCreate(EntryWrite):
    """The body that creates an entry."""

    form_id = fields.Number("The form.", **fields.required("form_id", MISSING, "null"))


class NoteWrite(Tolerant):
    """The body that writes a note, perhaps with what was read of it."""

    id = fields.Ignored("Ignored: the id in the path counts.")
    entry_id = fields.Ignored("Ignored.")
    user_name = fields.Ignored("Ignored: it is the name of the credential.")
    date_created = fields.Ignored("Ignored.")
    note_type = fields.Ignored("Ignored.")
    value = fields.Text(
        "The text.", longest=LONGEST_NOTE, blank=False, **fields.required("value", MISSING, "null")
    )


class Search(fields.Field[EntrySearch]):
    """A search as JSON text: `status`, `start_date`, `end_date` and `field_filters`."""

    json_type = {
        "type": "string",
        "contentMediaType": "application/json",
        "maxLength": LONGEST_SEARCH,
    }

    def _deserialize(self, value: object, attr: str | None, data: Any, **kw: object) -> Any:
        if not isinstance(value, str) or len(value) > LONGEST_SEARCH:
            raise ValidationError(f"search must be JSON of at most {LONGEST_SEARCH} characters.")
        try:
            search = _parsed(value) if value.strip() else {}
        except ValueError:
            raise ValidationError("search is not valid JSON.") from None
        # As PHP writes an object without keys.
        search = {} if search in ([], None) else search
        if not isinstance(search, dict):
            raise ValidationError("search must be a JSON object.")
        start, end = (str(search.get(name) or "") for name in ("start_date", "end_date"))
        filters, mode = search.get("field_filters") or [], "all"
        if isinstance(filters, dict):
            mode = str(filters.pop("mode", mode)).lower()
            filters = [*filters.values()]
        if not isinstance(filters, list) or len(filters) > MOST_FILTERS:
            raise ValidationError(f"field_filters must be a list of at most {MOST_FILTERS}.")
        if mode not in ("all", "any"):
            raise ValidationError("The mode of field_filters must be all or any.")
        return EntrySearch(
            _statuses(search.get("status")),
            start and _iso(start, "start_date"),
            end and _iso(end, "end_date", is_end=True),
            [_filter(item) for item in filters],
            mode == "any",
        )


def _parsed(text: str) -> object:
    """Return the value of JSON text, which may be encoded as a part of a URL. Else `ValueError`."""
    try:
        return loads(text.encode())
    except ValueError:
        return loads(unquote_plus(text).encode())


def _statuses(status: object) -> list[str]:
    """Return the statuses of a search that there are, one or of a list; `any` means all of them.

    `active` by default.
    """
    statuses = status if isinstance(status, list) else ["active" if status is None else status]
    sent = [name.lower() for name in statuses if isinstance(name, str)]
    if len(sent) < len(statuses):
        raise ValidationError("The status of a search must be a string, or a list of them.")
    return [name for name in ENTRY_STATUSES if name in sent or ANY_STATUS in sent]


def _filter(item: object) -> EntryFilter:
    if not isinstance(item, dict):
        raise ValidationError("Each of field_filters must be an object.")
    key, name = str(item.get("key") or "0"), str(item.get("operator") or "is").lower()
    operator = SAME.get(name, name)
    if operator not in OPERATORS:
        raise ValidationError(f"The operators of filters are {', '.join(OPERATORS)}.")
    if not (INPUT_KEY.fullmatch(key) or key in KEYS):
        raise ValidationError(f"No filter has the key {key[:50]!r}.")
    value = item.get("value", "")
    values = value if isinstance(value, list) else [value]
    if any(isinstance(text, (list, dict)) for text in values) or len(values) > MOST_TEXTS:
        raise ValidationError("The value of a filter must be a text, or a list of texts.")
    texts = [text_of(value) for value in values]
    # SQLite refuses longer patterns.
    if any("\0" in text or len(fold(text, "search")) > LONGEST_SEARCH for text in texts):
        message = f"A value of a filter must have at most {LONGEST_SEARCH} characters, and no NUL."
        raise ValidationError(message)
    positive = operator.removeprefix("not ")
    if key in TIME_KEYS and positive not in ("contains", "like"):
        texts = [_iso(text, key) for text in texts]
    if positive != "in":
        texts = texts[:1] or [""]
    is_numeric = item.get("is_numeric") not in (None, False, 0, "", "0")
    return EntryFilter(key, positive, texts, operator != positive, is_numeric)


class EntrySorting(Tolerant):
    """The order of a list of entries."""

    key = fields.Text("`id`, `date_created`, another property, or the id of an input.", longest=50)
    direction = fields.Text("`ASC` or `DESC`, or `RAND` for any order.", longest=10)
    is_numeric = fields.Flag(
        "Whether values are compared as numbers; by default those of number fields."
    )

    @post_load
    def to_order(self, data: JsonObject, **kw: object) -> EntryOrder:
        """Return the order; refuse a key and a direction that there are not."""
        key = data.get("key") or "id"
        if not (INPUT_KEY.fullmatch(key) or key in KEYS):
            raise ValidationError("No list is sorted by this key.", "key")
        direction = data.get("direction", "DESC").upper() or "DESC"
        if direction not in ("ASC", "DESC", "RAND"):
            raise ValidationError("direction must be ASC, DESC or RAND.", "direction")
        return EntryOrder(key, direction, data.get("is_numeric"))


class EntryPaging(Tolerant):
    """The page of a list of entries."""

    page_size = fields.Integer("How many entries.", 1, MOST_PER_PAGE, load_default=10)
    current_page = fields.Integer("The page, from 1.", 1, 10**9)
    offset = fields.Integer("How many are skipped, if there is no page.", 0, 10**12, load_default=0)

    @post_load
    def to_slice(self, data: JsonObject, **kw: object) -> EntrySlice:
        """Return which entries of the list the page has."""
        size, page = data["page_size"], data.get("current_page")
        return EntrySlice(size, (page - 1) * size if page else data["offset"])


class Bracketed(fields.Nested):
    """A parameter with brackets, such as `paging[page_size]`; an empty one has no keys."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kw: object) -> Any:
        return super()._deserialize(value or {}, attr, data, **kw)


class EntryView(Tolerant):
    """Which keys of entries are returned."""

    _field_ids = fields.IdText("Only these keys, with commas between.")
    _labels = fields.Flag("With the labels of inputs.", load_default=False)


class NotificationView(Tolerant):
    """The query with which notifications are sent."""

    _notifications = fields.Text("The ids of notifications, of which there are none.")
    _event = fields.Text("Ignored.")


class EntryList(EntryView):
    """The query of a list of entries."""

    form_ids = fields.ListOf("Only entries of these forms.", fields.Number())
    include = fields.ListOf("The entries with these ids, whatever their status.", fields.Number())
    search = Search(f"A JSON object with filters, of at most {LONGEST_SEARCH} characters.")
    sorting = Bracketed("The order, with brackets: `sorting[key]`.", EntrySorting())
    paging = Bracketed("The page, with brackets: `paging[page_size]`.", EntryPaging())


class Erasure(Tolerant):
    """Whose entries are deleted for good."""

    email = fields.Text(
        "The e-mail address.", longest=254, blank=False, line=True, **fields.required("email")
    )
