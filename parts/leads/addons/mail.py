"""The add-on `email`: a mail for an entry, sent by the server of `LANDFORM_SMTP_URL`."""

import smtplib
import ssl
from contextlib import closing, suppress
from email.contentmanager import raw_data_manager
from email.header import Header
from email.message import EmailMessage
from email.policy import compat32
from email.utils import format_datetime, localtime, quote

from landform.parts.leads.addons import AddonError
from landform.parts.leads.intake.confirmations import merge
from landform.parts.leads.options import ADDRESS, SmtpServer
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of

# Every server can pass on what is written in ASCII. Newer policies decode values that look encoded,
# even to line breaks, and fold long words to blank lines.
MAIL_POLICY = compat32.clone(cte_type="7bit", linesep="\r\n")
# In seconds, for each step.
TIMEOUT = 10.0
LOOPBACK = ("localhost", "127.0.0.1", "::1")
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
    # The same for each attempt: who gets a mail twice can tell.
    message["Message-ID"] = f"<{run_key}@{server.sender.partition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    template = text_of(meta.get("message")) or MESSAGE
    text = merge(template, form, entry, str)
    message.set_content(text, content_manager=raw_data_manager)
    _send(server, message, recipients)


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


def _send(server: SmtpServer, message: EmailMessage, recipients: list[str]) -> None:
    """Send a mail to all recipients or to none; raises `AddonError`.

    The errors do not repeat what the server says, which may have addresses.
    """
    try:
        with closing(_connect(server)) as client:
            codes = [client.mail(server.sender)[0], *(client.rcpt(name)[0] for name in recipients)]
            refused = next((code for code in codes if code >= 400), None)
            code = refused or client.data(message.as_bytes())[0]
            # What is accepted stays so, whatever becomes of the connection.
            with suppress(OSError, smtplib.SMTPException):
                client.quit()
    except smtplib.SMTPResponseException as error:
        code = error.smtp_code
        if isinstance(error, smtplib.SMTPAuthenticationError):
            raise AddonError("The mail server refused the credentials.") from None
    except (OSError, smtplib.SMTPException) as error:
        raise AddonError(f"The mail server cannot be used: {type(error).__name__}.") from None
    if code >= 400:
        raise AddonError(f"The mail server answered {code}.", retryable=code < 500)


def _connect(server: SmtpServer) -> smtplib.SMTP:
    """Return a connection that is encrypted if the server can, and signed in.

    A password is sent unencrypted to this machine only.
    """
    context, name = ssl.create_default_context(), server.sender.partition("@")[2]
    client: smtplib.SMTP
    if server.is_secure:
        client = smtplib.SMTP_SSL(server.host, server.port, name, timeout=TIMEOUT, context=context)
    else:
        client = smtplib.SMTP(server.host, server.port, name, timeout=TIMEOUT)
    try:
        client.ehlo_or_helo_if_needed()
        if not server.is_secure and client.has_extn("starttls"):
            client.starttls(context=context)
        elif server.user and not server.is_secure and server.host not in LOOPBACK:
            raise AddonError("The mail server offers no encryption, which a password needs.")
        if server.user:
            client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client
