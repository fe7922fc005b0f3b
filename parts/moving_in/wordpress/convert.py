"""Convert pages and feeds of a site to rows of landform, exactly or as close as possible."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from marshmallow import ValidationError

from landform.parts.moving_in.incoming import Incoming
from landform.parts.moving_in.wordpress import blocks
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.notifications import read_notifications
from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import SiteDates, parse_integer, storable
from landform.schemas.export import SLUG, PageLine
from landform.schemas.feeds import FeedLine
from landform.schemas.pages import STATUSES, PageUpdate
from landform.service.auth.credentials import Identity
from landform.service.rendering.content import render_texts
from landform.storage.clock import Moment
from landform.storage.errors import ImportRefused
from landform.storage.models import part_exports
from landform.storage.pages import slugs
from landform.storage.rows import MAX_INTEGER, Row, json_text

KNOWN_STATUSES = (*STATUSES, "trash")
# The slug of a page in the trash of WordPress.
TRASHED = re.compile(r"(.*)__trashed(?:-\d+)?", re.DOTALL)
UNKNOWN_DATE = Moment("1970-01-01T00:00:00", "1970-01-01T00:00:00")
DEFAULT_AUTHOR = 1
READ_ERRORS = (ValueError, TypeError, KeyError, AttributeError, OverflowError)
TRUE, FALSE = ("1", "1.0", "true"), ("0", "0.0", "false", "", "none")
# Columns that landform does not store, and their values if they are not used.
LOST_COLUMNS = ("parent", "menu_order", "template", "featured_media", "excerpt")
EMPTY_VALUES = (None, 0, "0", "", "default")
FORM_COLUMNS = {"id", "title", "is_active", "is_trash", "date_created"}
ENTRY_PROPERTIES = (
    "post_id currency payment_status payment_date payment_amount payment_method transaction_id "
    "transaction_type is_fulfilled"
).split()
# HTML is not sanitized here: WordPress has done so when its authors sent it.
IMPORTER = Identity("import")
SCHEMAS = {"page": PageLine(), "feed": FeedLine()}
# The limits of requests, and the columns that have some.
REQUEST_SCHEMA = PageUpdate()
LIMITED_COLUMNS = {
    "title": "title_raw",
    "content": "content_raw",
    "password": "password",  # nosec B105 - a column
    "meta": "meta",
}
SHORTCODE = re.compile(r"(?<!\[)\[([a-z][a-z0-9_-]{2,50})(?=[\s\]/])[^\[\]<>]{0,1000}\]")
# A longer slug is refused without being encoded.
MAX_SLUG = 10_000
UPLOADS = re.compile(r"/wp-content/uploads/(?:[\w-]{1,50}/){0,2}")


class Converter:
    """Converts rows of a site. `forms` maps ids of forms there to ids here, `now` is UTC text.

    The caller may add forms that get new ids.
    """

    def __init__(
        self, dates: SiteDates, meta: MetaSources, read_pattern: blocks.ReadPattern,
        forms: Mapping[int, int], now: str,
    ) -> None:  # fmt: skip
        self._dates, self.meta, self._read_pattern = dates, meta, cache(read_pattern)
        self._forms, self._now = forms, now

    def convert(self, resource: str, source: Mapping[str, Any]) -> Incoming:
        """Convert a row; one that cannot be stored becomes a note with the reason."""
        link = ""
        try:
            row = storable(source)
            link, notes = str(row.get("link") or ""), [] if source == row else [note("nul")]
            problem = _problem(resource, row)
            if not problem and resource == "page":
                return self._page(row, notes)
            if not problem:
                columns = _feed(row, notes) if resource == "feed" else COLUMNS[resource](row)
                columns = self._checked(resource, columns)
                if resource == "form":
                    problems = part_exports()["form"].line.problems(columns)
                    notes += [note("form-not-shown", text) for text in problems]
                    notes += [about for _, about, _ in read_notifications(row)]
                return Incoming(resource, int(row["id"]), columns, notes=tuple(notes))
        except ValidationError as error:
            problem = note("refused", text=f"is not stored here: {error.messages}"[:500])
        except RecursionError:
            problem = note("unreadable", text="is nested too deep")
        except READ_ERRORS as error:
            text = f"cannot be read ({type(error).__name__}: {error})"
            problem = note("unreadable", text=storable(text))
        return Incoming(resource, int(source["id"]), None, link=link, notes=(problem,))

    def _checked(self, resource: str, row: Row) -> Row:
        """Return a row as its line of an export is stored; raises `ValidationError`."""
        if "form_id" in row:
            row["form_id"] = self._forms.get(row["form_id"], row["form_id"])
        schema = SCHEMAS.get(resource) or part_exports()[resource].line
        loaded: Row = schema.load({**row, "id": 1, "version": 1})
        return {name: loaded[name] for name in row}

    def _page(self, source: Mapping[str, Any], notes: list[Note]) -> Incoming:
        status = str(source["status"])
        title, content, password = (_raw(source.get(k)) for k in ("title", "content", "password"))
        content, pattern_notes = blocks.insert_patterns(content, self._read_pattern)
        block_forms, block_notes = blocks.read_blocks(content)
        meta, unknown, meta_notes = self.meta.read(source)
        meta_notes += self._choose_form(meta, unknown, block_forms)
        dates = self._page_dates(source, status, notes)
        is_missed = status == "future" and dates["date_utc"] <= self._now
        notes += [note("schedule-missed")] if is_missed else []
        row = {
            "status": "draft" if is_missed else status,
            **dates,
            "author": read_author(source, notes),
            "meta": meta,
            "password": password,
            "title_raw": title,
            "content_raw": content,
            **_slugs(source, status, title, notes),
        }
        notes += [*meta_notes, *pattern_notes, *_lost_notes(source, row), *block_notes]
        compared: Row = {"status": "publish"} if is_missed else {}
        if unknown:
            compared["meta"] = {key: meta[key] for key in meta if key not in unknown}
        return Incoming(
            "page", int(source["id"]), row, _render, str(source.get("slug") or ""),
            str(source.get("link") or ""), compared, unknown, tuple(notes),
            tuple(self._revisions(source, row)),
        )  # fmt: skip

    def _choose_form(
        self, meta: dict[str, Any], unknown: frozenset[str], block_forms: list[int]
    ) -> Iterator[Note]:
        """Set the form of a page: that of its form block, if no field names one; then map it."""
        # With several form blocks, or beside other values, an empty field is meant to be empty.
        is_meant = "form_id" not in unknown and (any(meta.values()) or len(block_forms) > 1)
        if block_forms and not meta["form_id"] and not is_meant:
            meta["form_id"] = str(block_forms[0])
            yield note("form-block", meta["form_id"])
        if self._forms and meta["form_id"].isdecimal():
            form_id = meta["form_id"]
            meta["form_id"] = str(self._forms.get(parse_integer(form_id) or 0, form_id))

    def _revisions(self, source: Mapping[str, Any], page: Row) -> list[Row]:
        """Return the revisions of a page, the oldest first, without its present state.

        The revisions of WordPress have no slug and no meta.
        """
        rows: list[Row] = []
        constant = {name: page[name] for name in ("status", "slug", "meta")}
        following = page
        newest_first = sorted(source.get("revisions", ()), key=lambda row: -int(row["id"]))
        for revision in newest_first:
            date = self._dates.parse(revision.get("modified"), revision.get("modified_gmt"))
            local, utc = date or UNKNOWN_DATE
            texts = {name: _raw(revision.get(name)) for name in ("title", "content")}
            changed = [name for name in texts if texts[name] != following[f"{name}_raw"]]
            with suppress(ValidationError):
                row = {
                    **constant,
                    **render_texts(texts, IMPORTER).columns,
                    "author": read_author(revision, []),
                    "modified": local,
                    "modified_utc": utc,
                    "changed": changed,
                    "replaced_by": following["author"],
                    "replaced_utc": following["modified_utc"],
                }
                rows += [row] if changed else []
                following = row
        return rows[::-1]

    def _page_dates(self, source: Mapping[str, Any], status: str, notes: list[Note]) -> Row:
        """Return the columns of dates."""
        date = self._dates.parse(source.get("date"), source.get("date_gmt"))
        modified = self._dates.parse(source.get("modified"), source.get("modified_gmt"))
        # REST shows a draft without a date with that of its modification.
        floats = source.get("floats", source.get("date") == source.get("modified"))
        floats = status in ("draft", "pending") and (date is None or floats)
        if floats and date is None:
            date = modified
        notes += [note("date-missing")] if date is None else []
        notes += [note("modified-missing")] if modified is None else []
        date = date or UNKNOWN_DATE
        modified = modified or date
        return {
            "date": date.local, "date_utc": date.utc, "date_floats": floats,
            "modified": modified.local, "modified_utc": modified.utc,
        }  # fmt: skip


def feed_numbers(source: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Return the form, the order and the activity of a feed; invalid ones are replaced."""
    form, order = parse_integer(source.get("form_id")), parse_integer(source.get("feed_order") or 0)
    active = str(source.get("is_active")).lower()
    invalid = {
        "form_id": form is None, "feed_order": order is None or order < 0,
        "is_active": active not in (*TRUE, *FALSE),
    }  # fmt: skip
    notes += [note("replaced", name) for name, is_invalid in invalid.items() if is_invalid]
    return {"form_id": form or 0, "is_active": active in TRUE, "feed_order": max(0, order or 0)}


