"""The Flask views of the site: which address is whose, every method, and errors as HTML."""

from flask import Request, Response
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed, NotFound

from landform.service.auth.credentials import is_cross_site
from landform.service.discovery.index import index_link
from landform.service.errors import ApiError, from_exception, no_route, wrong_method
from landform.service.http.contract import Contract, View
from landform.service.http.request import ApiRequest, ServiceContext
from landform.service.http.responses import is_browser
from landform.service.http.routing import finish, respond_cached
from landform.service.site.pages import show, unlock, visit
from landform.service.site.responses import Site

ALLOWED = "GET, HEAD, POST, OPTIONS"
PAGE_ID, PREVIEW, ROUTE = "page_id", "preview", "rest_route"
LONGEST_ID = 19
READS = ("GET", "HEAD")
BY_SLUG = Contract("GET", "/<slug>")


class SiteViews:
    """The views of one blueprint."""

    def __init__(self, service: ServiceContext) -> None:
        self._site, self._service = Site(service.options), service
        self._origins = service.options.cors_origins

    def by_slug(self, is_alone: bool, /, slug: str, **variables: str) -> Response:
        """Respond at the address of a page. `is_alone`: nobody else has pages at the prefix."""
        if slug in (self._service.reserved_slugs or ()):
            return self._decline(is_alone)
        http = request_ctx.request
        if not is_alone and http.method not in READS and (methods := _methods_of_others()):
            raise MethodNotAllowed(methods)
        request = ApiRequest(http, self._service, BY_SLUG)
        return self._respond(request, slug, is_alone=is_alone)

    def at_root(self, otherwise: View) -> View:
        """Return the view of the root: a page by its id, the home page, or what is there else."""

        def root(**variables: str) -> Response:
            request = ApiRequest(request_ctx.request, self._service)
            query, home = dict(request.query_pairs), self._service.options.home_page
            if query.get(ROUTE) or not (PAGE_ID in query or home):
                return otherwise(**variables)
            if (text := query.get(PAGE_ID)) is not None:
                is_number = text.isascii() and text.isdigit() and len(text) <= LONGEST_ID
                return self._respond(request, int(text) if is_number else 0, query.get(PREVIEW))
            response = self._respond(request, home or "")
            if self._service.options.wp_json_paths:
                response.headers["Link"] = index_link(request)
            return response

        return root

    def _respond(
        self,
        request: ApiRequest,
        key: int | str,
        preview: str | None = None,
        *,
        is_alone: bool = True,
    ) -> Response:
        """Return the response of the method; errors as HTML to browsers, and as JSON to others.

        Where a host may have another page, a 404 is its own, whatever shape was asked for.
        """
        http = request.http
        try:
            return self._dispatch(request, key, preview)
        except Exception as error:
            failure = from_exception(error)
            if failure.status == 404 and not is_alone:
                raise NotFound from error
        if is_browser(http):
            response = self._site.finish(http, self._site.error(failure))
        else:
            response = self._json_error(http, failure)
        response.vary.add("Accept")
        return response

    def _dispatch(self, request: ApiRequest, key: int | str, preview: str | None) -> Response:
        method = request.http.method
        if method == "POST" and is_cross_site(request.http, frozenset()):
            raise ApiError(403, "rest_cross_site", "The form has to be sent from the page itself.")

        def respond() -> Response:
            answer = unlock if method == "POST" else show
            at_root = request.contract is not BY_SLUG
            response = answer(self._site, request, visit(request, key, preview, at_root=at_root))
            if method == "OPTIONS":
                response = Response(status=204, headers={"Allow": ALLOWED})
            elif method not in (*READS, "POST"):
                raise wrong_method(ALLOWED)
            response = self._site.finish(request.http, response)
            if response.status_code >= 400:
                response.vary.add("Accept")
            return response

        with request.store.connection():
            return respond_cached(request, respond) if method == "GET" else respond()

    def _json_error(self, request: Request, error: ApiError) -> Response:
        """Return an error as the API does; whichever page is not there, it is no route."""
        known = no_route(request.path) if error.status == 404 else error
        return finish(request, known.response(), self._origins)

    def _decline(self, is_alone: bool) -> Response:
        """Respond at an address that belongs to something else, as if there were no pages."""
        methods = _methods_of_others()
        if not is_alone:
            raise MethodNotAllowed(methods) if methods else NotFound
        error = wrong_method(", ".join(methods)) if methods else no_route()
        return self._json_error(request_ctx.request, error)


def _methods_of_others() -> list[str]:
    """Return the methods of the rules that have this very path."""
    path, adapter = request_ctx.request.path, request_ctx.url_adapter
    rules = adapter.map.iter_rules() if adapter else ()
    found = (rule.methods or () for rule in rules if rule.rule == path)
    return sorted({method for methods in found for method in methods})
