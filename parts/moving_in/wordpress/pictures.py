"""Bring the pictures that pages use: fetch and store them, and let the pages refer to them."""

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from marshmallow import ValidationError

from landform.parts.moving_in import origins
from landform.parts.moving_in.incoming import Incoming
from landform.parts.moving_in.origins import Origin, Run, url_key
from landform.parts.moving_in.wordpress.client import NoAnswer, status_text
from landform.parts.moving_in.wordpress.convert import UNKNOWN_DATE, read_author
from landform.parts.moving_in.wordpress.picture_texts import replace_in
from landform.parts.moving_in.wordpress.report import (
    PLURALS,
    UNREADABLE_CODE,
    Plan,
    Progress,
    Report,
    note,
)
from landform.parts.moving_in.wordpress.site import PER_PAGE, ROUTES, Site, rows_of
from landform.parts.moving_in.wordpress.values import SiteDates, parse_integer, storable
from landform.storage import Store
from landform.storage.errors import ImportRefused
from landform.storage.maintenance.tables import RowWriter, find
from landform.storage.maintenance.transfer import reserve_ids
from landform.storage.models import exported_tables, part_exports
from landform.storage.rows import Row, batches, json_text

MEDIA = "media"
COLUMNS = "id date date_gmt modified modified_gmt author post".split()
TEXTS = ("title", "caption", "description")
# The bytes of one picture, and how many are fetched while another one is stored.
MAX_BYTES, MAX_FETCHED = 20 << 20, 2
# The address of a smaller size: its beginning, width, height and extension.
SIZE = re.compile(r"(.+)-([0-9]{1,5})x([0-9]{1,5})(\.[a-z0-9]+)", re.IGNORECASE | re.DOTALL)
NOT_LISTED = "Some pictures were not found, since their list cannot be read: {error}"
# The columns that addresses are made of, as a dry run has them.
FILE: Row = {"id": 0, "folder": "", "file": "", "width": 0, "height": 0, "sizes": []}


class Wanted(NamedTuple):
    """A picture of the site, its origin, and its row here, if it has one."""

    item: Row
    before: Origin
    row: Row | None


