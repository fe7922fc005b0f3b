"""Responses of the site: its templates and headers.

Templates and translations are read once, when the blueprint is made: a changed one needs a restart.
"""

import json
import logging
import traceback
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from flask import Request, Response
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, pass_context
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError
from jinja2.runtime import Context
from markupsafe import Markup

from landform.parts import all_parts
from landform.service.http.headers import to_response
from landform.service.options import Options
from landform.service.pipeline.errors import ApiError, internal_error
from landform.service.pipeline.reply import HTML, Finished
from landform.service.rendering.sanitizer import clean_content
from landform.service.site.brand import accent_colors
from landform.service.site.catalogs import Catalogs, Message, Texts
from landform.service.site.documents import describe_page
from landform.service.site.forms import Forms, trusted
from landform.service.site.languages import direction_of, page_languages
from landform.service.site.pictures import EMPTY_GALLERY
from landform.storage.rows import Row

log = logging.getLogger("landform")

TEMPLATES = Path(__file__).parent / "templates"
PRIVATE = "private, no-store"
# The referrer policies of a public page, of a protected one, and of one that a token or
# credentials have opened.
REFERRER = "strict-origin-when-cross-origin"
SAME_ORIGIN, NO_REFERRER = "same-origin", "no-referrer"
# What visitors read about errors, by code or status; messages of the API are in English.
TITLE = Message("This did not work")
ERRORS: Mapping[str | int, Message] = {
    "rest_preview_ended": Message("The preview has ended, or was revoked."),
    "rest_cross_site": Message("The form has to be sent from the page itself."),
    401: Message("Please sign in to see this page."),
    403: Message("You may not see this page."),
    413: Message("Too much was sent at once."),
    429: Message("There were too many attempts. Please wait a minute, and try again."),
    503: Message("The database cannot be used now. Please try again in a minute."),
    507: Message("There is no room left to write. Please try again later."),
}
OTHER = Message("Please go back, and try again.")
# The environment and digest of each folder of templates that a parent process has loaded, and the
# catalogs of each folder of translations.
preloaded: dict[str | None, tuple[Environment, str]] = {}
preloaded_catalogs: dict[str | None, Catalogs] = {}


