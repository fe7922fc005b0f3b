"""The form on a page, and the response to a visitor who sends it. Needs no script."""

import hmac
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit

from landform.parts.leads.errors import EntryNotFound, FormRestricted
from landform.parts.leads.intake.confirmations import ENTRY_TAGS, THANKS, Confirmation, confirm
from landform.parts.leads.intake.fields import PREFIX, JsonObject, honeypot_name, input_ids
from landform.parts.leads.intake.form_view import clean, field_views, first_values
from landform.parts.leads.storage import entries
from landform.parts.leads.submissions import Outcome, open_form
from landform.schemas.fields import LONGEST_TEXT
from landform.service.call import Call
from landform.service.errors import ApiError, from_known
from landform.service.loading import SECRETS
from landform.service.previews import now
from landform.service.reply import Reply
from landform.service.site.forms import show_forms
from landform.service.site.pages import (
    Visibility,
    Visit,
    html_reply,
    key_of,
    location_of,
    make_cookie,
    private_document,
    sent_cookie,
    visit_of_form,
    with_query,
)
from landform.storage import signatures
from landform.storage.errors import PartError
from landform.storage.part import PageForm

# The inputs with which a form names its page, and opens one with a password.
PAGE, KEY = "landform_page", "landform_key"
# The input with which a form names the path and query of a page of the host; after a mistake in a
# form on a page of landform, the query of that page.
RETURN = "landform_return"
# The parameter with which a page shows a confirmation, and the cookie that lets it have values.
SUBMITTED, COOKIE = "submitted", "landform_submitted"
DONE_SECONDS = 60 * 60
# Parameters of a page that open it, or that show what was submitted.
NOT_STORED = (*SECRETS, "preview", SUBMITTED, KEY)
CHECK = "Please check what you entered. Nothing was sent yet."


def page_form(call: Call, form_id: str, visited: Visit | None) -> PageForm | None:
    """Return a form as a visitor sees it in a page; None if it cannot be submitted."""
    with suppress(PartError):
        form = open_form(call.store, _number(form_id))
        query = dict(call.incoming.query_pairs)
        if _is_shown_again(call, visited):
            query = dict(parse_qsl(source_of(call, visited).query))
        confirmed = _confirmation_html(call, form, query.get(SUBMITTED, ""))
        return _form_view(call, form, visited, first_values(form, query), confirmed=confirmed)
    return None


def page_of(call: Call) -> Visit | None:
    """Return the visit of the page that a submission names, if it names one.

    Raises `FormRestricted` for one that visitors do not see now.
    """
    sent = call.sent_body
    if not sent.get(PAGE):
        return None
    visited = visit_of_form(call, _number(sent[PAGE]), str(sent.get(KEY) or ""))
    if visited is None:
        raise FormRestricted
    return visited


def source_of(call: Call, visited: Visit | None) -> SplitResult:
    """Return the URL of the page from which a form was sent, without secrets in its query.

    It is the `Referer`, if that is a page of this site, or the page that the form names.
    """
    try:
        url = urlsplit(printable(call.incoming.headers.get("Referer", "")))
    except ValueError:
        url = urlsplit("")
    is_here = url.netloc == urlsplit(call.root_url).netloc and url.scheme in ("http", "https")
    # A form with messages is sent from the submission's URL.
    if not is_here or url.path.endswith(urlsplit(call.incoming.url).path):
        url = urlsplit(_named_url(call, visited))
    pairs = [pair for pair in parse_qsl(url.query) if pair[0].lower() not in NOT_STORED]
    # The link of a page may have a query, which the sent one repeats.
    return url._replace(query=urlencode([*dict.fromkeys(pairs)]), fragment="")


def _named_url(call: Call, visited: Visit | None) -> str:
    """Return the URL of the page that a form names, or the submission's URL if it names none."""
    if visited:
        return with_query(visited.link, _sent_return(call))
    return urljoin(call.incoming.url, _host_path(call))


def printable(text: str) -> str:
    """Return a text without characters that cannot be printed."""
    return "".join(letter for letter in text if letter.isprintable())


def answer(call: Call, form_id: int, submit: Callable[[Visit | None], Outcome]) -> Reply:
    """Return the response to a visitor who sent a form with a browser.

    `submit` stores the submission from a page, or from none of landform; its errors are shown with
    the form, those of the database too.
    """
    visited, messages = None, dict[str, str]()
    try:
        with call.store.connection():
            visited = page_of(call)
            outcome = submit(visited)
        if outcome.confirmation:
            return _follow(call, form_id, visited, outcome)
        messages, problem = {**outcome.messages}, ApiError(422, "", CHECK)
    except Exception as error:
        known = from_known(error)
        if known is None:
            raise
        problem = known
    try:
        form = open_form(call.store, form_id)
    except PartError:
        raise problem from None
    typed = {
        name.removeprefix(PREFIX).replace("_", "."): value
        for name, value in call.sent_body.items()
        if isinstance(value, str)
    }
    view = _form_view(call, form, visited, typed, messages=messages, problem=problem.message)
    return _document(call, visited, view, problem)


