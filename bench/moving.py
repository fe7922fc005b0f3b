"""Time `landform import-wordpress` against a site of many pages, and what the site itself takes.

    .venv/bin/python bench/moving.py [pages]

The site is the stand-in of tests/parts/moving_in, a process of its own, with copies of its pages.
"""

import base64
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).parents[1]
STAND_IN = ROOT / "tests/parts/moving_in/standin"
FIELDS = (
    "id,date,date_gmt,modified,modified_gmt,slug,status,link,title.raw,content.raw,excerpt.raw,"
    "author,password,meta,acf,parent,menu_order,template,featured_media"
)
USUAL = ("publish", "future", "draft", "pending", "private", "trash")
REQUESTS = 4
# A process of its own, since this one is large itself.
MEASURED = """
import resource, subprocess, sys
subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
spent = used.ru_utime + used.ru_stime
print(f"processor {spent:.1f} s, {used.ru_maxrss >> 10} MB", file=sys.stderr)
"""

SERVE = """
import sys
from server import StandIn
with StandIn(sys.argv[1]) as site:
    print(site.url, flush=True)
    sys.stdin.read()
"""


def grow(folder: Path, count: int) -> None:
    """Write a site with so many pages, all of them of the usual kind and without feeds."""
    shutil.copytree(STAND_IN / "sites/campaigns", folder)
    pages = json.loads((folder / "pages.json").read_text())
    kind = [
        page for page in pages
        if page["edit"]["status"] == "publish" and len(page["edit"]["content"]["raw"]) < 20_000
    ]  # fmt: skip
    made = []
    for number in range(1, count + 1):
        page = copy.deepcopy(kind[number % len(kind)])
        page["edit"] |= {"id": number, "slug": f"page-{number}"}
        made.append(page)
    (folder / "pages.json").write_text(json.dumps(made))
    (folder / "feeds.json").write_text("[]")


def ask_all(url: str, count: int) -> float:
    """Return how long the site takes for all of its pages, asked for as an import does."""
    credentials = base64.b64encode(b"admin:admin-secret").decode()
    headers = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}

    def ask(offset: int) -> None:
        query = {
            "context": "edit", "orderby": "id", "order": "asc", "_fields": FIELDS,
            "status": "publish", "per_page": 100, "offset": offset,
        }  # fmt: skip
        asked = urllib.request.Request(f"{url}/wp-json/wp/v2/pages?{urlencode(query)}")
        asked.headers = headers
        with urllib.request.urlopen(asked, timeout=600) as answer:
            answer.read()

    began = time.monotonic()
    with ThreadPoolExecutor(REQUESTS) as pool:
        list(pool.map(ask, range(0, count, 100)))
    return time.monotonic() - began


def import_all(url: str, folder: Path) -> tuple[float, str]:
    """Return how long an import takes, and the first line of what it says."""
    environment = os.environ | {
        "LANDFORM_DATABASE_URL": f"sqlite:///{folder}/landform.db",
        "LANDFORM_WORDPRESS_PASSWORD": "admin-secret",
        "LANDFORM_TIMEZONE": "Europe/Madrid",
    }
    command = [ROOT / ".venv/bin/landform", "import-wordpress", url, "--user", "admin"]
    began = time.monotonic()
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, *command, "--only", "pages"], env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    used = told.stderr.splitlines()[-1]
    return time.monotonic() - began, f"{used}: {told.stdout.partition(chr(10))[0]}"


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grow(folder / "site", count)
        command = [sys.executable, "-c", SERVE, folder / "site"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, cwd=STAND_IN, text=True, **pipes) as site:
            assert site.stdout
            url = site.stdout.readline().strip()
            alone = ask_all(url, count)
            for what in ("import", "again"):
                took, told = import_all(url, folder)
                print(f"{what}: {took:.1f} s, {took / alone:.2f} of {alone:.1f} s, {told}")
            site.terminate()


if __name__ == "__main__":
    main()
