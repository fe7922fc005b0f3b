"""The page of the console, and its files."""

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from landform.parts import all_parts
from landform.schemas.known_names import Anything
from landform.service.files import file_reply
from landform.service.pipeline.call import Call
from landform.service.pipeline.errors import no_route
from landform.service.pipeline.loading import accepts_html
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import HTML, Reply

CONSOLE = Resource()
SCREENS = (CONSOLE,)
STATIC = Path(__file__).parent / "static"
PATH = "/console"
# Scripts, styles and the icon by their names, also those that `vendor` holds.
FILES = {path.name: path for path in STATIC.rglob("*.*") if path.suffix in (".css", ".js", ".svg")}
# Pages in a preview may load styles, fonts, images and sounds from other sites, as their frame has
# the policy of the console.
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline' "
    "https:; img-src 'self' https: http: data: blob:; font-src 'self' https: data:; media-src "
    "'self' https: http: data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ANYTHING = Anything()


@CONSOLE.get(PATH, name="console", public=True, query=ANYTHING)
def page(call: Call) -> Reply:
    """Return the page, with the title, time zone, sign-in and parts of the service."""
    options = call.options
    parts = [name for name, kind in all_parts().items() if kind in options.part_types]
    values = {"title": options.site_title, "timezone": options.timezone, "parts": " ".join(parts)}
    path = STATIC / "console.html"
    return file_reply(call, path, POLICY, access=call.service.sign_in, **values)


@CONSOLE.get(f"{PATH}/<file>", name="console_file", public=True, query=ANYTHING)
def static_file(call: Call, file: str) -> Reply:
    """Return a file of the page; at another address browsers are led to the console."""
    files = _files(tuple(type(part) for part in call.options.named_parts))
    return file_reply(call, files[file], POLICY) if file in files else _nowhere(call, file)


@CONSOLE.get(f"{PATH}/<place>/<item>", name="console_place", public=True, query=ANYTHING)
def place_page(call: Call, place: str, item: str) -> Reply:
    """Lead browsers to the console, as from `/console/pages/3`."""
    return _nowhere(call, place, item)


@cache
def _files(parts: tuple[Any, ...]) -> dict[str, Path]:
    """Return the files of the console and of parts, by their names."""
    folders = [part.console_files for part in parts if part.console_files]
    return {**FILES, **{path.name: path for folder in folders for path in folder.glob("*.js")}}


def _nowhere(call: Call, *place: str) -> Reply:
    """Redirect browsers to a screen of the console; 404 for others."""
    if not accepts_html(call.incoming.headers):
        raise no_route()
    screen = "/".join(quote(name, safe="") for name in place)
    location = f"{urlsplit(call.root_url).path}{PATH}#/{screen}"
    headers = {"Location": location, "Vary": "Accept", "Cache-Control": "no-store"}
    return Reply(b"", status=302, headers=headers, content_type=HTML)
