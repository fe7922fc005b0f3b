"""A front end of one's own: `front_end.py URL PORT` shows the pages of a landform service.

Pages are shown within their window only, at `/SLUG`, and a preview at `/?page_id=ID&preview=TOKEN`.
Run landform with `LANDFORM_SITE=0` and `LANDFORM_PUBLIC_URL` set to the address of this program.
"""

import json
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit
from urllib.request import urlopen

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""


def read(base, path, **query):
    """Return what the service has at a path; None for a page that nobody may see."""
    try:
        with urlopen(f"{base}{path}?{urlencode(query)}", timeout=10) as response:
            return json.load(response)
    except HTTPError as error:
        with error:
            return None


def find(base, url):
    """Return the page that a URL of this front end is for; None for no page."""
    query = {name: values[-1] for name, values in parse_qs(url.query).items()}
    number, slug = query.get("page_id", ""), unquote(url.path).strip("/")
    if number.isdigit() and "preview" in query:
        return read(base, f"/pages/{number}", preview=query["preview"])
    wanted = {"include": number} if number.isdigit() else {"slug": slug}
    pages = read(base, "/pages", open_at="now", **wanted) if any(wanted.values()) else None
    return pages[0] if pages else None


def document(page):
    """Return a page as HTML. Title and content are HTML already."""
    title, content = page["title"]["rendered"], page["content"]["rendered"]
    body = f"<h1>{title}</h1>\n{content}"
    if form := page["meta"]["form_id"]:
        body += f'<p><a href="/forms/{quote(form)}">Take part</a></p>'
    return PAGE.format(title=title, body=body)


def make_handler(base):
    """Return the handler of requests, which reads from the service at `base`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            page = find(base, urlsplit(self.path))
            text = document(page) if page else PAGE.format(title="", body=escape("No such page."))
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            # What a preview shows is for nobody else.
            self.send_header("Cache-Control", "no-store" if "preview=" in self.path else "no-cache")
            self.end_headers()
            self.wfile.write(text.encode())

    return Handler


if __name__ == "__main__":
    address = ("127.0.0.1", int(sys.argv[2]))
    ThreadingHTTPServer(address, make_handler(sys.argv[1].rstrip("/"))).serve_forever()
