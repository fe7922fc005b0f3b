"""The console: one page at `/console`, and its files. It calls the HTTP API, as any client can."""

from functools import partial
from pathlib import Path

from flask import Response

from landform.schemas.wordpress import Anything
from landform.service.http.contract import Resource
from landform.service.http.files import send_file
from landform.service.http.request import ApiRequest

STATIC = Path(__file__).parent / "static"
PATH = "/console"
SUFFIXES = (".css", ".js", ".svg")
# Styles, fonts, images and sounds from elsewhere are those of pages: the frame of a preview has the
# policy of the console around it.
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline' "
    "https:; img-src 'self' https: http: data: blob:; font-src 'self' https: data:; media-src "
    "'self' https: http: data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ANYTHING = Anything()


def resource() -> Resource:
    """Return the page and the files as operations that need no credentials."""
    console = Resource()

    @console.operation("GET", PATH, public=True, query=ANYTHING)
    def page(request: ApiRequest) -> Response:
        """Return the page, which tells its scripts where the service is and how to sign in."""
        options = request.service.options
        values = {"title": options.site_title, "timezone": options.timezone}
        access = request.access.sign_in
        return send_file(request, STATIC / "console.html", POLICY, access=access, **values)

    for path in sorted(STATIC.rglob("*")):
        if path.suffix in SUFFIXES:
            name = path.relative_to(STATIC).as_posix()
            send = partial(send_file, path=path, policy=POLICY)
            console.operation("GET", f"{PATH}/{name}", public=True, query=ANYTHING)(send)
    return console
