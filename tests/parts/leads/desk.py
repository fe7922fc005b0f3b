"""What the tests of add-ons have in common: a form, its feeds, visitors, and the worker."""

from typing import Any

from applications import Client, service
from databases import run_sql
from flask import Flask

FORM: dict[str, Any] = {
    "title": "Newsletter",
    "fields": [
        {
            "id": 1,
            "type": "name",
            "label": "Name",
            "inputs": [{"id": "1.3", "label": "First"}, {"id": "1.6", "label": "Last"}],
        },
        {"id": 2, "type": "email", "label": "E-mail"},
        {"id": 3, "type": "textarea", "label": "Message"},
    ],
}
HOOK = "gravityformswebhooks"


class Desk(Client):
    """A client with a form that takes entries, whose feeds run when a test says so."""

    def __init__(self, app: Flask, database_url: str) -> None:
        super().__init__(app)
        self.url, self.smtp_url = database_url, ""
        self.landing: Any = app.blueprints["landform"]
        self.add_form()

    def add_form(self, **keys: Any) -> None:
        """Add a form, which is the one that is submitted from now on."""
        form = self.ok(self.post("/forms", json={**FORM, **keys}))
        self.form = int(form["id"])

    def add_feed(self, addon: str = HOOK, **meta: Any) -> int:
        """Add a feed to the form, and return its id."""
        meta = {"feedName": "F", **meta}
        return int(self.feed(form_id=self.form, addon_slug=addon, meta=meta)["id"])

    def submit(self, **values: str) -> str:
        """Submit the form, and return the id of the entry."""
        sent = {f"input_{name.lstrip('f')}": text for name, text in values.items()}
        return str(self.ok(self.post(f"/forms/{self.form}/submissions", json=sent))["entry_id"])

    def set_status(self, entry_id: str, status: str) -> None:
        """Mark an entry as spam, move it to the trash, or make it active again."""
        self.ok(self.put(f"/entries/{entry_id}/properties", json={"status": status}))

    def edit(self, entry_id: str, **values: str) -> None:
        """Write values of an entry by hand."""
        values = {name.lstrip("f"): text for name, text in values.items()}
        self.ok(self.put(f"/entries/{entry_id}", json=values))

    @staticmethod
    def ok(answer: Any) -> Any:
        """Return the JSON of a response that is no error."""
        assert answer.status_code < 400, answer.get_data(as_text=True)
        return answer.get_json()

    def deliver(self, *, later: bool = False) -> None:
        """Run what is due, with the mail server at `smtp_url` if there is one.

        `later`: as if the pauses after failures were over.
        """
        if later:
            due = "UPDATE feed_run SET due_utc = '2026-01-01T00:00:00' WHERE due_utc IS NOT NULL"
            run_sql(self.url, due)
            run_sql(self.url, "UPDATE failing_feed SET next_utc = '2026-01-01T00:00:00'")
        if not self.smtp_url:
            self.landing.deliver()
            return
        mailing = service(self.url, ADDON_PRIVATE=True, SMTP_URL=self.smtp_url)
        landing: Any = mailing.application.blueprints["landform"]
        landing.deliver()
        mailing.store.dispose()

    def runs(self) -> list[dict[str, Any]]:
        """Return all runs, the oldest first."""
        return list(self.get("/runs?order=asc&per_page=100").get_json())

    def states(self) -> list[tuple[str, str]]:
        """Return the state and the message of each run."""
        return [(run["state"], run["message"]) for run in self.runs()]
