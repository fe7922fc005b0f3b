"""The page at the root: where people find the docs, and clients the API."""

from html import escape
from pathlib import Path

from flask import Response

from landform.schemas import discovery as schemas
from landform.service.discovery.links import rest_url, site_url
from landform.service.http.contract import Contract, Resource
from landform.service.http.headers import is_browser
from landform.service.http.request import ApiRequest

RESOURCE = Resource()
HOME, ANYTHING = schemas.Home(), schemas.Anything()
PAGE = Path(__file__).parent / "home.html"
API_RELATION = "https://api.w.org/"
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


@RESOURCE.operation(Contract("GET", "/", HOME, public=True, query=ANYTHING, headers=("Link",)))
def home(request: ApiRequest) -> Response:
    """Return where everything is: an HTML page for browsers, JSON for everybody else."""
    found = _describe(request)
    headers = {"Link": f'<{found["wp_json"]}>; rel="{API_RELATION}"'}
    if is_browser(request.http):
        response = _page(found, headers)
    else:
        response = request.json_response(HOME.dump(found), headers)
    response.vary.add("Accept")
    return response


def _describe(request: ApiRequest) -> dict[str, str]:
    """Return what the site is called, and where its parts are."""
    options, url = request.service.options, site_url(request)
    return {
        "name": options.site_title,
        "description": options.site_description,
        "docs": f"{url}/docs",
        "openapi": f"{url}/openapi.json",
        "wp_json": rest_url(request, "/"),
    }


def _page(found: dict[str, str], headers: dict[str, str]) -> Response:
    """Return the HTML page, under a policy that lets it do nothing."""
    shown = {name: escape(text) for name, text in found.items()}
    if found["description"]:
        shown["description"] = f"<p>{shown['description']}</p>"
    rules = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
    return Response(
        PAGE.read_text().format(**shown), headers={**headers, **rules}, mimetype="text/html"
    )