def confirmation_url(call: Call, confirmation: Confirmation) -> str:
    """Return the URL that a confirmation leads to; empty for a message.

    A page that visitors do not see has none.
    """
    if not confirmation.page:
        return confirmation.redirect_url
    visited = visit_of_form(call, confirmation.page)
    return with_query(visited.link, confirmation.query) if visited else ""


def _follow(call: Call, form_id: int, visited: Visit | None, outcome: Outcome) -> Reply:
    """Return the response for a stored entry: a redirect, to its page by default."""
    confirmation = outcome.confirmation or Confirmation()
    if url := confirmation_url(call, confirmation):
        url = location_of(call, url) if confirmation.page else url
        return html_reply(b"", {"Location": url}, 303)
    link = visited.link if visited else _host_path(call)
    if not link:
        form = open_form(call.store, form_id)
        confirmed = clean(confirmation.message_html or escape(THANKS))
        return _document(call, None, _form_view(call, form, None, {}, confirmed=confirmed))
    until = now(call.store) + DONE_SECONDS
    token = signatures.seal(call.store, SUBMITTED, form_id, outcome.entry_id, until)
    proof = signatures.proof(call.store, SUBMITTED, token)
    headers = {
        "Location": location_of(call, link, f"{SUBMITTED}={token}"),
        "Set-Cookie": make_cookie(call, COOKIE, proof, DONE_SECONDS, urlsplit(link).path),
    }
    return html_reply(b"", headers, 303)


def _confirmation_html(call: Call, form: JsonObject, token: str) -> str | None:
    """Return the confirmation that a token shows for an hour; None for another form's or none.

    Only the browser that sent the entry has the cookie, without which there are no values.
    """
    numbers = signatures.unseal(call.store, SUBMITTED, token) if token else None
    if not numbers or numbers[0] != form["id"] or numbers[2] <= now(call.store):
        return None
    entry = dict.fromkeys((*input_ids(form), *ENTRY_TAGS.values()), "")
    proof = signatures.proof(call.store, SUBMITTED, token)
    if hmac.compare_digest(sent_cookie(call, COOKIE).encode(), proof.encode()):
        with suppress(EntryNotFound):
            entry = entries.get_entry(call.store, numbers[1])
    return clean(confirm(form, entry).message_html or escape(THANKS))


def _document(
    call: Call, visited: Visit | None, view: PageForm, problem: ApiError | None = None
) -> Reply:
    """Return the page of a form, or a document with the form alone where no page is open."""
    status, headers = (problem.status, problem.headers) if problem else (200, {})
    if visited and visited.visibility != Visibility.LOCKED:
        forms = show_forms(call, visited, {str(view.values["form"]["id"]): view})
        html = call.service.site.page_html(visited.page, visited.link, forms)
    else:
        html = call.service.site.render("submission.html", view.values)
    return private_document(call, html, status, headers)


def _form_view(
    call: Call,
    form: JsonObject,
    visited: Visit | None,
    values: Mapping[str, str],
    *,
    messages: Mapping[str, str] | None = None,
    problem: str = "",
    confirmed: str | None = None,
) -> PageForm:
    """Return a form with values by the ids of inputs, or its confirmation: HTML in `confirmed`."""
    fields = field_views(form, values, messages or {})
    variables = {
        "form": form,
        "fields": fields,
        "action": f"{urlsplit(call.public_url).path.rstrip('/')}/forms/{form['id']}/submissions",
        "context": _context(call, visited),
        "honeypot": honeypot_name(form),
        "button": str((form.get("button") or {}).get("text") or "Submit"),
        "problem": problem,
        "wrong": [field for field in fields if field["error"]],
        "done": confirmed,
        "is_preview": visited is not None and visited.visibility == Visibility.INSPECTED,
    }
    return PageForm("form.html", "form.css", variables, confirmed is not None or bool(problem))


def _context(call: Call, visited: Visit | None) -> dict[str, str]:
    """Return the hidden inputs with which a form names its page."""
    if visited is None:
        path = _host_path(call)
        return {RETURN: path} if path else {}
    context = {PAGE: str(visited.page["id"])}
    if visited.visibility == Visibility.UNLOCKED:
        context[KEY] = key_of(call, visited.page)
    if _is_shown_again(call, visited) and (query := source_of(call, visited).query):
        context[RETURN] = query
    return context


def _is_shown_again(call: Call, visited: Visit | None) -> bool:
    """Return whether a page is shown after a form of it was sent; a preview by a POST is not."""
    is_preview = visited is not None and visited.visibility == Visibility.INSPECTED
    return not (call.operation.is_read or is_preview)


def _host_path(call: Call) -> str:
    """Return the path and query of the host's page that shows the form, or that was sent.

    Empty where that is no path of this site.
    """
    if call.operation.is_read:
        path, query = urlsplit(call.incoming.url).path, call.query_without(SUBMITTED)
        return f"{path}?{query}" if query else path
    text = _sent_return(call)
    is_local = text.startswith("/") and "//" not in text.partition("?")[0] and "\\" not in text
    return text if is_local else ""


def _sent_return(call: Call) -> str:
    """Return what a form names with `landform_return`; empty for what cannot be in a URL."""
    text = str(call.sent_body.get(RETURN) or "")
    return text if text.isprintable() and len(text) <= LONGEST_TEXT else ""


def _number(value: object) -> int:
    """Return an id that was sent as a number; 0 for other texts."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
