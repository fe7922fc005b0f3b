"""Make the pictures of docs/site.md: `python docs/site_pictures.py`.

It needs chromium with its driver, and the extra `test`. The page is tests/site/blocks.html.
"""

import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import requests
from pictures import DOCS, browser, running, take

FILES = 8922
PAGE = DOCS.parent / "tests/site/blocks.html"
SETTINGS = {
    "SITE_TITLE": "Bicycles & Co",
    "SITE_ACCENT": "#0b6e4f",
    "SITE_FOOTER": '© Bicycles &amp; Co · <a href="/imprint/">Imprint</a>',
    "SITE_POLICY": "default-src 'self' http: data: 'unsafe-inline'",
}
# The name of a picture, its width, and whether it is dark.
PICTURES = [("light", 1000, False), ("dark", 1000, True), ("phone", 390, False)]
LAND = """<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" viewBox="0 0 800 600">
<rect width="800" height="600" fill="{sky}"/><circle cx="{sun}" cy="190" r="60" fill="#fff3c4"/>
<path d="M0 400 Q200 220 420 380 T800 330 V600 H0Z" fill="{far}"/>
<path d="M0 500 Q260 360 480 470 T800 450 V600 H0Z" fill="{near}"/></svg>"""
LANDS = {
    "hills": {"sky": "#f6b26b", "sun": 560, "far": "#6d7f4f", "near": "#3b5137"},
    "lake": {"sky": "#a9d3ee", "sun": 220, "far": "#5f8f73", "near": "#2f6f9f"},
    "coast": {"sky": "#f4c7c3", "sun": 420, "far": "#7d86b2", "near": "#d9b382"},
}


def main() -> None:
    """Start the service and a server of pictures, and take each picture of the page."""
    with tempfile.TemporaryDirectory() as folder:
        for name, colors in LANDS.items():
            (Path(folder) / f"{name}.svg").write_text(LAND.format(**colors))
        handler = partial(SimpleHTTPRequestHandler, directory=folder)
        Thread(target=ThreadingHTTPServer(("", FILES), handler).serve_forever, daemon=True).start()
        with running(folder, **SETTINGS) as url, browser() as driver:
            content = PAGE.read_text().replace("https://example.com", f"http://127.0.0.1:{FILES}")
            page = {"title": "Win a bicycle this summer", "content": content, "slug": "blocks"}
            requests.post(f"{url}/pages", json=page, timeout=5).raise_for_status()
            for name, width, is_dark in PICTURES:
                take(driver, f"{url}/blocks/", f"site-{name}", width, is_dark=is_dark)


if __name__ == "__main__":
    main()