def _problem(resource: str, source: Mapping[str, Any]) -> Note | None:
    """Return the reason why a row cannot be stored, or None."""
    status, meta = str(source.get("status")), source.get("meta")
    if "unreadable" in source:
        return note("unreadable", text=str(source["unreadable"]))
    if resource == "page" and status not in KNOWN_STATUSES:
        return note("status", status, f"has the status {status}, which landform does not know")
    if resource == "page" and not (_raw(source.get("title")) or _raw(source.get("content"))):
        return note("empty", text="has neither title nor content")
    if resource == "feed" and not (isinstance(meta, dict) and meta):
        return note("meta", text="has settings that are no object, or empty")
    if resource == "feed" and not source.get("addon_slug"):
        return note("addon_slug", text="names no add-on")
    return None


def _feed(source: Mapping[str, Any], notes: list[Note]) -> Row:
    event = source.get("event_type")
    return {
        **feed_numbers(source, notes),
        "addon_slug": str(source["addon_slug"]),
        "event_type": None if event is None else str(event),
        "modified_utc": "",
        "meta": source["meta"],
    }


def _form(source: Mapping[str, Any]) -> Row:
    return {
        "title": str(source.get("title") or ""),
        "is_active": str(source.get("is_active", "1")).lower() in TRUE,
        "is_trash": str(source.get("is_trash")).lower() in TRUE,
        "date_created_utc": _utc(source.get("date_created")),
        "modified_utc": "",
        "meta": {name: source[name] for name in source if name not in FORM_COLUMNS},
    }


