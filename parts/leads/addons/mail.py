"""The add-on `email`: a mail for an entry, sent by the server of `LANDFORM_SMTP_URL`."""

import logging
from collections.abc import Iterable
from email.contentmanager import raw_data_manager
from email.header import Header
from email.message import EmailMessage
from email.policy import compat32
from email.utils import format_datetime, localtime, quote

from landform.parts.leads.addons import AddonError
from landform.parts.leads.addons.smtp import deliver
from landform.parts.leads.intake.confirmations import merge
from landform.parts.leads.options import ADDRESS, SmtpServer
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of

log = logging.getLogger("landform")
# Every server can pass on what is written in ASCII. Newer policies decode values that look encoded,
# even to line breaks, and fold long words to blank lines.
MAIL_POLICY = compat32.clone(cte_type="7bit", linesep="\r\n")
MOST_RECIPIENTS, LONGEST_LINE = 20, 300
# What a program that reads mails would decode.
ENCODED_WORD = "=?"
SUBJECT, MESSAGE = "New entry: {form_title}", "{all_fields}"
NO_SERVER = "No mail server is set up: nothing is sent until there is one."
NO_RECIPIENT = "The feed has no valid address in toEmail or toField."


def run_email(
    meta: JsonObject,
    entry: JsonObject,
    form: JsonObject,
    run_key: str,
    *,
    server: SmtpServer | None,
) -> None:
    """Send a mail to the addresses in `toEmail`, or to the one in the field `toField`."""
    if server is None:
        log.warning("A feed cannot send mail: LANDFORM_SMTP_URL is not set.")
        raise AddonError(NO_SERVER)
    recipients = _recipients(meta, entry, form)
    message = _message(meta, entry, form, server, recipients)
    # The same for each attempt: who gets a mail twice can tell.
    message["Message-ID"] = f"<{run_key}@{server.sender.partition('@')[2]}>"
    deliver(server, message.as_bytes(), recipients)


def _message(
    meta: JsonObject,
    entry: JsonObject,
    form: JsonObject,
    server: SmtpServer,
    recipients: Iterable[str],
) -> EmailMessage:
    """Return the mail for an entry."""

    def line(name: str, default: str = "") -> str:
        """Return a setting with its merge tags replaced, as one line."""
        text = merge(text_of(meta.get(name)) or default, form, entry, str)
        printable = "".join(char if char.isprintable() else " " for char in text)
        return " ".join(printable.replace(ENCODED_WORD, "= ?").split())[:LONGEST_LINE]

    message = EmailMessage(policy=MAIL_POLICY)
    name = line("fromName")
    name = f'"{quote(name)}"' if name and name.isascii() else name
    message["From"] = Header(name, header_name="From")
    message["From"].append(f"<{server.sender}>")
    message["To"] = ", ".join(recipients)
    if ADDRESS.fullmatch(reply_to := line("replyTo")):
        message["Reply-To"] = reply_to
    message["Subject"] = Header(line("subject", SUBJECT), header_name="Subject")
    message["Date"] = format_datetime(localtime())
    message["Auto-Submitted"] = "auto-generated"
    template = text_of(meta.get("message")) or MESSAGE
    message.set_content(merge(template, form, entry, str), content_manager=raw_data_manager)
    return message


def _recipients(meta: JsonObject, entry: JsonObject, form: JsonObject) -> dict[str, str]:
    """Return the addresses of a feed, and what each is called: no error has one of an entry.

    A list is split before merge tags are replaced: no value of an entry is several addresses.
    """
    names = dict[str, str]()
    for text in recipients_of(meta):
        address = merge(text, form, entry, str).strip()
        if not ADDRESS.fullmatch(address):
            raise AddonError(NO_RECIPIENT, retryable=False)
        name = f"in {text.replace('{:', '{field ')}" if "{" in text else text
        names.setdefault(address, f"the address {name}")
    return names


def recipients_of(meta: JsonObject) -> list[str]:
    """Return the addresses of a feed, some of which may be merge tags; raises `AddonError`."""
    to_field, to = (text_of(meta.get(name)) for name in ("toField", "toEmail"))
    texts = [f"{{:{to_field}}}"] if to_field else [text.strip() for text in to.split(",")]
    are_valid = all("{" in text or ADDRESS.fullmatch(text) for text in texts)
    if not are_valid or len(texts) > MOST_RECIPIENTS:
        raise AddonError(NO_RECIPIENT, retryable=False)
    return texts


def fixed_addresses(meta: JsonObject) -> list[str]:
    """Return the addresses of a feed that no entry has a part in."""
    return [text for text in recipients_of(meta) if "{" not in text]