@dataclass
class Pictures:
    """The pictures of a site.

    `store_picture` is that of a part, without the store. `files_url`: the start of the URLs of
    files here.
    """

    site: Site
    store: Store
    run: Run
    plan: Plan
    dates: SiteDates
    report: Report
    progress: Progress
    store_picture: Callable[..., Row]
    files_url: str
    # The ids there by address, and the rows here by id there; None for one that is not here.
    _ids: dict[str, int] = field(default_factory=dict)
    _here: dict[int, Row | None] = field(default_factory=dict)

    def bring(self, pages: list[Incoming]) -> list[Incoming]:
        """Bring what pages use and is not here yet; return them with the addresses and ids here."""
        used = set[int]()

        def use(number: int) -> int:
            used.update({number} & self._library.keys())
            return number

        def use_address(url: str) -> str:
            use(self._find(url)[0])
            return url

        for page in pages:
            replace_in(page, use_address, use)
        own_pages = () if self.plan.new_ids else {page.source_id for page in pages}
        for part in batches(sorted(used - self._here.keys()), PER_PAGE):
            self._bring(part, own_pages)
        return [replace_in(page, self._url_here, self._id_here) for page in pages]

    def _bring(self, numbers: Collection[int], own_pages: Collection[int]) -> None:
        """Bring pictures, unless they are here or were deleted here."""
        known = origins.find(self.store, self.run.source, MEDIA, numbers)
        wanted = []
        for number in numbers:
            before = known.get(number, Origin(MEDIA, number))
            row = find(self.store, exported_tables()[MEDIA], {"id": before.target_id})
            row = row and {**row, "sizes": json.loads(row["sizes"])}
            one = Wanted(json.loads(self._library[number]), before, row)
            if row and before.link == one.item["source_url"]:
                self._end(one, "unchanged")
            elif before.target_id and not row and not self.plan.force:
                self._end(one, "kept", "deleted-here", "was deleted here")
            elif self.plan.keep:
                wanted.append(one)
            else:
                is_new = row is None
                row = row or {**FILE, "id": number}
                self._end(one._replace(row=row), "created" if is_new else "updated")
        fetched = self.site.map(self._fetch, wanted, MAX_FETCHED)
        for place, (one, data) in enumerate(zip(wanted, fetched, strict=True), 1):
            if isinstance(data, bytes):
                self._store(one, data, own_pages)
            else:
                self._end(one, "left-out", UNREADABLE_CODE, f"was not read: {data}")
            self.progress(PLURALS[MEDIA], place, len(wanted))

    def _fetch(self, wanted: Wanted) -> bytes | Exception:
        """Return the file of a picture, or the reason why it cannot be read.

        Raises `NoAnswer` if the site is gone.
        """
        try:
            url, get = wanted.item["source_url"], self.site.client.get
            response = get(url, signed=False, public=True, max_bytes=MAX_BYTES)
            if response.status == 200:
                return response.body
            raise NoAnswer(f"{status_text(response)}.", response.status)
        except NoAnswer as error:
            self.site.check_answers(error)
            return error
        except ValueError as error:
            return error

    def _store(self, wanted: Wanted, data: bytes, own_pages: Collection[int]) -> None:
        """Store a picture with its files, unless it is refused."""
        try:
            row = self._new_row(wanted, data, own_pages)
            with self._writer.transaction():
                outcome, row["id"] = self._writer.write(exported_tables()[MEDIA], row)
                self._end(wanted._replace(row=row), outcome.replace("changed", "updated"))
        except (ImportRefused, ValidationError, ValueError) as error:
            text = f"is not stored here: {getattr(error, 'messages', error)}"
            self._end(wanted, "left-out", "refused", text[:500])

    def _new_row(self, wanted: Wanted, data: bytes, own_pages: Collection[int]) -> Row:
        """Store the files of a picture, and return its row; one without an id gets a new one."""
        item, before, old = wanted
        columns = self.store_picture(data, unquote(urlsplit(item["source_url"]).path), item)
        date, modified = (
            self.dates.parse(item[name], item[f"{name}_gmt"]) or UNKNOWN_DATE
            for name in ("date", "modified")
        )
        post = parse_integer(item["post"]) or 0
        row = {
            **columns,
            "sizes": json.loads(columns["sizes"]),
            "id": before.target_id or before.source_id,
            "version": 1,
            "date": date.local, "date_utc": date.utc,
            "modified": modified.local, "modified_utc": modified.utc,
            "author": read_author(item, []),
            "page": post if post in own_pages else 0,
            **({name: old[name] for name in ("slug", "page")} if old else {}),
        }  # fmt: skip
        part_exports()[MEDIA].line.load(row)
        is_taken = find(self.store, exported_tables()[MEDIA], {"id": row["id"]})
        return row if old or not (is_taken or self.plan.new_ids) else {**row, "id": None}

    def _end(self, wanted: Wanted, outcome: str, code: str = "", reason: str = "") -> None:
        """Record the outcome of a picture."""
        item, before, row = wanted
        self._here[before.source_id] = row and {name: row[name] for name in FILE}
        if outcome == "unchanged" and before.run == self.run.number:
            # The first outcome of an import counts, also after an interruption.
            return
        origin = before._replace(
            run=self.run.number, outcome=outcome,
            notes=(note(code, text=reason),) if code else (),
            target_id=row["id"] if row else before.target_id,
            link=before.link if code else item["source_url"],
        )  # fmt: skip
        if not self.plan.keep:
            self.report.add([origin])
            return
        with self.store.transaction():
            origins.save(self.store, self.run, [origin])

    @cached_property
    def _writer(self) -> RowWriter:
        return RowWriter(self.store)

    @cached_property
    def _library(self) -> dict[int, str]:
        """The pictures of the site as JSON, by id; `_ids` gets their ids by address."""
        items = dict[int, str]()
        try:
            for rows in self._list():
                new = [row for row in rows if int(row["id"]) not in items]
                if not new:
                    break
                for row in map(storable, new):
                    number, url = int(row["id"]), str(row.get("source_url"))
                    texts = {name: _text(row.get(name)) for name in ("slug", "alt_text", *TEXTS)}
                    columns = {name: row.get(name) for name in COLUMNS}
                    items[number] = json_text({**columns, **texts, "source_url": url})
                    details = row.get("media_details")
                    original = details.get("original_image") if isinstance(details, dict) else None
                    for address in (url, str(original or url)):
                        self._ids.setdefault(url_key(address, url), number)
        except NoAnswer as error:
            self.site.check_answers(error)
            self.report.problems.append(NOT_LISTED.format(error=error))
        if self.plan.keep and not self.plan.new_ids:
            # Pictures that are uploaded here during the import get higher ids.
            reserve_ids(self.store, {MEDIA: max(items, default=0)})
        return items

    def _list(self) -> Iterator[list[Row]]:
        """Yield the pictures of the site, if the user must not edit them, as visitors see them."""
        context = "edit"
        try:
            self._get_list(context, 0)
        except NoAnswer as error:
            if error.status not in (401, 403):
                raise
            context = "view"
        yield from self.site.map(partial(self._get_list, context), count(0, self.site.per_page))

    def _get_list(self, context: str, offset: int) -> list[Row]:
        kind = "raw" if context == "edit" else "rendered"
        fields = [*COLUMNS, "slug", "alt_text", "source_url", "media_details.original_image"]
        answer = self.site.get(
            ROUTES[MEDIA], self.site.client.max_bytes, context=context, media_type="image",
            orderby="id", order="asc", per_page=self.site.per_page, offset=offset,
            _fields=[*fields, *(f"{name}.{kind}" for name in TEXTS)],
        )  # fmt: skip
        return rows_of(answer.body)

    def _find(self, url: str) -> tuple[int, int, int]:
        """Return the picture with an address, and the size that it names; zeros for none."""
        if self._library:
            key = url_key(url, f"https://{self.run.source.partition('/')[0]}")
            if key in self._ids:
                return self._ids[key], 0, 0
            if size := SIZE.fullmatch(key):
                return self._ids.get(size[1] + size[4], 0), int(size[2]), int(size[3])
        return 0, 0, 0

    def _url_here(self, url: str) -> str:
        """Return the URL of the smallest file here that can replace one there, or that URL."""
        number, width, height = self._find(url)
        row = self._here.get(number)
        if row is None:
            return url
        files = [
            file for file in row["sizes"]
            if file["width"] >= width > 0
            and abs(file["width"] * height - file["height"] * width) <= width
        ]  # fmt: skip
        file = min(files, key=lambda file: file["width"], default=row)["file"]
        return f"{self.files_url}/{row['folder']}/{file}"

    def _id_here(self, number: int) -> int:
        row = self._here.get(number)
        return row["id"] if row else number


def _text(value: Any) -> str:
    """Return a text, or the one below `raw` or `rendered`."""
    if isinstance(value, dict):
        value = value.get("raw", value.get("rendered"))
    return value if isinstance(value, str) else ""
