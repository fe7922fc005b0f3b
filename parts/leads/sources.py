"""Where a form was sent from: the page that it names with hidden inputs, and the URL of that."""

from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit

from landform.parts.leads.errors import FormRestricted
from landform.parts.leads.intake.fields import id_of
from landform.schemas.fields import LONGEST_TEXT
from landform.service.pipeline.call import Call
from landform.service.pipeline.loading import SECRETS
from landform.service.site.catalogs import Texts
from landform.service.site.forms import MOST_FORMS
from landform.service.site.languages import page_languages
from landform.service.site.visits import Visibility, Visit, key_of, visit_of_form, with_query

# The inputs with which a form names its page, and opens one with a password.
PAGE, KEY = "landform_page", "landform_key"
# The input with which a form names the path and query of a page of the host; after a mistake in a
# form on a page of landform, the query of that page.
RETURN = "landform_return"
# The input of a form that is alone in a frame, with its language if it has one; the operation that
# shows it, and the parameter with the language.
EMBED, EMBED_OPERATION, LANGUAGE = "landform_embed", "embed_form", "lang"
# The input in which the script of a form writes a random value at each load of its page: the same
# one is a repetition. It is the same for all in HTML, so that pages stay cacheable.
ONCE = "landform_once"
# The input of the second form with an id in a page, and of further ones: 2, and so on.
NUMBER = "landform_number"
HIDDEN_INPUTS = (PAGE, KEY, RETURN, EMBED, ONCE, NUMBER)
# The parameter with which a page shows a confirmation.
SUBMITTED = "submitted"
# Parameters of a page that open it, or that show what was submitted.
NOT_STORED = (*SECRETS, "preview", SUBMITTED, KEY)


def page_of(call: Call) -> Visit | None:
    """Return the visit of the page that a submission names, if it names one.

    Raises `FormRestricted` for one that visitors do not see now.
    """
    sent = call.sent_body
    if not sent.get(PAGE):
        return None
    visited = visit_of_form(call, id_of(sent[PAGE]), str(sent.get(KEY) or ""))
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
        own_url = urljoin(call.incoming.url, host_path(call))
        url = urlsplit(with_query(visited.link, _sent_return(call)) if visited else own_url)
    pairs = [pair for pair in parse_qsl(url.query) if pair[0].lower() not in NOT_STORED]
    # The link of a page may have a query, which the sent one repeats.
    return url._replace(query=urlencode([*dict.fromkeys(pairs)]), fragment="")


def number_of(call: Call) -> int:
    """Return the number of the form that was sent among those with its id in the page."""
    return min(id_of(call.sent_body.get(NUMBER)), MOST_FORMS) or 1


def hidden_inputs(call: Call, visited: Visit | None, number: int = 1) -> dict[str, str]:
    """Return the hidden inputs with which a form names its page, and the one for a script."""
    if visited is None:
        path = host_path(call)
        language = "".join(_frame_languages(call))
        embed = {EMBED: language or "1"} if is_embedded(call) else {}
        return {ONCE: "", **embed, **({RETURN: path} if path else {})}
    inputs = {ONCE: "", PAGE: str(visited.page["id"])}
    if number > 1:
        inputs[NUMBER] = str(number)
    if visited.visibility == Visibility.UNLOCKED:
        inputs[KEY] = key_of(call, visited.page)
    if is_shown_again(call, visited) and (query := source_of(call, visited).query):
        inputs[RETURN] = query
    return inputs


def is_embedded(call: Call) -> bool:
    """Return whether a form is alone in a frame, or was sent from one."""
    return call.operation.name == EMBED_OPERATION or bool(call.sent_body.get(EMBED))


def texts_of(call: Call, visited: Visit | None) -> Texts:
    """Return the texts of landform in the language of the page of a form, or of its frame."""
    page, languages = (visited.page, []) if visited else (None, _frame_languages(call))
    texts: Texts = call.service.site.texts(page, languages)
    return texts


def _frame_languages(call: Call) -> list[str]:
    """Return the language that the address of a form alone names, or the form that was sent."""
    is_read = call.operation.is_read
    tag = dict(call.incoming.query_pairs).get(LANGUAGE) if is_read else call.sent_body.get(EMBED)
    return page_languages({"language": [tag]}) if is_embedded(call) else []


def is_shown_again(call: Call, visited: Visit | None) -> bool:
    """Return whether a page is shown after a form of it was sent; a preview by a POST is not."""
    is_preview = visited is not None and visited.visibility == Visibility.INSPECTED
    return not (call.operation.is_read or is_preview)


def host_path(call: Call) -> str:
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


def printable(text: str) -> str:
    """Return a text without characters that cannot be printed."""
    return "".join(letter for letter in text if letter.isprintable())
