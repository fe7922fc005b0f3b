"""The form on a page, and the response to a visitor who sends it. Needs no script."""

import hmac
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from landform.parts import seals
from landform.parts.errors import PartError
from landform.parts.leads import sources
from landform.parts.leads.errors import (
    EntryNotFound,
    FormClosed,
    FormNotSendable,
    FormRestricted,
    NoFields,
    TooManySubmissions,
)
from landform.parts.leads.intake.confirmations import Confirmation, confirm
from landform.parts.leads.intake.fields import honeypot_name, id_of, input_ids, typed_values
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.form_view import (
    css_of,
    field_views,
    first_values,
    prose,
    with_lists,
)
from landform.parts.leads.intake.logic import script_logic
from landform.parts.leads.intake.merging import ENTRY_TAGS
from landform.parts.leads.intake.texts import translatable
from landform.parts.leads.opening import ALWAYS_OPEN, find_opening
from landform.parts.leads.options import LeadsOptions
from landform.parts.leads.sources import SUBMITTED
from landform.parts.leads.storage import entries
from landform.parts.leads.submitting import Outcome, open_form, sent_values, submit, tags_of
from landform.parts.part import PageForm
from landform.service.pages.previews import now
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError, from_known
from landform.service.pipeline.json_codec import JsonObject
from landform.service.pipeline.reply import Reply
from landform.service.planning.entries import text_of
from landform.service.site import visits
from landform.service.site.catalogs import Message
from landform.service.site.forms import show_forms
from landform.service.site.languages import direction_of
from landform.service.site.responses import message_for_visitors
from landform.storage.rows import json_text

# The cookie that lets a confirmation have values.
COOKIE = "landform_submitted"
DONE_SECONDS = 60 * 60
# Who may show a form in a frame by default.
NOBODY = "'none'"
CHECK = Message("Please check what you entered. Nothing was sent yet.")
CLOSED = Message("This form cannot be submitted here, or not at this time.")
# What visitors read about errors; messages of the API are in English.
PROBLEMS: Mapping[str | type[Exception], Message] = {
    FormNotSendable: Message("The form cannot be sent with these answers."),
    **dict.fromkeys((FormClosed.code, FormRestricted.code, NoFields.code), CLOSED),
    TooManySubmissions.code: Message(
        "Too many submissions came from this IP address. Please wait a minute."
    ),
    "rest_body_too_large": Message("This is too much text. Please shorten it, and try again."),
}


def page_form(
    call: Call,
    form_id: str,
    visited: visits.Visit | None,
    *,
    number: int = 1,
    field_values: str = "",
) -> PageForm | None:
    """Return a form as a visitor sees it in a page; None if it cannot be submitted.

    `number`: 2 for the second form with this id. `field_values`: a query, which that of the page
    overrides.
    """
    with suppress(PartError):
        form = open_form(call, id_of(form_id))
        pairs = call.incoming.query_pairs
        if sources.is_shown_again(call, visited):
            pairs = parse_qsl(sources.source_of(call, visited).query)
        token = dict(pairs).get(SUBMITTED, "")
        confirmed = _confirmation_html(call, form, visited, number, token)
        values = first_values(form, with_lists(parse_qsl(field_values)) | with_lists(pairs))
        return _form_view(call, form, visited, values, number=number, confirmed=confirmed)
    return None


def embedded(
    call: Call, view: PageForm | None, problem: ApiError | None = None, target: str = ""
) -> Reply:
    """Return the document of a form alone, for a frame in a page of another site.

    `target`: the URL that this page is led to.
    """
    status = problem.status if problem else 200 if view else 404
    values = {**(view.values if view else {"form": None}), "target": target}
    texts = sources.texts_of(call, None)
    language, direction = texts.document, direction_of(texts.document)
    origins = call.part(LeadsOptions).embed_origins
    values |= {"origins": origins, "language": language, "direction": direction}
    html = call.service.site.render("embed.html", values, texts)
    directives = [part.strip() for part in call.options.site_policy.split(";")]
    kept = [part for part in directives if not part.lower().startswith("frame-ancestors")]
    ancestors = f"frame-ancestors {' '.join(origins) or NOBODY}"
    headers = {"Content-Security-Policy": "; ".join([*kept, ancestors])}
    problem_headers = problem.headers if problem else {}
    return visits.private_document(call, html, status, {**headers, **problem_headers})


def answer(call: Call, form_id: int) -> Reply:
    """Store what a visitor sent with a browser, and return the response.

    Errors are shown with the form, those of the database too.
    """
    visited, messages = None, dict[str, str]()
    try:
        with call.store.connection():
            visited = sources.page_of(call)
            outcome = submit(call, form_id, visited)
        if outcome.confirmation:
            return _follow(call, visited, outcome, outcome.confirmation)
        messages, problem = {**outcome.messages}, ApiError(422, "", CHECK)
    except Exception as error:
        known = from_known(error)
        if known is None:
            raise
        problem = known
        other = CHECK if known.status < 500 else message_for_visitors(known)
        problem.message = PROBLEMS.get(type(error)) or PROBLEMS.get(known.code, other)
    is_embedded = sources.is_embedded(call)
    try:
        form = open_form(call, form_id)
    except PartError:
        if is_embedded:
            return embedded(call, None, problem)
        raise problem from None
    typed = typed_values(form, sent_values(call, form))
    number, message = sources.number_of(call), problem.message
    view = _form_view(call, form, visited, typed, number=number, messages=messages, problem=message)
    if is_embedded:
        return embedded(call, view, problem)
    return _document(call, visited, view, problem)