def _entry(source: Mapping[str, Any]) -> Row:
    values = {name: value for name, value in source.items() if name[:1].isdecimal()}
    return {
        "form_id": parse_integer(source.get("form_id")) or 0,
        "status": source.get("status"),
        **{name: str(source.get(name)) in TRUE for name in ("is_read", "is_starred")},
        "created_utc": _utc(source.get("date_created")),
        "modified_utc": _utc(source.get("date_updated")),
        **{name: str(source.get(name) or "") for name in ("source_url", "ip", "user_agent")},
        "created_by": parse_integer(source.get("created_by")),
        "properties": {name: source[name] for name in ENTRY_PROPERTIES if name in source},
        "values": {
            name: json_text(value) if isinstance(value, (list, dict)) else value
            for name, value in values.items()
        },
        "digest": "",
        **(_notes(source["notes"]) if "notes" in source else {}),
    }


def _notes(notes: list[Row]) -> Row:
    """Return the columns of an entry with its notes, the oldest first."""
    by_id = {int(one["id"]): one for one in notes}
    rows = [
        {
            "user_name": str(one.get("user_name") or ""),
            "created_utc": _utc(one.get("date_created")),
            "note_type": str(one.get("note_type") or "user"),
            "value": str(one.get("value") or ""),
        }
        for _, one in sorted(by_id.items())
    ]
    return {"notes": rows, "note_ids": sorted(by_id)}