class Site:
    """The templates, translations and settings of one site.

    Raises `ValueError` for bad templates and translations.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        folder = options.templates
        self._environment, digest = preloaded.get(folder) or load_templates(folder)
        own = options.translations
        self._catalogs = preloaded_catalogs.get(own) or Catalogs(own)
        self._names = frozenset(self._environment.list_templates())
        self._common = {
            "site": {
                "title": options.site_title,
                "description": options.site_description,
                "language": options.site_language,
                "direction": direction_of(options.site_language),
                "accent": accent_colors(options.site_accent),
                "logo": options.site_logo,
                "footer": trusted(clean_content(options.site_footer)),
            }
        }
        # A part of each ETag: the templates, translations and settings that pages depend on.
        settings = options.site_image or "", options.site_policy
        self.variant = _digest((digest, self._catalogs.files, self._common, *settings))

    def texts(self, page: Row | None = None, languages: Sequence[str] = ()) -> Texts:
        """Return the texts of landform in the language of a page, or in that of the site.

        `languages`: those of a document that is no page.
        """
        tags = page_languages(json.loads(page["meta"])) if page else languages
        return self._catalogs.texts([*tags, self.options.site_language])

    def page_html(self, page: Row, link: str, forms: Forms, preview: Row | None = None) -> bytes:
        """Render a page and its forms with `page-<slug>.html`, or else with `page.html`."""
        names = (f"page-{slug}.html" for slug in (unquote(page["slug"]), page["slug"]))
        template = next((name for name in names if name in self._names), "page.html")
        texts = self.texts(page)
        variables = describe_page(page, link, self.options, texts, forms)
        content = variables["content"]
        if variables["gallery"] and (place := EMPTY_GALLERY.search(content)):
            before, after = content[: place.end(1)], content[place.end(1) :]
            values = {"page": variables, "before": before}
            figures = self.render("gallery.html", values, texts).decode()
            variables["content"] = before + trusted(figures) + after
        return self.render(template, {"page": variables, "preview": preview}, texts)

    def closed_html(self, template: str, page: Row, link: str, **more: Any) -> bytes:
        """Render a page that is closed to the visitor, without its content."""
        hidden = {"content": Markup(), "description": "", "image": "", "meta": {}, "form_id": ""}
        texts = self.texts(page)
        variables = {**describe_page(page, link, self.options, texts), **hidden, "gallery": []}
        return self.render(template, {"page": variables, **more}, texts)

    def render(self, template: str, values: Mapping[str, Any], texts: Texts | None = None) -> bytes:
        """Render a template in UTF-8, by default with the texts of the site.

        Logs a failure and raises a 500.
        """
        texts = texts or self.texts()
        i18n = {"gettext": texts.gettext, "ngettext": texts.catalog.ngettext, "lang": texts.lang}
        try:
            loaded = self._environment.get_template(template)
            return loaded.render({**self._common, **i18n, **values}).encode()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename.endswith(".html")]
            reason = f"{type(error).__name__}: {error}" + (f" (line {lines[-1]})" if lines else "")
            log.error("The template %s cannot be rendered: %s", template, reason)
            raise internal_error() from None

    def error_page(self, error: ApiError) -> Finished:
        """Return the HTML page of an error; for a broken template, the 500 of the API."""
        name, values = "error.html", {"title": TITLE, "error": message_for_visitors(error)}
        if error.status == 404:
            name, values = "not_found.html", {}
        try:
            body = self.render(name, values)
        except ApiError as broken:
            return broken.finished()
        return Finished(body, error.status, error.headers, HTML)

    def finish(self, request: Request, finished: Finished) -> Response:
        """Return the response of a reply, with the headers of every response of the site."""
        response = to_response(request, finished)
        if finished.headers.get("Cache-Control") == PRIVATE:
            response.headers["Cache-Control"] = PRIVATE
        response.headers.setdefault("Referrer-Policy", REFERRER)
        if response.mimetype == "text/html" and response.status_code != 304:
            response.headers["Content-Security-Policy"] = self.options.site_policy
        return response


def message_for_visitors(error: ApiError) -> Message:
    """Return what visitors read about an error."""
    if isinstance(error.message, Message):
        return error.message
    return ERRORS.get(error.code) or ERRORS.get(error.status, OTHER)


def private_headers(referrer: str = SAME_ORIGIN) -> dict[str, str]:
    """Return the headers of a page that is not public."""
    return {
        "Cache-Control": PRIVATE,
        "Referrer-Policy": referrer,
        "X-Robots-Tag": "noindex, nofollow",
    }


def load_templates(folder: str | None) -> tuple[Environment, str]:
    """Return the templates of a folder, with the defaults and those of parts, and their digest.

    Raises `ValueError` for a template that cannot be read or compiled.
    """
    if folder and not Path(folder).is_dir():
        raise ValueError("templates must be a folder that is there")
    of_parts = [part.templates for part in all_parts().values() if part.templates]
    defaults = FileSystemLoader([TEMPLATES, *of_parts])
    # With the prefix a template can extend the default that it replaces.
    loader = ChoiceLoader(
        [FileSystemLoader(folder or TEMPLATES), defaults, PrefixLoader({"landform": defaults})]
    )
    environment = Environment(
        loader=loader,
        autoescape=True,
        auto_reload=False,
        cache_size=-1,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=_written,
    )
    sources = []
    for name in environment.list_templates(["html", "css"]):
        try:
            sources.append((name, loader.get_source(environment, name)[0]))
            # The defaults are compiled when they are first needed.
            if folder and not name.startswith("landform/"):
                environment.get_template(name)
        except TemplateNotFound:
            # A broken link, such as the lock of an editor.
            continue
        except TemplateSyntaxError as error:
            raise ValueError(f"templates: {name}, line {error.lineno}: {error.message}") from None
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise ValueError(f"templates: {name} cannot be read: {reason}") from None
    return environment, _digest(sources)


@pass_context
def _written(context: Context, value: object) -> object:
    """Return a value as templates write it: a message of landform in the language of the page."""
    return context["gettext"](value) if isinstance(value, Message) else value


def _digest(value: object) -> str:
    text = repr(value).encode(errors="surrogatepass")
    return blake2b(text, digest_size=9).hexdigest()
