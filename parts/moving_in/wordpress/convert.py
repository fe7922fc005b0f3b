"""A page or a feed of a site, as landform would store it: exactly, or in the nearest true form."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from marshmallow import ValidationError

from landform.parts.moving_in.incoming import Incoming
from landform.parts.moving_in.wordpress.blocks import Patterns, find_forms, lost_blocks
from landform.parts.moving_in.wordpress.meta import MetaSources
from landform.parts.moving_in.wordpress.report import Note, note
from landform.parts.moving_in.wordpress.values import SiteDates, storable, whole
from landform.schemas.export import SLUG, PageLine
from landform.schemas.feeds import FeedLine
from landform.schemas.pages import STATUSES, PageUpdate
from landform.service.auth.credentials import Identity
from landform.service.rendering.content import render_texts
from landform.storage.clock import Moment
from landform.storage.errors import ImportRefused
from landform.storage.pages import slugs
from landform.storage.rows import MAX_INTEGER, Row

KNOWN = (*STATUSES, "trash")
# What WordPress makes of a slug in the trash.
TRASHED = re.compile(r"(.*)__trashed(?:-\d+)?", re.DOTALL)
NO_DATE = Moment("1970-01-01T00:00:00", "1970-01-01T00:00:00")
NOBODY = 1
BROKEN = (ValueError, TypeError, KeyError, AttributeError, OverflowError)
YES, NO = ("1", "1.0", "true"), ("0", "0.0", "false", "", "none")
# What WordPress shows of a page that landform has no place for, and the values that say nothing.
LOST = ("parent", "menu_order", "template", "featured_media", "excerpt")
NOTHING = (None, 0, "0", "", "default")
# WordPress has filtered what its authors may not send when they sent it.
AUTHOR = Identity("import")
SCHEMAS = {"page": PageLine(), "feed": FeedLine()}
# What requests may send, and the fields that this concerns.
REQUEST = PageUpdate()
SENT = ("title", "content", "password", "meta")
SHORTCODE = re.compile(r"(?<!\[)\[([a-z][a-z0-9_-]{2,50})(?=[\s\]/])[^\[\]<>]{0,1000}\]")
# Beyond it nothing is encoded, but refused.
LONGEST_SLUG = 10_000
UPLOADS = re.compile(r"/wp-content/uploads/(?:[\w-]{1,50}/){0,2}")


class Converter:
    """Turns what a site shows into rows. `forms` maps ids of forms, `now` is UTC text."""

    def __init__(
        self, dates: SiteDates, meta: MetaSources, patterns: Patterns, forms: Mapping[int, int],
        now: str,
    ) -> None:  # fmt: skip
        self._dates, self.meta, self._patterns = dates, meta, patterns
        self._forms, self._now = forms, now

    def row(self, resource: str, sent: Mapping[str, Any]) -> Incoming:
        """Return what a row of the site is to become; one that is like no other stops nothing."""
        link = ""
        try:
            given = storable(sent)
            link, notes = str(given.get("link") or ""), [] if sent == given else [note("nul")]
            if not (why := _problem(resource, given)):
                return (self._page if resource == "page" else self._feed)(given, notes)
        except RecursionError:
            why = note("unreadable", text="is nested too deep")
        except BROKEN as error:
            text = f"cannot be read ({type(error).__name__}: {error})"
            why = note("unreadable", text=storable(text))
        return Incoming(resource, int(sent["id"]), None, link=link, notes=(why,))

    def _page(self, given: Mapping[str, Any], notes: list[Note]) -> Incoming:
        status = str(given["status"])
        texts = {name: _raw(given.get(name)) for name in ("title", "content", "password")}
        texts["content"], filled = self._patterns.put_in_place(texts["content"])
        meta, unknown, told = self.meta.read(given)
        forms = find_forms(texts["content"])
        # One field that is empty beside others that are not, or beside several forms, was meant so.
        is_left_empty = any(meta.values()) or len(forms) > 1
        if forms and not meta["form_id"] and ("form_id" in unknown or not is_left_empty):
            meta["form_id"] = str(forms[0])
            told.append(note("form-block", meta["form_id"]))
        if self._forms and meta["form_id"].isdecimal():
            form = meta["form_id"]
            meta["form_id"] = str(self._forms.get(whole(form) or 0, form))
        dates, counts_as = self._page_dates(given, status, notes)
        row = {
            "status": "draft" if counts_as else status,
            **dates,
            "author": _author(given, notes),
            "meta": meta,
            "password": texts["password"],
            "title_raw": texts["title"],
            "content_raw": texts["content"],
        }
        row |= _slugs(given, status, texts["title"], notes)
        lost = [name for name in LOST if _raw(given.get(name), given.get(name)) not in NOTHING]
        notes += [*told, *filled, *(note("lost", name) for name in lost), *_left_there(row)]
        if given.get("repaired"):
            notes.append(note("control-characters"))
        return Incoming(
            "page", int(given["id"]), row, partial(_finished, "page"),
            str(given.get("slug") or ""), str(given.get("link") or ""), counts_as, unknown,
            tuple(notes), tuple(self._revisions(given, row)),
        )  # fmt: skip

    def _revisions(self, given: Mapping[str, Any], row: Row) -> list[Row]:
        """Return the revisions of a page, the oldest first: each before another title or content.

        Of WordPress' own the last one is the page itself. They say nothing of slug and meta.
        """
        found: list[Row] = []
        rest = {name: row[name] for name in ("status", "slug", "meta")}
        following = row
        for one in sorted(given.get("revisions", ()), key=lambda one: -int(one["id"])):
            moment = self._dates.read(one.get("modified"), one.get("modified_gmt")) or NO_DATE
            texts = {name: _raw(one.get(name)) for name in ("title", "content")}
            changed = [name for name in texts if texts[name] != following[f"{name}_raw"]]
            with suppress(ValidationError):
                state = {**rest, **render_texts(texts, AUTHOR), "author": _author(one, [])}
                state |= {"modified": moment.local, "modified_utc": moment.utc, "changed": changed}
                state["replaced_by"] = following["author"]
                state["replaced_utc"] = following["modified_utc"]
                found += [state] if changed else []
                following = state
        return found[::-1]

    def _feed(self, given: Mapping[str, Any], notes: list[Note]) -> Incoming:
        numbers, event = feed_numbers(given, notes), given.get("event_type")
        row = {
            **numbers,
            "form_id": self._forms.get(numbers["form_id"], numbers["form_id"]),
            "addon_slug": str(given["addon_slug"]),
            "event_type": None if event is None else str(event),
            "modified_utc": "",
            "meta": given["meta"],
        }
        finish = partial(_finished, "feed")
        return Incoming("feed", int(given["id"]), row, finish, notes=tuple(notes))

    def _page_dates(
        self, given: Mapping[str, Any], status: str, notes: list[Note]
    ) -> tuple[Row, str]:
        """Return the columns of dates, and what a schedule that was missed counts as."""
        date = self._dates.read(given.get("date"), given.get("date_gmt"))
        modified = self._dates.read(given.get("modified"), given.get("modified_gmt"))
        # Over REST all that tells of a draft that was never given a date are equal dates.
        floats = given.get("floats", given.get("date") == given.get("modified"))
        floats = status in ("draft", "pending") and (date is None or floats)
        if floats and date is None:
            # It shows when it was last saved.
            date = modified
        if date is None:
            notes.append(note("date-missing"))
        if modified is None:
            notes.append(note("modified-missing"))
        shown = date or NO_DATE
        written = modified or shown
        is_missed = status == "future" and shown.utc <= self._now
        if is_missed:
            notes.append(note("schedule-missed"))
        columns = {
            "date": shown.local, "date_utc": shown.utc,
            "date_floats": floats,
            "modified": written.local, "modified_utc": written.utc,
        }  # fmt: skip
        return columns, "publish" if is_missed else ""


def feed_numbers(given: Mapping[str, Any], notes: list[Note]) -> dict[str, Any]:
    """Return the form, the order and the activity of a feed; what is none of them is noted."""
    form, order = whole(given.get("form_id")), whole(given.get("feed_order") or 0)
    active = str(given.get("is_active")).lower()
    wrong = {
        "form_id": form is None, "feed_order": order is None or order < 0,
        "is_active": active not in (*YES, *NO),
    }  # fmt: skip
    notes += [note("replaced", name) for name, is_wrong in wrong.items() if is_wrong]
    return {"form_id": form or 0, "is_active": active in YES, "feed_order": max(0, order or 0)}


def _problem(resource: str, given: Mapping[str, Any]) -> Note | None:
    """Return why a row cannot be held here; None where it can."""
    status, meta = str(given.get("status")), given.get("meta")
    if "unreadable" in given:
        return note("unreadable", text=str(given["unreadable"]))
    if resource == "page" and status not in KNOWN:
        return note("status", status, f"has the status {status}, which landform does not know")
    if resource == "page" and not (_raw(given.get("title")) or _raw(given.get("content"))):
        return note("empty", text="has neither title nor content")
    if resource == "feed" and not (isinstance(meta, dict) and meta):
        return note("meta", text="has settings that are no object, or empty")
    if resource == "feed" and not given.get("addon_slug"):
        return note("addon_slug", text="names no add-on")
    return None


def _author(given: Mapping[str, Any], notes: list[Note]) -> int:
    author = whole(given.get("author"))
    if author is None or not 1 <= author <= MAX_INTEGER:
        notes.append(note("author-missing"))
        return NOBODY
    return author


def _slugs(given: Mapping[str, Any], status: str, title: str, notes: list[Note]) -> Row:
    """Return the slug, and the one before the trash; unique it becomes when it is stored."""
    # Some sites store other scripts as they are, and other tools write their bytes in capitals.
    slug, before = slugs.encode(str(given.get("slug") or ""), limit=LONGEST_SLUG).lower(), ""
    try:
        SLUG(slug)
    except ValidationError:
        notes.append(note("slug-refused", slug[:200]))
        slug = slugs.slugify(slug)
    if not slug and status not in ("draft", "pending", "trash"):
        if not given.get("slug"):
            notes.append(note("slug-missing"))
        slug = slugs.slugify(title) or str(given["id"])
    if status == "trash" and (found := TRASHED.fullmatch(slug)):
        before = found[1]
    return {"slug": slug, "slug_before_trash": before}


def _left_there(row: Row) -> Iterator[Note]:
    """Yield notes on what of a page only WordPress renders, keeps, or takes."""
    content = row["content_raw"]
    for code, found in (("shortcode", SHORTCODE), ("media", UPLOADS)):
        yield from (note(code, name) for name in sorted(set(found.findall(content))))
    yield from lost_blocks(content)
    wrong = REQUEST.validate({name: row.get(f"{name}_raw", row.get(name)) for name in SENT})
    yield from (note("beyond-bounds", name) for name in wrong)


def _raw(value: object, other: object = "") -> Any:
    """Return a text as it is, or the one below `raw`; the other value where there is none."""
    if isinstance(value, Mapping):
        value = other = value.get("raw") or ""
    return value if isinstance(value, str) else other


def _finished(resource: str, row: Row) -> Row:
    """Return all columns; `ImportRefused` where an import of an export would not take them."""
    try:
        if resource == "page":
            texts = {"title": row["title_raw"], "content": row["content_raw"]}
            row = {**row, **render_texts(texts, AUTHOR)}
        SCHEMAS[resource].load({**row, "id": 1, "version": 1})
    except ValidationError as error:
        messages: Any = error.messages
        told = "; ".join(f"{name}: {text}" for name, text in messages.items())
        raise ImportRefused(told) from error
    return row
