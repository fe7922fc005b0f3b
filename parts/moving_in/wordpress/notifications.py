"""Convert the notifications of a form to inactive feeds of the add-on `email`."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from landform.parts.moving_in.wordpress.report import Note
from landform.service.planning import conditions
from landform.storage.rows import Row

# The ids of Gravity Forms have 24 bits, so no feed of a site ever has a higher one.
LAST_FEED_ID = 2**24 - 1
EVENT = "form_submission"
# What a feed cannot do, by the key of a notification.
LOST = {"from": "from", "enableAttachments": "attachments"}
# The settings of a feed, and their names in a note.
LABELS = {
    "toEmail": "to", "toField": "to the address in field", "cc": "cc", "bcc": "bcc",
    "replyTo": "reply to",
    "fromName": "from", "subject": "subject", "message": "message", "messageFormat": "as",
}  # fmt: skip
# A merge tag that stands for no field, and the names of those that are replaced here.
TAG = re.compile(r"\{([a-z_]+)(?::[^{}]*)?\}")
KNOWN_TAGS = (
    "all_fields entry_id entry_url entry ip embed_url source_url user_agent date_created "
    "date_updated date_mdy date_dmy form_title form_id admin_email payment_status payment_date "
    "payment_amount payment_method transaction_id"
).split()
HTML_TAG = re.compile("<[a-zA-Z/]")
SHOWN_CHARACTERS = 300


def read_notifications(form: Mapping[str, Any]) -> Iterator[tuple[int, Note, Row | None]]:
    """Yield a number for each notification, a note on it, and its feed as on a site.

    Notifications that are inactive, or sent at another event, have no feed.
    """
    found = form.get("notifications")
    found = found if isinstance(found, (dict, list)) else {}
    items = found.items() if isinstance(found, dict) else enumerate(found)
    for key, notification in items:
        if not isinstance(notification, dict):
            continue
        # The same one in each import; several forms may have notifications with the same id.
        identity = f"{form.get('id')}/{notification.get('id') or key}".encode(errors="replace")
        number = int.from_bytes(hashlib.sha256(identity).digest()[:6])
        name, event = _text(notification, "name") or str(key), _text(notification, "event")
        reason = f"is sent at the event {event}" if event not in ("", EVENT) else ""
        if notification.get("isActive", True) in (False, "0", ""):
            reason = "is not active"
        if reason:
            yield number, {"code": "notification-left-out", "text": f'"{name}" {reason}'}, None
            continue
        meta, text = _settings(notification)
        text = f'"{name}" is a feed here, inactive until you switch it on: {text}'
        feed = {
            "id": number, "form_id": form.get("id"), "is_active": "0", "addon_slug": "email",
            "meta": {"feedName": name, **meta},
        }  # fmt: skip
        yield number, {"code": "notification", "text": text}, feed


def _settings(notification: Row) -> tuple[Row, str]:
    """Return the meta of a feed, and a text about it and about what it cannot do."""
    keys: Row = {key: key for key in LABELS if key[:2] != "to"}
    lost = [name for key, name in LOST.items() if notification.get(key)]
    kind = notification.get("toType")
    if kind == "routing":
        lost.append(kind)
    else:
        key = "toField" if kind == "field" else "toEmail"
        keys[key] = key if notification.get(key) else "to"
    texts = {key: _text(notification, source) for key, source in keys.items()}
    meta: Row = {key: text for key, text in texts.items() if text}
    if HTML_TAG.search(texts["message"]):
        meta["messageFormat"] = "html"
    tags = TAG.finditer(" ".join(meta.values()))
    lost += dict.fromkeys(tag[0] for tag in tags if tag[1] not in KNOWN_TAGS)
    parts = [
        f"{label} {' '.join(meta[key].split())[:SHOWN_CHARACTERS]}"
        for key, label in LABELS.items() if key in meta
    ]  # fmt: skip
    if logic := notification.get("conditionalLogic"):
        meta[conditions.SWITCH], meta[conditions.LOGIC] = "1", {"conditionalLogic": logic}
        try:
            if condition := conditions.parse(meta):
                rules = logic["rules"]
                rules = rules.values() if isinstance(rules, dict) else rules
                shown = (f"{r['fieldId']} {r['operator']} {r.get('value') or ''}" for r in rules)
                parts.append(f"if {condition.logic} of {', '.join(shown)}"[:SHOWN_CHARACTERS])
                lost += [condition.problem] if condition.problem else []
        except conditions.NotUnderstood as error:
            # The feed keeps the condition, and never runs.
            lost.append(str(error))
    parts += [f"not carried over: {', '.join(lost)}"] if lost else []
    return meta, "; ".join(parts)


def _text(notification: Row, name: str) -> str:
    value = notification.get(name)
    return str(value) if isinstance(value, (str, int)) else ""
