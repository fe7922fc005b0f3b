"""The add-on `email`: a mail for an entry, sent by the server of `LANDFORM_SMTP_URL`."""

import logging
import re
from collections.abc import Callable, Iterable
from email.contentmanager import raw_data_manager
from email.header import Header
from email.message import EmailMessage
from email.policy import compat32
from email.utils import format_datetime, localtime
from functools import partial
from html import unescape

from landform.parts.leads.addons import AddonError
from landform.parts.leads.addons.mailboxes import (
    NO_RECIPIENT,
    TO,
    Mailbox,
    header_of,
    read_settings,
)
from landform.parts.leads.addons.smtp import deliver
from landform.parts.leads.intake.formats import UNSEEN
from landform.parts.leads.intake.merging import SiteTags, escape_lines, merge
from landform.parts.leads.options import ADDRESS, SmtpServer
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of
from landform.service.rendering.markup import tokens
from landform.service.site.catalogs import Message

log = logging.getLogger("landform")
# Every server can pass on what is written in ASCII. Newer policies decode values that look encoded,
# even to line breaks, and fold long words to blank lines.
MAIL_POLICY = compat32.clone(cte_type="7bit", linesep="\r\n")
LONGEST_LINE = 300
# What a program that reads mails would decode.
ENCODED_WORD = "=?"
SUBJECT, MESSAGE = Message("New entry: {form_title}"), "{all_fields}"
NO_SERVER = "No mail server is set up: nothing is sent until there is one."
HTML, FORMATS = "html", ("", "text", "html")
LEFT_OUT = "The mail was sent without what is no address in {}."
NO_FORMAT = "The messageFormat of the feed must be html or text."
# Elements after which a text has a new line, and the address of a link.
LINE_ENDS = "br p div li dt dd tr h1 h2 h3 h4 h5 h6 ul ol table blockquote".split()
HREF = re.compile(r"""\shref\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)
# The settings with the addresses of each header.
HEADERS = {"To": TO, "Cc": "cc", "Reply-To": "replyTo"}
# A function that replaces the merge tags of a text.
Fill = Callable[[str], str]


def run_email(
    meta: JsonObject,
    entry: JsonObject,
    form: JsonObject,
    run_key: str,
    *,
    server: SmtpServer | None,
    site: SiteTags,
) -> str:
    """Send a mail to the addresses in `toEmail`, or to the one in the field `toField`.

    Returns which other settings have what is no address, and is left out; empty for none.
    """
    if server is None:
        log.warning("A feed cannot send mail: LANDFORM_SMTP_URL is not set.")
        raise AddonError(NO_SERVER)
    fill = partial(merge, form=form, entry=entry, site=site, encode=str)
    settings, unreadable = read_settings(meta)
    filled = {name: _filled(boxes, fill) for name, boxes in settings.items()}
    listed = {
        name: [box for box in boxes if ADDRESS.fullmatch(box.address)]
        for name, boxes in filled.items()
    }
    if len(listed[TO]) < len(filled[TO]):
        raise AddonError(NO_RECIPIENT, retryable=False)
    # A value that is blank is no mistake.
    left_out = [
        name
        for name, boxes in filled.items()
        if name in unreadable or any(box.address and box not in listed[name] for box in boxes)
    ]
    subject = text_of(meta.get("subject")) or site.texts.gettext(SUBJECT)
    message = _message(meta, subject, fill, partial(fill, encode=escape_lines))
    sender = Mailbox(_one_line(fill(text_of(meta.get("fromName")))), server.sender)
    message["From"] = header_of("From", [sender])
    for header, name in HEADERS.items():
        if listed[name]:
            message[header] = header_of(header, listed[name])
    # The same for each attempt: who gets a mail twice can tell.
    message["Message-ID"] = f"<{run_key}@{server.sender.partition('@')[2]}>"
    # What each address is called: no error has one of an entry.
    recipients = [box for name in ("bcc", "cc", TO) for box in listed[name]]
    names = {box.address: f"the address {box.source}" for box in recipients}
    deliver(server, message.as_bytes(), names)
    return LEFT_OUT.format(" and ".join(left_out)) if left_out else ""


def check_settings(meta: JsonObject) -> None:
    """Raise `AddonError` with all that is wrong with the settings of a feed."""
    problems = list[str]()
    try:
        problems += read_settings(meta)[1].values()
    except AddonError as error:
        problems.append(str(error))
    if text_of(meta.get("messageFormat")).lower() not in FORMATS:
        problems.append(NO_FORMAT)
    if problems:
        raise AddonError(" ".join(problems))


def _filled(boxes: Iterable[Mailbox], fill: Fill) -> list[Mailbox]:
    """Return mailboxes with their merge tags replaced.

    A list is split before: no value of an entry is several addresses.
    """
    return [
        Mailbox(_one_line(fill(box.name)), fill(box.address).strip(UNSEEN), box.source)
        for box in boxes
    ]


def _message(meta: JsonObject, subject: str, fill: Fill, fill_html: Fill) -> EmailMessage:
    """Return the mail for an entry, without its addresses."""
    message = EmailMessage(policy=MAIL_POLICY)
    message["Subject"] = Header(_one_line(fill(subject)), header_name="Subject")
    message["Date"] = format_datetime(localtime())
    message["Auto-Submitted"] = "auto-generated"
    template = text_of(meta.get("message")) or MESSAGE
    if text_of(meta.get("messageFormat")).lower() != HTML:
        message.set_content(fill(template), content_manager=raw_data_manager)
        return message
    message.set_content(fill(plain_text(template)), content_manager=raw_data_manager)
    # A text without any element keeps its line ends.
    html = fill_html(template if "<" in template else template.replace("\n", "<br>\n"))
    message.add_alternative(html, subtype=HTML, content_manager=raw_data_manager)
    return message


def _one_line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.replace(ENCODED_WORD, "= ?").split())[:LONGEST_LINE]


def plain_text(html: str) -> str:
    """Return HTML as a text, with its lines, and with the addresses of its links."""
    if "<" not in html:
        return unescape(html)
    parts, address = list[str](), ""
    for token in tokens(html):
        if not token.name:
            parts.append(re.sub(r"\s+", " ", unescape(token.text)))
        elif token.name == "a" and not token.closing:
            match = HREF.search(token.text)
            address = unescape(match[1].strip("\"'")) if match else ""
        elif token.name == "a" and address:
            parts.append(f" ({address})")
        elif token.name in LINE_ENDS and (token.closing or token.name == "br"):
            parts.append("\n")
    return "\n".join(line.strip() for line in "".join(parts).strip().split("\n"))
