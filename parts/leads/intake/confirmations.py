"""Confirmations after a submission: messages and redirects with merge tags such as `{Email:2}`."""

import re
from contextlib import suppress
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote_plus, urlsplit

from marshmallow import ValidationError

from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.form_html import clean_message
from landform.parts.leads.intake.logic import comparable
from landform.parts.leads.intake.merging import SiteTags, merge
from landform.parts.leads.intake.texts import THANKS, translatable
from landform.schemas.fields import LONGEST_TEXT
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import to_uri
from landform.service.planning import conditions
from landform.service.planning.entries import Entry

# A merge tag, or the `#` before a fragment.
TAG_OR_FRAGMENT = re.compile(r"\{[^{}]*\}|#")


class Confirmation(NamedTuple):
    """The response to a submission: a message, or a redirect to a URL or to a page by its id.

    `query` is added to the URL of the page. The message is shown if visitors do not see that; it is
    cleaned, whoever wrote it.
    """

    message_html: str = ""
    redirect_url: str = ""
    page: int = 0
    query: str = ""


def confirm(form: JsonObject, entry: JsonObject, site: SiteTags) -> Confirmation:
    """Return the first confirmation whose rules hold for an entry, or the default one."""
    active = [item for item in form["confirmations"].values() if item.get("isActive", True)]
    compared = Entry(comparable(form, entry), entry)
    conditional = (x for x in active if not x.get("isDefault") and _holds(x, compared))
    default = (item for item in active if item.get("isDefault"))
    chosen: JsonObject = next(chain(conditional, default), {})
    if chosen.get("type") == "redirect" and (url := _redirect_url(chosen, form, entry, site)):
        return Confirmation(redirect_url=url)
    message = str(chosen.get("message") or THANKS)
    text = merge(message, form, entry, site, keeps_unknown=True)
    if not chosen.get("disableAutoformat"):
        text = re.sub(r"\r?\n", "<br>\n", text)
    text = translatable(clean_message(text)) or THANKS
    page = f.id_of(chosen.get("pageId")) if chosen.get("type") == "page" else 0
    query = merge(str(chosen.get("queryString") or ""), form, entry, site, quote_plus)
    return Confirmation(text, page=page, query=_sendable(query))


def _holds(confirmation: JsonObject, entry: Entry) -> bool:
    """Return whether the rules of a confirmation hold; False if they compare too much."""
    with suppress(conditions.NotUnderstood, ValidationError):
        rules = conditions.parse_logic(confirmation.get("conditionalLogic"))
        return rules is None or conditions.is_met(rules, entry)
    return False


def dead_redirects(form: JsonObject) -> list[str]:
    """Return the names of the confirmations whose redirects lead nowhere."""
    redirects = [item for item in form["confirmations"].values() if item.get("type") == "redirect"]
    dead = [item for item in redirects if not leads_on(str(item.get("url") or ""))]
    return [str(item.get("name") or item["id"])[:100] for item in dead]


def leads_on(address: str) -> bool:
    """Return whether an address begins with `http` or `https` and a host without merge tags."""
    start = re.match(r"https?://[^/?#\\]+", address.strip())
    return bool(start) and "{" not in start[0] and "@" not in start[0]  # type: ignore[index]


def _redirect_url(
    confirmation: JsonObject, form: JsonObject, entry: JsonObject, site: SiteTags
) -> str:
    """Return the URL of a redirect; empty for one that is none, or whose host has a merge tag."""
    address, query = (str(confirmation.get(name) or "") for name in ("url", "queryString"))
    if not leads_on(address):
        return ""
    address = address.strip()
    found = (match.start() for match in TAG_OR_FRAGMENT.finditer(address) if match[0] == "#")
    end = next(found, len(address))
    address, fragment = address[:end], address[end:]
    if query:
        address += ("&" if "?" in address else "?") + query
    url = merge(address + fragment, form, entry, site, quote_plus)
    try:
        return _sendable(to_uri(url)) if urlsplit(url).hostname else ""
    except ValueError:
        return ""


def _sendable(url: str) -> str:
    """Return a URL, or a part of one, for a header; empty if it cannot be in one.

    Proxies answer long headers with an error, though the entry is stored.
    """
    is_sendable = url.isprintable() and len(url) <= LONGEST_TEXT
    return url.replace(" ", "%20") if is_sendable else ""
