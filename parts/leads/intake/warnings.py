"""What a form asks for and landform does not do: a write of the form warns of it.

With some of it the form is neither shown nor submitted. docs/parts/leads.md has the same list.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from landform.parts.leads.intake import fields as f
from landform.parts.leads.intake.confirmations import dead_redirects
from landform.parts.leads.intake.form_html import NAME, clean_form, clean_texts, own_texts
from landform.parts.leads.intake.logic import logic_of
from landform.parts.leads.intake.merging import TAG, SiteTags, tags_problem
from landform.parts.leads.opening import limit_of, schedule_of
from landform.service.pipeline.json_codec import JsonObject
from landform.service.planning.conditions import NotUnderstood
from landform.service.planning.entries import text_of
from landform.service.rendering.content import removed_markup

NO_ADDRESS = (
    "The message is shown instead of a redirect, whose address must begin with https:// or http:// "
    "and a host without merge tags: {}."
)
NOT_SENT = "Notifications are not sent: {}. A feed of the add-on email does it."
# Settings of a form, by their keys from the outer one on, and what does not happen.
FORM_SETTINGS = {
    ("save", "enabled"): "visitors cannot save it and go on later",
    ("personalData", "retention", "policy"): "entries are kept as retention_days says",
    ("personalData", "exportingAndErasing", "enabled"): "POST /entries/erase erases a person",
}
# Settings of a field.
FIELD_SETTINGS = {
    "enableCalculation": "is not calculated",
    "inputMask": "has no input mask",
    "enablePasswordInput": "shows what is typed",
    "useRichTextEditor": "is edited as plain text",
    "enableSelectAll": "has no box for all choices",
    "enablePrice": "has choices without prices",
}
# Values of settings that ask for nothing.
NOT_ASKED: tuple[Any, ...] = (*f.OFF, "retain", [], {})
# The parts of a confirmation with merge tags.
MERGED = ("message", "url", "queryString")


def problems_of(form: JsonObject) -> list[str]:
    """Return why a form cannot be shown and submitted; empty if it can."""
    problems = [
        f"field {field['id']} has the type {str(field['type'])[:40]!r}"
        for field in form["fields"]
        if field["type"] not in f.SUPPORTED_TYPES
    ]
    if form.get("requireLogin") not in f.OFF:
        problems.append("it requires a login")
    for read in (logic_of, limit_of, schedule_of):
        try:
            read(form)
        except ValueError as error:
            problems.append(str(error))
    if refused := clean_form(form).problem:
        problems.append(f"its {refused.rstrip('.')}")
    return problems


def warnings_of(form: JsonObject, site: SiteTags) -> str:
    """Return what visitors and admins would not get of a form, on one line; else empty."""
    texts = list[str]()
    if problems := problems_of(form):
        texts.append(f"This form cannot be shown or submitted: {'; '.join(problems)}."[:500])
    if dead := dead_redirects(form):
        texts.append(NO_ADDRESS.format(", ".join(dead)[:300]))
    if names := list(_notifications(form.get("notifications"))):
        texts.append(NOT_SENT.format(", ".join(names)[:300]))
    if not_done := [*_not_done(form), *_blank_rules(form)]:
        texts.append(f"Not carried out: {'; '.join(not_done)}."[:500])
    confirmations = [*form["confirmations"].values()]
    merged = (text_of(item.get(name)) for item in confirmations for name in MERGED)
    texts += tags_problem(merged, form, site)
    html = clean_texts([*own_texts(form), *form["fields"]]).html
    html = {**html, **clean_texts(confirmations).html}
    removed = {part for text in html for part in removed_markup(NAME, text, html[text])}
    if removed:
        texts.append(f"Left out of the HTML: {', '.join(sorted(removed)[:20])}.")
    return " ".join(" ".join(texts).split())


def _notifications(notifications: Any) -> Iterator[str]:
    """Yield the names of the notifications of a form that Gravity Forms would send."""
    items = notifications.values() if isinstance(notifications, dict) else notifications
    for item in items if isinstance(notifications, (dict, list)) else ():
        if isinstance(item, dict) and item.get("isActive", True) not in NOT_ASKED:
            yield text_of(item.get("name") or item.get("id"))[:100]


def _not_done(form: JsonObject) -> Iterator[str]:
    """Yield what else does not happen, of which visitors may not notice anything."""
    for path, text in FORM_SETTINGS.items():
        value: Any = form
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value not in NOT_ASKED:
            yield text
    for field in form["fields"]:
        for key, text in FIELD_SETTINGS.items():
            if field.get(key) not in NOT_ASKED:
                yield f"field {field['id']} {text}"
        if TAG.search(text_of(field.get("defaultValue"))):
            yield f"field {field['id']} begins with a merge tag as it is"


def _blank_rules(form: JsonObject) -> Iterator[str]:
    """Yield the rules about fields that a form lacks."""
    known = {*f.input_ids(form), *(str(field["id"]) for field in form["fields"])}
    with suppress(NotUnderstood):
        rules = [rule for item in logic_of(form) if item.condition for rule in item.condition.rules]
        for source in sorted({rule.source for rule in rules} - known):
            yield f"rules about field {source[:50]}, which is not there, compare with a blank"
