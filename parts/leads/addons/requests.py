"""The add-ons that send an HTTP request: `gravityformswebhooks` and `gravityformsslack`."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from landform.parts.http_client import FINAL, send
from landform.parts.leads.addons import AddonError
from landform.parts.leads.intake.merging import SiteTags, merge
from landform.service.pipeline.json_codec import JsonObject, dumps
from landform.service.planning.entries import text_of

# A function of a text, and of how values are encoded in it, that replaces its merge tags.
Fill = Callable[..., str]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# Merge tags may stand after the host only: no visitor decides where an entry is sent to.
FIXED_HOST = re.compile(r"https?://[^/?#{}\\]+(?:[/?#].*)?", re.IGNORECASE | re.DOTALL)
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Headers that the request has anyway.
RESERVED = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
PRINTABLE = "".join(map(chr, range(32, 127)))
KEY_HEADER, CUSTOM = "Idempotency-Key", "gf_custom"
NO_URL = "The feed has no http or https URL whose host is fixed."
OTHER_PATH = "The URL of the feed has a part . or .., maybe by a value of the entry."
LONGEST_SLACK = 4000


def run_webhook(
    meta: JsonObject,
    entry: JsonObject,
    form: JsonObject,
    run_key: str,
    *,
    private: bool,
    site: SiteTags,
) -> None:
    """Send an entry, or chosen values of it, to a URL: add-on `gravityformswebhooks`.

    `private`: whether to addresses that are not public too.
    """
    fill = partial(merge, form=form, entry=entry, site=site)
    method, template = request_target(meta)
    is_json, data = meta.get("requestFormat") != "form", entry
    if meta.get("requestBodyType") == "select_fields":
        data = dict(_mapped(meta.get("fieldValues"), entry, fill))
    kind = "application/json" if is_json else "application/x-www-form-urlencoded"
    url, headers = _merged_url(template, fill), _headers(meta, entry, fill)
    encoded = urlencode({name: text_of(value) for name, value in data.items()})
    body = dumps(data) if is_json else encoded.encode()
    if method == "GET":
        address, body = url.partition("#")[0], b""
        url = f"{address}{'&' if '?' in address else '?'}{encoded}"
    else:
        headers = {"Content-Type": kind, **headers}
    _request(url, {**headers, KEY_HEADER: run_key}, body, private, method)


def run_slack(
    meta: JsonObject,
    entry: JsonObject,
    form: JsonObject,
    run_key: str,
    *,
    private: bool,
    site: SiteTags,
) -> None:
    """Send a message to an incoming webhook of Slack: add-on `gravityformsslack`."""
    fill = partial(merge, form=form, entry=entry, site=site)
    template = str(meta.get("message") or "{form_title}\n{all_fields}")
    # Slack reads `<!channel>` as a mention; the template may have one, a value not.
    text = fill(template, encode=lambda value: escape(value, quote=False))
    body = dumps({"text": text[:LONGEST_SLACK], "unfurl_links": False})
    url = _merged_url(slack_url(meta), fill)
    headers = {"Content-Type": "application/json", KEY_HEADER: run_key}
    _request(url, headers, body, private)


def _request(
    url: str, headers: Mapping[str, str], body: bytes, private: bool, method: str = "POST"
) -> None:
    """Send a request; raises `AddonError` unless it is accepted.

    The text of a response is not repeated: it may have values that were sent.
    """
    sent = {"User-Agent": "landform", **headers}
    result = send(url, sent, body, private, method=method)
    if not result.status:
        raise AddonError(f"No answer: {result.text}", retryable=result.can_be_sent)
    if not result.is_accepted:
        message, is_final = f"The receiver answered {result.status}.", result.status in FINAL
        raise AddonError(
            message, retryable=not is_final, retry_after=result.retry_after, status=result.status
        )


def request_target(meta: JsonObject) -> tuple[str, str]:
    """Return the method and the URL, with merge tags, of a feed; raises `AddonError`."""
    method = str(meta.get("requestMethod") or "POST").upper()
    if method not in METHODS:
        raise AddonError("The method of the feed is unknown.", retryable=False)
    return method, _checked_url(meta.get("requestURL"))


def slack_url(meta: JsonObject) -> str:
    """Return the URL of a feed for Slack, with merge tags; raises `AddonError`."""
    return _checked_url(meta.get("webhookURL"))


def _checked_url(template: Any) -> str:
    """Return the URL of a feed, with merge tags; raises `AddonError` if its host is not fixed."""
    if not isinstance(template, str) or not FIXED_HOST.fullmatch(template.strip()):
        raise AddonError(NO_URL, retryable=False)
    return template.strip()


def _merged_url(template: str, fill: Fill) -> str:
    """Return the URL of a feed, with merge tags replaced and encoded.

    Raises `AddonError` for one in which a value leads to another path, such as `/a/../b`.
    """
    url = fill(template, encode=lambda value: quote(value, safe=""))
    path = re.split("[?#]", url)[0]
    if any(segment in (".", "..") for segment in path.split("/")):
        raise AddonError(OTHER_PATH, retryable=False)
    return url


def _headers(meta: JsonObject, entry: JsonObject, fill: Fill) -> dict[str, str]:
    """Return the headers that a feed adds, with other characters than ASCII percent-encoded."""
    headers = {}
    for name, value in _mapped(meta.get("requestHeaders"), entry, fill):
        if not HEADER_NAME.fullmatch(name):
            raise AddonError("The feed has a header without a valid name.", retryable=False)
        if name.lower() not in {*RESERVED, KEY_HEADER.lower()}:
            headers[name] = quote(value, safe=PRINTABLE)
    return headers


def _mapped(rows: Any, entry: JsonObject, fill: Fill) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a map of fields, as Gravity Forms stores it.

    Each row has `key`, or `custom_key` where that is `gf_custom`; and `value`, the id of a field or
    a property of the entry, or `custom_value`, which may have merge tags.
    """
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        key, value = text_of(row.get("key")), text_of(row.get("value"))
        name = text_of(row.get("custom_key")) if key == CUSTOM else key
        if not name:
            continue
        if value == CUSTOM:
            yield name, fill(text_of(row.get("custom_value")), encode=str)
        else:
            # A field with several inputs is no key of an entry.
            tag = f"{{:{value}:value}}"
            yield name, text_of(entry[value]) if value in entry else fill(tag, encode=str)
