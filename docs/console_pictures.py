"""Make the pictures of docs/parts/console.md: `python docs/console_pictures.py`.

It needs chromium with its driver, and the extra `test`. The service runs on a database of its own.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
from selenium import webdriver

ROOT = Path(__file__).parent.parent
PORT = 8911
URL = f"http://127.0.0.1:{PORT}"
# The name of a picture, its address, its width, and whether it is dark.
PICTURES = [
    ("light", "#/pages/1", 1280, False),
    ("dark", "#/pages", 1280, True),
    ("phone", "#/pages", 390, False),
]
CONTENT = """<!-- wp:paragraph -->
<p>{}: tell us who you are, and <strong>take part</strong>.</p>
<!-- /wp:paragraph -->

<!-- wp:buttons -->
<div class="wp-block-buttons"><!-- wp:button -->
<div class="wp-block-button"><a class="wp-block-button__link" href="#form_1">Take part</a></div>
<!-- /wp:button --></div>
<!-- /wp:buttons -->"""
FORM = {"title": "Contact", "fields": [{"type": "email", "label": "E-mail", "isRequired": True}]}
TITLES = ("Summer sale", "Win a bicycle", "Open day", "Newsletter", "Thank you")


def fill(session: requests.Session) -> None:
    """Write some pages, once the service is there."""
    for _ in range(100):
        try:
            session.get(f"{URL}/healthz", timeout=1)
            break
        except requests.ConnectionError:
            time.sleep(0.1)
    session.post(f"{URL}/forms", json=FORM, timeout=5).raise_for_status()
    for number, title in enumerate(TITLES):
        content = CONTENT.format(title)
        status = ("publish", "draft", "publish", "private", "publish")[number]
        meta = {"form_id": "1", "language": ["en"], "ends_at": "2030-12-24" if number < 2 else ""}
        page = {"title": title, "content": content, "status": status, "meta": meta}
        session.post(f"{URL}/pages", json=page, timeout=5).raise_for_status()


def main() -> None:
    """Start the service, fill it, and take each picture."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "landform.standalone", "serve"]
        database = f"sqlite:///{folder}/landform.db"
        server = subprocess.Popen(  # noqa: S603 - the program is this one
            [*command, "--bind", f"127.0.0.1:{PORT}", "--database", database], cwd=folder
        )
        try:
            fill(requests.Session())
            options = webdriver.ChromeOptions()
            for argument in ("--headless", "--no-sandbox", "--hide-scrollbars"):
                options.add_argument(argument)
            driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
            for name, address, width, is_dark in PICTURES:
                size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
                scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
                driver.get("about:blank")
                driver.get(f"{URL}/console{address}")
                time.sleep(2)
                driver.save_screenshot(str(ROOT / "docs/parts" / f"console-{name}.png"))
            driver.quit()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
