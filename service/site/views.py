"""The Flask views of the site."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from flask import Request, Response
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed, NotFound

from landform.schemas.fields import LONGEST_TEXT
from landform.schemas.known_names import Anything
from landform.schemas.pages import LONGEST_PASSWORD
from landform.service.auth.credentials import is_cross_site
from landform.service.home import link_header
from landform.service.http.headers import error_response
from landform.service.http.views import FlaskView, HttpIncoming, HttpViews, from_exception
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import ApiError, no_route, wrong_method
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import HTML, Finished, Reply
from landform.service.site.responses import Site
from landform.service.site.visits import html_reply, location_of, show, unlock, visit
from landform.storage.errors import PageNotFound
from landform.storage.pages import listing, scheduling

ALLOWED = "GET, HEAD, POST, OPTIONS"
PAGE_ID, PREVIEW, ROUTE = "page_id", "preview", "rest_route"
LONGEST_ID = 19
# The most bytes of the password form, where a character takes up to twelve, and twice as many for
# what a template adds.
MOST_SENT = 24 * LONGEST_PASSWORD
READS = ("GET", "HEAD")
BY_SLUG, ROOT, OF_FORM = "/<slug>", "", "/forms/<form_id>"
RESOURCE = Resource()


class SiteViews:
    """The views of the site of one blueprint."""

    def __init__(self, views: HttpViews) -> None:
        self._views, self._service = views, views.service
        self._site: Site = self._service.site

    def by_slug(self, is_alone: bool, /, slug: str, **variables: str) -> Response:
        """Respond at the address of a page; `is_alone`: the host has no pages there."""
        http = request_ctx.request
        if slug in (self._service.reserved_slugs or ()):
            # As if there were no pages.
            methods = _other_methods()
            if not is_alone:
                raise MethodNotAllowed(methods) if methods else NotFound
            error = wrong_method(", ".join(methods)) if methods else no_route()
            return self._json_error(http, error)
        if not is_alone and http.method not in READS and (methods := _other_methods()):
            raise MethodNotAllowed(methods)
        incoming = HttpIncoming(http, self._service, BY_SLUG)
        # The variable has other characters for bytes that are not UTF-8; here they are surrogates.
        segment = str(http.environ["PATH_INFO"]).rstrip("/").rpartition("/")[2]
        key = segment.encode("latin-1").decode("utf-8", "surrogateescape")
        arguments = {"key": key, "at_root": False}
        return self._respond(incoming, arguments, is_alone=is_alone)

    def at_root(self, otherwise: FlaskView) -> FlaskView:
        """Return the view of the root: a page by its id, the home page, or `otherwise`."""

        def root(**variables: str) -> Response:
            incoming = HttpIncoming(request_ctx.request, self._service, ROOT)
            query, home = dict(incoming.query_pairs), self._service.options.home_page
            if query.get(ROUTE) or not (PAGE_ID in query or home):
                return otherwise(**variables)
            if (text := query.get(PAGE_ID)) is not None:
                is_number = text.isascii() and text.isdigit() and len(text) <= LONGEST_ID
                key, preview = int(text) if is_number else 0, query.get(PREVIEW)
                return self._respond(incoming, {"key": key, "preview": preview, "at_root": True})
            response = self._respond(incoming, {"key": home or "", "at_root": True})
            if self._service.options.wp_json_paths:
                response.headers.update(link_header(self._service.options, incoming.root_url))
            return response

        return root

    def at_form(self, path: str, otherwise: FlaskView) -> FlaskView:
        """Return the view of other methods at the address to which a form is sent.

        A browser that opens it, as after a mistake, is led to the page of the form.
        """
        operation = RESOURCE.paths[OF_FORM]["GET"]

        def view(**variables: str) -> Response:
            http = request_ctx.request
            if http.method not in READS or not accepts_html(http.headers):
                return otherwise(**variables)
            incoming = HttpIncoming(http, self._service, path)
            arguments, finish = {"form_id": variables["form_id"]}, partial(self._site.finish, http)
            return self._views.carry_out(incoming, operation, arguments, finish)

        return view

    def _respond(
        self, incoming: HttpIncoming, arguments: Mapping[str, object], *, is_alone: bool = True
    ) -> Response:
        """Return the response; an error is HTML for browsers, otherwise JSON.

        Unless the site `is_alone`, a 404 is left to the host.
        """
        http = incoming.http
        try:
            return self._dispatch(incoming, arguments)
        except Exception as error:
            failure = from_exception(error)
            if failure.status == 404 and not is_alone:
                raise NotFound from error
        if accepts_html(http.headers):
            response = self._site.finish(http, self._site.error_page(failure))
        else:
            response = self._json_error(http, failure)
        response.vary.add("Accept")
        return response

    def _dispatch(self, incoming: HttpIncoming, arguments: Mapping[str, object]) -> Response:
        http, method = incoming.http, incoming.method
        if method == "POST" and is_cross_site(http, frozenset()):
            raise ApiError(403, "rest_cross_site", "The form has to be sent from the page itself.")
        operation = RESOURCE.paths[BY_SLUG]["POST" if method == "POST" else "GET"]

        def finish(finished: Finished) -> Response:
            if method == "OPTIONS":
                finished = Finished(b"", 204, {"Allow": ALLOWED}, HTML)
            elif method not in (*READS, "POST"):
                raise wrong_method(ALLOWED)
            response = self._site.finish(http, finished)
            if response.status_code >= 400:
                response.vary.add("Accept")
            return response

        return self._views.carry_out(incoming, operation, arguments, finish)

    def _json_error(self, http: Request, error: ApiError) -> Response:
        """Return an error as the API does; a missing page is a missing route."""
        error = no_route() if error.status == 404 else error
        return error_response(http, error, self._views.origins)


@RESOURCE.get(BY_SLUG, public=True, query=Anything())
def show_page(call: Call, **arguments: Any) -> Reply:
    """Show a page to a visitor; the arguments are those of `visit`.

    Parts may redirect visitors where no page has the address.
    """
    try:
        return show(call, visit(call, **arguments))
    except PageNotFound:
        slug = "" if arguments["at_root"] else arguments["key"]
        # Neither control characters nor bytes that are not UTF-8 can be looked up in a database.
        if not (slug.isprintable() and 0 < len(slug) <= LONGEST_TEXT):
            raise
        targets = (part.redirect_target(call.store, slug) for part in call.options.named_parts)
        target = next(filter(None, targets), None)
        if target is None:
            raise
        return html_reply(b"", {"Location": target, "Cache-Control": "no-store"}, 301)


@RESOURCE.get(OF_FORM, public=True, query=Anything())
def lead_to_page(call: Call, form_id: str) -> Reply:
    """Redirect to the page of a form: that from which a browser comes, or the last one with it.

    To the root where visitors see none.
    """
    here, source = urlsplit(call.incoming.url), call.incoming.headers.get("Referer", "")
    location, store = "/", call.store
    query = {"form_id": [form_id], "orderby": "date", "order": "desc", "page": 1, "per_page": 10}
    with suppress(ValueError):
        url = urlsplit(source)
        is_here = url.netloc == here.netloc and url.path != here.path
        if is_here and source.isprintable() and "//" not in url.path and "\\" not in url.path:
            location = url._replace(scheme="", netloc="", fragment="").geturl()
    if location == "/":
        at, state = store.clock.now(), listing.list_state(store, {})
        rows = listing.list_pages(store, query, listing.SITEMAP, state.publish_up_to).rows
        shown = (row for row in rows if scheduling.window_state(row, at) == scheduling.OPEN)
        location = next((location_of(call, call.urls.page_link(row)) for row in shown), location)
    return html_reply(b"", {"Location": location, "Cache-Control": "no-store"}, 303)


@RESOURCE.post(BY_SLUG, public=True, query=Anything(), most_bytes=MOST_SENT)
def unlock_page(call: Call, **arguments: Any) -> Reply:
    """Check the password of a page, and redirect to the page."""
    return unlock(call, visit(call, **arguments))


def _other_methods() -> list[str]:
    """Return the methods of the other rules for exactly this path."""
    path, adapter = request_ctx.request.path, request_ctx.url_adapter
    rules = adapter.map.iter_rules() if adapter else ()
    methods = (rule.methods or () for rule in rules if rule.rule == path)
    return sorted({method for names in methods for method in names})
