"""The add-on `email`: a mail for an entry."""

from email.contentmanager import raw_data_manager
from email.header import Header
from email.message import EmailMessage
from email.policy import compat32
from email.utils import format_datetime, localtime, quote

from landform.parts.leads.addons import AddonError
from landform.parts.leads.addons.smtp import send_mail
from landform.parts.leads.intake.confirmations import merge
from landform.parts.leads.options import ADDRESS, SmtpServer
from landform.service.json_codec import JsonObject
from landform.service.planning.entries import text_of

# Every server can pass on what is written in ASCII. Newer policies decode values that look encoded,
# even to line breaks, and fold long words to blank lines.
POLICY = compat32.clone(cte_type="7bit", linesep="\r\n")
MOST_RECIPIENTS, LONGEST_LINE = 20, 300
# What a program that reads mails would decode.
ENCODED_WORD = "=?"
SUBJECT, MESSAGE = "New entry: {form_title}", "{all_fields}"
NO_SERVER = "LANDFORM_SMTP_URL is not set."
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
        raise AddonError(NO_SERVER)

    def line(name: str, default: str = "") -> str:
        """Return a setting with its merge tags replaced, as one line."""
        text = merge(text_of(meta.get(name)) or default, form, entry, str)
        printable = "".join(char if char.isprintable() else " " for char in text)
        return " ".join(printable.replace(ENCODED_WORD, "= ?").split())[:LONGEST_LINE]

    recipients = _recipients(meta, entry, form)
    message = EmailMessage(policy=POLICY)
    name = line("fromName")
    name = f'"{quote(name)}"' if name and name.isascii() else name
    message["From"] = Header(name, header_name="From")
    message["From"].append(f"<{server.sender}>")
    message["To"] = ", ".join(recipients)
    if ADDRESS.fullmatch(reply_to := line("replyTo")):
        message["Reply-To"] = reply_to
    message["Subject"] = Header(line("subject", SUBJECT), header_name="Subject")
    message["Date"] = format_datetime(localtime())
    # The same for each attempt: who gets a mail twice can tell.
    message["Message-ID"] = f"<{run_key}@{server.sender.partition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    template = text_of(meta.get("message")) or MESSAGE
    text = merge(template, form, entry, str)
    message.set_content(text, content_manager=raw_data_manager)
    send_mail(server, message, recipients)


def _recipients(meta: JsonObject, entry: JsonObject, form: JsonObject) -> list[str]:
    """Return the addresses of a feed.

    A list is split before merge tags are replaced: no value of an entry is several addresses.
    """
    addresses = [merge(text, form, entry, str).strip() for text in recipients_of(meta)]
    if not all(map(ADDRESS.fullmatch, addresses)):
        raise AddonError(NO_RECIPIENT, retryable=False)
    return list(dict.fromkeys(addresses))


def recipients_of(meta: JsonObject) -> list[str]:
    """Return the addresses of a feed, some of which may be merge tags; raises `AddonError`."""
    to_field, to = (text_of(meta.get(name)) for name in ("toField", "toEmail"))
    texts = [f"{{:{to_field}}}"] if to_field else [text.strip() for text in to.split(",")]
    are_valid = all("{" in text or ADDRESS.fullmatch(text) for text in texts)
    if not are_valid or len(texts) > MOST_RECIPIENTS:
        raise AddonError(NO_RECIPIENT, retryable=False)
    return texts
