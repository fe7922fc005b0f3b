"""What makes the pictures of the docs: a service on a database of its own, and a browser."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import requests
from selenium import webdriver

DOCS = Path(__file__).parent


@contextmanager
def running(folder: str, **settings: str) -> Iterator[str]:
    """Run a service with these settings, without `LANDFORM_`, in a folder; yield its URL."""
    url = "http://127.0.0.1:8921"
    variables = {f"LANDFORM_{name}": value for name, value in settings.items()}
    server = subprocess.Popen(  # noqa: S603 - the program is this one
        [sys.executable, "-m", "landform.standalone", "serve", "--bind", url[7:]],
        cwd=folder,
        env=os.environ | variables,
    )
    try:
        for _ in range(100):
            with suppress(requests.RequestException):
                requests.get(f"{url}/healthz", timeout=5)
                break
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """Start chromium."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        yield driver
    finally:
        driver.quit()


def take(
    driver: webdriver.Chrome, url: str, name: str, width: int, *, is_dark: bool, most: int = 9999
) -> None:
    """Take a picture of a page for the docs, once it is loaded, of `most` pixels in height."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    for height in (400, None):
        tall = height or driver.execute_script("return document.documentElement.scrollHeight")
        size = {"width": width, "height": min(tall, most), "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        if height:
            driver.get("about:blank")
            driver.get(url)
        time.sleep(1)
    driver.save_screenshot(str(DOCS / f"{name}.png"))
