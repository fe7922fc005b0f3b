"""Read the notes on entries of a site, with a request for each entry."""

from landform.parts.moving_in.wordpress.client import NoAnswer
from landform.parts.moving_in.wordpress.report import Report
from landform.parts.moving_in.wordpress.site import ROUTES, Site, rows_of
from landform.storage.rows import Row

NOT_READ = "The notes on entry {number} were not read: {error}"
STOPPED = "No more notes on entries were read."
# After so many failures.
MOST_FAILURES = 3


class NoteReader:
    """Adds `notes` to entries; those that cannot be read are named in a report."""

    def __init__(self, site: Site, report: Report) -> None:
        self._site, self._report = site, report
        self._failures = 0

    def add_notes(self, entries: list[Row]) -> list[Row]:
        """Return entries with their `notes`, or without this key where they are unknown.

        Where Gravity Forms refuses one or lacks the route, no others are read.
        """
        if self._failures >= MOST_FAILURES:
            return entries
        found = self._site.map(self._read, entries)
        rows = []
        for entry, notes in zip(entries, found, strict=True):
            if isinstance(notes, NoAnswer):
                is_refused = notes.status in (401, 403, 404, 501)
                messages = self._report.warnings if is_refused else self._report.problems
                if self._failures < MOST_FAILURES:
                    messages.append(NOT_READ.format(number=entry["id"], error=notes))
                    self._failures += MOST_FAILURES if is_refused else 1
                    messages += [STOPPED] if self._failures >= MOST_FAILURES else []
            rows.append(entry if isinstance(notes, NoAnswer) else {**entry, "notes": notes})
        return rows

    def _read(self, entry: Row) -> list[Row] | NoAnswer:
        try:
            route = f"{ROUTES['entry']}/{entry['id']}/notes"
            return rows_of(self._site.get(route, self._site.client.max_bytes).body)
        except NoAnswer as error:
            return [] if error.code == "gf_entry_invalid_id" else error
