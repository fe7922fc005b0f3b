"""Lists of e-mail addresses (RFC 5322) in the settings of a feed, with names and merge tags."""

import re
from collections.abc import Iterable
from email.errors import ObsoleteHeaderDefect
from email.header import Header
from email.headerregistry import HeaderRegistry
from email.utils import quote
from typing import Any, NamedTuple

from landform.parts.leads.addons import AddonError
from landform.parts.leads.intake.formats import UNSEEN
from landform.parts.leads.intake.merging import TAG
from landform.parts.leads.options import ADDRESS
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.entries import text_of

TO = "toEmail"
# The settings with recipients, and all with addresses.
RECIPIENTS = (TO, "cc", "bcc")
SETTINGS = (*RECIPIENTS, "replyTo")
MOST_RECIPIENTS, LONGEST_LIST = 20, 4000
NO_RECIPIENT = "The feed has no valid address in toEmail or toField."
NO_LIST = "The {} of the feed is no list of e-mail addresses, and mails are sent without it."
TOO_MANY = f"The feed has more than {MOST_RECIPIENTS} recipients."
# What stands for a merge tag while a list is read; where an address is expected with an @.
HIDDEN_TAG = re.compile("tag([0-9]+)x(?:@tag)?")
TAG_AS_ADDRESS = re.compile(r"(?:(?<=[,<\s])|^)(tag[0-9]+x)(?=\s*(?:[,;>]|$))")
READ = HeaderRegistry()


class Mailbox(NamedTuple):
    """An address, and a name that may be empty. `source`: the address in the settings."""

    name: str
    address: str
    source: str = ""


def mailboxes_of(meta: JsonObject, name: str) -> list[Mailbox]:
    """Return the mailboxes in a setting of a feed; names and addresses may have merge tags.

    Raises `AddonError` for a list that cannot be read.
    """
    if name == TO and (field_id := text_of(meta.get("toField"))):
        return [Mailbox("", f"{{:{field_id}}}", f"in {{field {field_id}}}")]
    text = text_of(meta.get(name)).strip(UNSEEN)
    tags = [f"{{{tag}}}" for tag in TAG.findall(text)]
    places = iter(range(len(tags)))
    text = TAG.sub(lambda _: f"tag{next(places)}x", " ".join(text.split()))

    def with_tags(part: str) -> str:
        return HIDDEN_TAG.sub(lambda match: tags[int(match[1])], part)

    header: Any = READ("To", "")
    try:
        header = READ("To", TAG_AS_ADDRESS.sub(r"\1@tag", text[:LONGEST_LIST]))
        boxes = [
            Mailbox(with_tags(x.display_name), with_tags(x.addr_spec)) for x in header.addresses
        ]
    except (ValueError, IndexError, RecursionError):
        boxes = []
    is_list = all(isinstance(defect, ObsoleteHeaderDefect) for defect in header.defects)
    is_list = is_list and not text.endswith(",")
    are_valid = all("{" in box.address or ADDRESS.fullmatch(box.address) for box in boxes)
    if not (is_list and are_valid and bool(boxes) == bool(text) and len(text) < LONGEST_LIST):
        message = NO_RECIPIENT if name == TO else NO_LIST.format(name)
        raise AddonError(message, retryable=False)
    sources = (f"in {box.address}" if "{" in box.address else box.address for box in boxes)
    return [box._replace(source=source) for box, source in zip(boxes, sources, strict=True)]


def read_settings(meta: JsonObject) -> tuple[dict[str, list[Mailbox]], dict[str, str]]:
    """Return the mailboxes of each setting, and why one cannot be read, which then has none.

    Raises `AddonError` for recipients to which nothing can be sent.
    """
    listed, problems = dict[str, list[Mailbox]](), dict[str, str]()
    for name in SETTINGS:
        try:
            listed[name] = mailboxes_of(meta, name)
        except AddonError as error:
            if name == TO:
                raise
            listed[name], problems[name] = [], str(error)
    if not 0 < len(listed[TO]) <= MOST_RECIPIENTS:
        raise AddonError(NO_RECIPIENT, retryable=False)
    if sum(len(listed[name]) for name in RECIPIENTS) > MOST_RECIPIENTS:
        raise AddonError(TOO_MANY, retryable=False)
    return listed, problems


def header_of(name: str, boxes: Iterable[Mailbox]) -> Header:
    """Return a header with mailboxes, whose names are one line each."""
    header, ending = Header(header_name=name), ""
    for box in boxes:
        if ending:
            header.append(ending)
        if box.name:
            header.append(f'"{quote(box.name)}"' if box.name.isascii() else box.name)
        ending = f"<{box.address}>," if box.name else f"{box.address},"
    header.append(ending.rstrip(","))
    return header
