"""Make the pictures of docs/site.md: `python docs/site_pictures.py`.

It needs chromium with its driver, and the extra `test`. The page is tests/site/blocks.html.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import requests
from selenium import webdriver

ROOT = Path(__file__).parent.parent
PORT, FILES = 8921, 8922
URL = f"http://127.0.0.1:{PORT}"
PAGE = ROOT / "tests/site/blocks.html"
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


def fill() -> None:
    """Write the page, with its pictures from this machine, once the service is there."""
    for _ in range(100):
        with suppress(requests.RequestException):
            requests.get(f"{URL}/healthz", timeout=5)
            break
        time.sleep(0.1)
    content = PAGE.read_text().replace("https://example.com", f"http://127.0.0.1:{FILES}")
    page = {"title": "Win a bicycle this summer", "content": content, "slug": "blocks"}
    requests.post(f"{URL}/pages", json=page, timeout=5).raise_for_status()


def take(driver: webdriver.Chrome, name: str, width: int, *, is_dark: bool) -> None:
    """Take a picture of the whole page."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    for height in (1000, None):
        tall = height or driver.execute_script("return document.documentElement.scrollHeight")
        size = {"width": width, "height": tall, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(f"{URL}/blocks/")
    driver.save_screenshot(str(ROOT / "docs" / f"site-{name}.png"))


def main() -> None:
    """Start the service and a server of pictures, and take each picture."""
    with tempfile.TemporaryDirectory() as folder:
        for name, colors in LANDS.items():
            (Path(folder) / f"{name}.svg").write_text(LAND.format(**colors))
        handler = partial(SimpleHTTPRequestHandler, directory=folder)
        Thread(target=ThreadingHTTPServer(("", FILES), handler).serve_forever, daemon=True).start()
        command = [sys.executable, "-m", "landform.standalone", "serve", "--bind", URL[7:]]
        variables = {f"LANDFORM_{name}": value for name, value in SETTINGS.items()}
        server = subprocess.Popen(  # noqa: S603 - the program is this one
            command, cwd=folder, env=os.environ | variables
        )
        try:
            fill()
            options = webdriver.ChromeOptions()
            for argument in ("--headless", "--no-sandbox", "--hide-scrollbars"):
                options.add_argument(argument)
            driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
            for name, width, is_dark in PICTURES:
                take(driver, name, width, is_dark=is_dark)
            driver.quit()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