# The functions that return the columns of a form and of an entry.
COLUMNS = {"form": _form, "entry": _entry}


def _utc(text: object) -> str:
    return str(text or "").replace(" ", "T")


def read_author(source: Mapping[str, Any], notes: list[Note]) -> int:
    """Return the author of a row; an invalid one is replaced, with a note."""
    author = parse_integer(source.get("author"))
    if author is None or not 1 <= author <= MAX_INTEGER:
        notes.append(note("author-missing"))
        return DEFAULT_AUTHOR
    return author


def _slugs(source: Mapping[str, Any], status: str, title: str, notes: list[Note]) -> Row:
    """Return the slug, which may be that of another page, and the one before the trash."""
    # Some sites store other scripts unencoded, other tools encode in capitals.
    slug = slugs.encode(str(source.get("slug") or ""), limit=MAX_SLUG).lower()
    try:
        SLUG(slug)
    except ValidationError:
        notes.append(note("slug-refused", slug[:200]))
        slug = slugs.slugify(slug)
    if not slug and status not in ("draft", "pending", "trash"):
        if not source.get("slug"):
            notes.append(note("slug-missing"))
        slug = slugs.slugify(title) or str(source["id"])
    trashed = TRASHED.fullmatch(slug) if status == "trash" else None
    return {"slug": slug, "slug_before_trash": trashed[1] if trashed else ""}


def _lost_notes(source: Mapping[str, Any], row: Row) -> Iterator[Note]:
    """Yield notes on parts of a page that only WordPress stores, renders or accepts.

    So are invalid characters of a file, and revisions that the user must not read.
    """
    if source.get("repaired"):
        yield note("control-characters")
    if "refused_revisions" in source:
        yield note("revisions-refused", source["refused_revisions"])
    for name in LOST_COLUMNS:
        if _raw(source.get(name), source.get(name)) not in EMPTY_VALUES:
            yield note("lost", name)
    content = row["content_raw"]
    for code, pattern in (("shortcode", SHORTCODE), ("media", UPLOADS)):
        yield from (note(code, name) for name in sorted(set(pattern.findall(content))))
    errors = REQUEST_SCHEMA.validate({name: row[key] for name, key in LIMITED_COLUMNS.items()})
    yield from (note("beyond-bounds", name) for name in errors)


def _raw(value: object, default: object = "") -> Any:
    """Return a text, or the one below `raw`, or the default."""
    if isinstance(value, Mapping):
        value = default = value.get("raw") or ""
    return value if isinstance(value, str) else default


def _render(page: Row) -> Row:
    """Add the rendered columns of a page; raise `ImportRefused` like `landform import`."""
    texts = {"title": page["title_raw"], "content": page["content_raw"]}
    try:
        row = {**page, **render_texts(texts, IMPORTER).columns}
        SCHEMAS["page"].load({**row, "id": 1, "version": 1})
    except ValidationError as error:
        messages: Any = error.messages
        text = "; ".join(f"{name}: {message}" for name, message in messages.items())
        raise ImportRefused(text) from error
    return row