def confirmation_url(call: Call, confirmation: Confirmation) -> str:
    """Return the URL that a confirmation leads to; empty for a message.

    A page that visitors do not see has none.
    """
    if not confirmation.page:
        return confirmation.redirect_url
    visited = visits.visit_of_form(call, confirmation.page)
    return visits.with_query(visited.link, confirmation.query) if visited else ""


def _follow(
    call: Call, visited: visits.Visit | None, outcome: Outcome, confirmation: Confirmation
) -> Reply:
    """Return the response for a stored entry: a redirect, to its page by default."""
    form_id, entry_id = int(outcome.entry["form_id"]), int(outcome.entry["id"])
    if url := confirmation_url(call, confirmation):
        url = visits.location_of(call, url) if confirmation.page else url
        if sources.is_embedded(call):
            form = open_form(call, form_id)
            target = urljoin(call.incoming.url, url)
            return embedded(call, _form_view(call, form, None, {}), target=target)
        return visits.html_reply(b"", {"Location": url}, 303)
    link = visited.link if visited else sources.host_path(call)
    if not link or sources.is_embedded(call):
        # Without a cookie: only this response has the values.
        form = open_form(call, form_id)
        view = _form_view(call, form, None, {}, confirmed=confirmation.message_html)
        return embedded(call, view) if link else _document(call, None, view)
    until = now(call.store) + DONE_SECONDS
    token = seals.seal(call.store, SUBMITTED, form_id, entry_id, until, sources.number_of(call))
    proof = _proof_of(call, token, outcome.entry)
    headers = {
        "Location": visits.location_of(call, link, f"{SUBMITTED}={token}"),
        "Set-Cookie": visits.make_cookie(call, COOKIE, proof, DONE_SECONDS, urlsplit(link).path),
    }
    return visits.html_reply(b"", headers, 303)


def _confirmation_html(
    call: Call, form: JsonObject, visited: visits.Visit | None, number: int, token: str
) -> str | None:
    """Return the confirmation that a token shows for an hour; None for another form's or none.

    `number`: of the form among those with its id in the page.

    Only the browser that sent the entry has the cookie, without which there are no values; so there
    are none of an entry that was edited since.
    """
    numbers = seals.unseal(call.store, SUBMITTED, token) if token else None
    if not numbers or numbers[0] != form["id"] or numbers[2] <= now(call.store):
        return None
    # Tokens of earlier versions have no number.
    if [number] != (numbers[3:] or [1]):
        return None
    entry = dict.fromkeys((*input_ids(form), *ENTRY_TAGS.values()), "")
    with suppress(EntryNotFound):
        stored = entries.get_entry(call.store, numbers[1])
        proof = _proof_of(call, token, stored)
        if hmac.compare_digest(visits.sent_cookie(call, COOKIE).encode(), proof.encode()):
            entry = stored
    return confirm(form, entry, tags_of(call, visited)).message_html


def _proof_of(call: Call, token: str, entry: Mapping[str, Any]) -> str:
    """Return the value of the cookie that shows the values of an entry with its token."""
    shown = [
        (name, text)
        for name, text in sorted(entry.items())
        if text and (name[:1].isdecimal() or name in ENTRY_TAGS.values())
    ]
    return seals.proof(call.store, SUBMITTED, json_text([token, shown]))


def _document(
    call: Call, visited: visits.Visit | None, view: PageForm, problem: ApiError | None = None
) -> Reply:
    """Return the page of a form, or a document with the form alone where no page is open."""
    status, headers = (problem.status, problem.headers) if problem else (200, {})
    if visited and visited.visibility != visits.Visibility.LOCKED:
        forms = show_forms(
            call, visited, {(str(view.values["form"]["id"]), sources.number_of(call)): view}
        )
        html = call.service.site.page_html(visited.page, visited.link, forms)
    elif visited:
        page, link = visited.page, visited.link
        html = call.service.site.closed_html("submission.html", page, link, **view.values)
    else:
        html = call.service.site.render("submission.html", view.values)
    return visits.private_document(call, html, status, headers)


def _form_view(
    call: Call,
    form: JsonObject,
    visited: visits.Visit | None,
    values: Mapping[str, str],
    *,
    number: int = 1,
    messages: Mapping[str, str] | None = None,
    problem: str = "",
    confirmed: str | None = None,
) -> PageForm:
    """Return a form with values by the ids of inputs, or its confirmation: HTML in `confirmed`."""
    fields = field_views(form, values, messages or {}, number)
    is_preview = visited is not None and visited.visibility == visits.Visibility.INSPECTED
    opening = find_opening(call.store, form) if confirmed is None else ALWAYS_OPEN
    variables = {
        "form": form,
        "notice": opening.notice,
        "is_embedded": sources.is_embedded(call),
        "logic": script_logic(form),
        "fields": fields,
        "action": f"{urlsplit(call.public_url).path.rstrip('/')}/forms/{form['id']}/submissions",
        "id": f"form_{form['id']}" + (f"n{number}" if number > 1 else ""),
        "css": css_of(form),
        "description": prose(text_of(form.get("description")), clean_form(form).html),
        "context": sources.hidden_inputs(call, visited, number),
        "honeypot": honeypot_name(form),
        "button": translatable(str((form.get("button") or {}).get("text") or "Submit")),
        "problem": problem,
        "wrong": [field for field in fields if field["error"]],
        "done": confirmed,
        "is_preview": is_preview,
        # The frame in which the console shows a preview runs no scripts.
        "has_scripts": call.operation.is_read or not is_preview,
    }
    is_private = confirmed is not None or bool(problem)
    return PageForm(
        "form.html", "form.css", variables, is_private, bool(problem), until=opening.until
    )
