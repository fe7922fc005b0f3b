"""Test mails of feeds: with sample values, and to the fixed addresses of a feed only."""

import secrets
from datetime import UTC, datetime

from landform.parts.leads.addons import AddonError
from landform.parts.leads.addons.mail import SUBJECT, run_email
from landform.parts.leads.addons.mailboxes import mailboxes_of
from landform.parts.leads.errors import FeedNotTestable, TooManyTestMails
from landform.parts.leads.intake.fields import choices_of, inputs_of
from landform.parts.leads.intake.merging import SiteTags
from landform.parts.leads.options import SmtpServer
from landform.parts.worker import FAILED, SUCCESS, Outcome, outcome_of, wait_briefly
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of

# The merge tag of an address that no entry has a part in.
ADMIN = "{admin_email}"
# How many test mails a process may be sending, and how many seconds a request waits for one.
THREAD, MOST_TESTS, MOST_SECONDS = "landform-test-mail", 4, 5.0
SAMPLES = {
    **{"email": "ada@example.com", "website": "https://example.com/", "phone": "(555) 555-0100"},
    **{"number": "1", "date": "2026-01-31", "consent": "1"},
}
PENDING = "pending"
SENT = "A test mail was sent to {}."
STILL_SENDING = "The mail server has not answered yet. The mail may arrive all the same."


def run_test(
    meta: JsonObject, form: JsonObject, server: SmtpServer | None, site: SiteTags
) -> tuple[str, str]:
    """Send a test mail of a feed; return its state and a message for people.

    It is sent in a thread, for which the request waits briefly. Raises `FeedNotTestable` and
    `TooManyTestMails`.
    """
    listed = text_of(meta.get("toEmail")).replace(ADMIN, site.admin_email or ADMIN)
    try:
        boxes = mailboxes_of({**meta, "toEmail": listed}, "toEmail")
    except AddonError as error:
        return FAILED, str(error)
    addresses = [box.address for box in boxes if "{" not in box.address]
    if not addresses:
        raise FeedNotTestable
    fixed = {
        **meta,
        "toEmail": ",".join(addresses),
        **dict.fromkeys(("toField", "cc", "bcc"), ""),
        "subject": f"Test: {text_of(meta.get('subject')) or site.texts.gettext(SUBJECT)}",
    }

    def run() -> Outcome:
        run_key = secrets.token_hex(16)
        note = run_email(fixed, _sample_entry(form), form, run_key, server=server, site=site)
        return Outcome(SUCCESS, f"{SENT.format(', '.join(addresses))} {note}".rstrip())

    outcome = wait_briefly(
        THREAD, MOST_TESTS, MOST_SECONDS, lambda: outcome_of(run, "a test mail"), TooManyTestMails
    )
    return (outcome.state, outcome.text) if outcome else (PENDING, STILL_SENDING)


def _sample_entry(form: JsonObject) -> JsonObject:
    """Return an entry of a form that nobody has sent."""
    values = dict[str, str]()
    for field in form["fields"]:
        choices, inputs = choices_of(field), inputs_of(field)
        sample = choices[0][1] if choices else SAMPLES.get(field["type"], "Sample")
        # All parts of a name, and one box of several.
        filled = inputs if field["type"] == "name" else inputs[:1]
        values |= {part.id: sample for part in filled}
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    columns = dict.fromkeys(("ip", "source_url", "user_agent"), "")
    return {"id": "0", "date_created": now, "currency": "USD", **columns, **values}
