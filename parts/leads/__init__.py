"""Leads: forms on pages, their submissions, entries, and the feeds that run for these."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from landform.parts.errors import errors_in
from landform.parts.leads import errors
from landform.parts.leads.models import Entry, EntryNote, EntryValue, Form
from landform.parts.leads.options import LeadsOptions
from landform.parts.part import Exported, Metric, PageForm


@dataclass(frozen=True, kw_only=True, repr=False)
class Leads(LeadsOptions):
    """Forms, which visitors submit, with their entries. A host asks for it."""

    tables = (Form, Entry, EntryValue, EntryNote)
    scopes = ("forms:read", "forms:write", "entries:read", "entries:write")
    event_types = (
        *("form.created", "form.updated", "form.trashed", "form.restored", "form.deleted"),
        *("entry.created", "entry.updated", "entry.spam", "entry.deleted"),
    )
    errors = errors_in(errors)
    templates = Path(__file__).parent / "site"
    translations = Path(__file__).parent / "translations"
    form_tables = ("form",)
    console_files = Path(__file__).parent / "static"
    in_guests = False

    @classmethod
    def exports(cls) -> Mapping[str, Exported]:
        """Return forms, which deletions trash, and entries with their values and notes."""
        from landform.parts.leads.lines import EntryLine, FormLine  # noqa: PLC0415 - Marshmallow
        from landform.parts.leads.storage import entries, forms, notes  # noqa: PLC0415 - the store

        def write_details(store: Any, row: Mapping[str, Any]) -> None:
            entries.replace_values(store, row)
            # Lines of earlier versions have no notes, and leave them alone.
            if "notes" in row:
                notes.replace_notes(store, row)

        return {
            "form": Exported(FormLine(), forms.discard_form),
            "entry": Exported(EntryLine(), entries.delete_entry, write_details),
        }

    def metrics(self, store: Any) -> Iterable[Metric]:
        """Return the number of entries by status."""
        from landform.parts.leads.storage import entries  # noqa: PLC0415 - needs the store

        yield Metric("entries", "Entries by status", "status", entries.count_entries(store))

    def work_source(self, service: Any) -> Any:
        """Return the runs of feeds for entries, where they are stored."""
        from landform.parts import feed_runs  # noqa: PLC0415 - needs the store
        from landform.parts.leads.addons.registry import find_addons  # noqa: PLC0415
        from landform.parts.leads.working import Feeds  # noqa: PLC0415 - needs the service

        return Feeds(service, find_addons(service, self)) if feed_runs.are_stored() else None

    def worker(self, service: Any) -> Callable[[], float | None]:
        """Return the function that deletes old entries."""
        from landform.parts.leads.retention import Retention  # noqa: PLC0415 - needs the store

        return Retention(service.store, self.entry_days, service.stopping).work

    def page_form(
        self, call: Any, form_id: str, visited: Any, number: int = 1, field_values: str = ""
    ) -> PageForm | None:
        """Return the form with an id as a visitor sees it in a page, if the part shows it."""
        from landform.parts.leads import site  # noqa: PLC0415 - needs the site

        return site.page_form(call, form_id, visited, number=number, field_values=field_values)

    def feed_problem(self, service: Any, feed: Mapping[str, Any]) -> str:
        """Return what keeps an add-on of the part from running a feed as it says; else empty."""
        from landform.parts.leads.addons import registry  # noqa: PLC0415 - needs the service
        from landform.parts.leads.planning import rules_problem  # noqa: PLC0415 - the store
        from landform.parts.leads.storage.forms import find_form  # noqa: PLC0415

        find = cache(partial(find_form, service.store, feed["form_id"]))
        problems = registry.feed_problem(service, self, feed, find), rules_problem(find, feed)
        return " ".join(filter(None, problems))
