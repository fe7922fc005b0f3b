"""Read every form, feed and entry of Gravity Forms, from a site or from a file that it exported.

The lists of a site show active forms and feeds only, and nothing says which ids exist. So each id
up to the highest known one is requested, and some beyond.
"""

import json
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from landform.parts.moving_in.wordpress.client import CannotBegin, NoAnswer, NotRead
from landform.parts.moving_in.wordpress.entry_notes import NoteReader
from landform.parts.moving_in.wordpress.report import PLURALS, Report
from landform.parts.moving_in.wordpress.site import PER_PAGE, ROUTES, Batch, Site, rows_of
from landform.parts.moving_in.wordpress.values import parse_integer
from landform.storage.rows import Row, batches

NO_FORMS = (
    "No forms or feeds were read: Gravity Forms' REST API is not there. Switch it on at "
    "Forms, Settings, REST API."
)
PROBED = (
    "Inactive {names} are in no list of Gravity Forms: {count:,} ids up to {total:,} were "
    "asked for one by one, and {hits:,} {names} found so. One beyond was not looked for "
    "(--probe {probe})."
)
UNLISTED = "The list of {names} could not be read: {error} One beyond id {total:,} is not found."
NO_EXPORT = "{file} is no export of Gravity Forms: {reason}."


def read_gravity_forms(
    site: Site, report: Report, resource: str, highest: int, probe: int
) -> Iterator[Batch]:
    """Yield the forms, feeds or entries of a site; raise `NotRead` without Gravity Forms.

    `highest`: the highest known id. `probe`: how many ids beyond the last one are requested.
    """
    namespaces = site.index.get("namespaces")
    names = [*namespaces.values()] if isinstance(namespaces, dict) else namespaces
    if isinstance(names, list) and "gf/v2" not in names:
        raise NotRead(NO_FORMS)
    if resource == "entry":
        yield from _read_entries(site, NoteReader(site, report))
    else:
        yield from _read_feeds(site, report, resource, highest, probe)


def _read_feeds(
    site: Site, report: Report, resource: str, highest: int, probe: int
) -> Iterator[Batch]:
    """Yield feeds or forms, with the number of requested ids, and the last id to request."""
    route, total, requested, hits = ROUTES[resource], highest + probe, 0, 0
    rows, unlisted_text = [], ""
    try:
        # Without feeds the list is an object of errors.
        rows = rows_of(site.get(route, site.client.max_bytes).body)
    except NoAnswer as error:
        if error.is_refusal:
            raise
        site.check_answers(error)
        if not error.is_not_there:
            unlisted_text = UNLISTED.format(names=PLURALS[resource], error=error, total=total)
    total = max([total, *(int(row["id"]) + probe for row in rows)])
    # The list of forms has only their titles.
    listed = rows if resource == "feed" else []
    for part in batches(listed, PER_PAGE):
        yield part, requested, total
    ids, last = {int(row["id"]) for row in listed}, 0
    while last < total:
        first, last = last + 1, min(last + PER_PAGE, total)
        unlisted = [number for number in range(first, last + 1) if number not in ids]
        found = [row for row in site.map(partial(site.get_row, route), unlisted) if row]
        read = [row for row in found if "unreadable" not in row]
        if unlisted_text and not read and len(found) == len(unlisted):
            # The whole route is broken.
            raise NotRead(unlisted_text)
        requested, hits = requested + len(unlisted), hits + len(read)
        total = max([total, *(int(row["id"]) + probe for row in read)])
        yield found, requested, total
    report.problems += [unlisted_text] if unlisted_text else []
    report.warnings.append(
        PROBED.format(names=PLURALS[resource], count=requested, total=total, hits=hits, probe=probe)
    )


def _read_entries(site: Site, notes: NoteReader) -> Iterator[Batch]:
    """Yield the entries with their notes, by status and id."""
    number = total = 0
    for status in ("active", "spam", "trash"):
        first = None
        for body in site.map(partial(_get_entries, site, status), count(1)):
            rows = rows_of(body.get("entries"))
            if not rows or rows[0]["id"] == first:
                # The end, or a site that shows the same entries for ever.
                break
            if first is None:
                total += parse_integer(body.get("total_count")) or 0
            first = rows[0]["id"]
            number += len(rows)
            yield notes.add_notes(rows), number, total


def _get_entries(site: Site, status: str, page: int) -> dict[str, Any]:
    params = {
        "search": json.dumps({"status": status}),
        "sorting[key]": "id",
        "sorting[direction]": "ASC",
        "paging[page_size]": PER_PAGE,
        "paging[current_page]": page,
    }
    route = ROUTES["entry"]
    get_list = partial(site.get, route, site.client.max_bytes, **params)
    body: Any = None
    try:
        body = get_list().body
    except NoAnswer as error:
        if error.is_refusal:
            raise
        site.check_answers(error)
    if not isinstance(body, dict):
        # An entry breaks the list, so each one is requested.
        body = get_list(_field_ids="id").body
        if not isinstance(body, dict):
            raise NoAnswer("The list of entries is no list.", 200)
        ids = [int(row["id"]) for row in rows_of(body.get("entries"))]
        rows = (site.get_row(route, number) for number in ids)
        body["entries"] = [row for row in rows if row]
    return body


def read_file(file: Path) -> tuple[list[Row], list[Row]]:
    """Return the forms in an export of Gravity Forms, and the feeds of add-ons that export theirs.

    Raises `CannotBegin` for a file that is no export.
    """
    reason = "it holds no forms"
    try:
        exported = orjson.loads(file.read_bytes())
        if isinstance(exported, dict):
            # The file has its version, too.
            forms = [form for form in exported.values() if isinstance(form, dict)]
            feeds = [
                {"form_id": form.get("id"), **feed}
                for form in forms for feed in _feeds(form.pop("feeds", None), "")
            ]  # fmt: skip
            return forms, feeds
    except (OSError, ValueError) as error:
        reason = f"it is no JSON ({error})"
    except RecursionError:
        reason = "it is nested too deep"
    raise CannotBegin(NO_EXPORT.format(file=file, reason=reason))


def _feeds(value: Any, slug: str) -> Iterator[Row]:
    """Yield the feeds in a list, or in an object by add-ons or ids."""
    if isinstance(value, list):
        yield from ({"addon_slug": slug, **feed} for feed in value if isinstance(feed, dict))
    elif isinstance(value, dict):
        for name, inner in value.items():
            is_feed = isinstance(inner, dict) and ("id" in inner or "meta" in inner)
            yield from _feeds([inner], slug) if is_feed else _feeds(inner, name)
