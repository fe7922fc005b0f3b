"""Sites and files to import from, and the command that imports them."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from own_site import OwnSite

from landform.parts.moving_in.wordpress import client
from landform.standalone.cli import main
from landform.storage import Store

PAGES = ("--only", "pages")
HEAD = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><wp:base_blog_url>{home}</wp:base_blog_url>
<wp:author><wp:author_id>7</wp:author_id><wp:author_login>ana</wp:author_login></wp:author>
"""
ITEM = """<item><title><![CDATA[{title}]]></title><link>{link}</link>
<dc:creator><![CDATA[{creator}]]></dc:creator>
<content:encoded><![CDATA[{content}]]></content:encoded>
<excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>{id}</wp:post_id><wp:post_date>{date}</wp:post_date>
<wp:post_date_gmt>{gmt}</wp:post_date_gmt><wp:post_modified>{modified}</wp:post_modified>
<wp:post_modified_gmt>{modified}</wp:post_modified_gmt><wp:post_name>{slug}</wp:post_name>
<wp:status>{status}</wp:status><wp:post_parent>0</wp:post_parent><wp:menu_order>0</wp:menu_order>
<wp:post_type>{type}</wp:post_type><wp:post_password>{password}</wp:post_password>{meta}</item>
"""
META = (
    "<wp:postmeta><wp:meta_key>{}</wp:meta_key><wp:meta_value>"
    "<![CDATA[{}]]></wp:meta_value></wp:postmeta>"
)
EXPORTED_PAGE = {
    "id": 5, "title": "Tïtle & more", "link": "https://shop.example/summer/", "creator": "ana",
    "content": "<!-- wp:paragraph --><p>Hi</p><!-- /wp:paragraph -->", "password": "secret",
    "date": "2026-07-01 12:00:00", "gmt": "2026-07-01 10:00:00", "modified": "2026-07-02 08:00:00",
    "slug": "summer", "status": "publish", "type": "page", "meta": "",
}  # fmt: skip


def write_export(folder: Path, *items: dict[str, Any], home: str = "https://shop.example") -> Path:
    """Write a file as WordPress exports it."""
    file = folder / "export.xml"
    body = "".join(ITEM.format(**{**EXPORTED_PAGE, **item}) for item in items)
    file.write_text(f"{HEAD.format(home=home)}{body}</channel></rss>", "utf-8")
    return file


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """The recorded site; each mode is below its name."""
    with OwnSite() as site:
        yield site


@pytest.fixture
def recorded_site(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The recorded site, which a test may change, and before which nobody pauses for long."""
    for name, seconds in (("MIN_PAUSE", 0.01), ("MAX_PAUSE", 0.25)):
        monkeypatch.setattr(client, name, seconds)
    monkeypatch.setattr(server, "pages", copy.deepcopy(server.pages))
    for name in ("mode", "most", "kept", "moved", "front", "feeds", "forms"):
        monkeypatch.setattr(server, name, copy.copy(getattr(server, name)))
    return server


@pytest.fixture
def small_site(recorded_site: Any) -> Any:
    """A site of twelve plain pages, without forms and feeds, which a test may change."""
    plain = next(page for page in recorded_site.pages if page["edit"]["id"] == 2)
    recorded_site.pages = [plain_page(plain, number) for number in range(1, 13)]
    recorded_site.feeds, recorded_site.forms = [], []
    return recorded_site


def plain_page(page: Any, number: int) -> Any:
    page = copy.deepcopy(page)
    page["edit"] |= {"id": number, "slug": f"page-{number}"}
    return page


class Mover:
    """Runs `landform import-wordpress` on a store, as in a terminal."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.report: dict[str, Any] = {}

    def environment(self, password: str) -> dict[str, str]:
        return {
            "LANDFORM_DATABASE_URL": self.store.url,
            "LANDFORM_TIMEZONE": "Europe/Madrid",
            "LANDFORM_WORDPRESS_PASSWORD": password,
        }

    def __call__(self, source: object, *options: str, user: str = "admin") -> Result:
        """Import a site by its URL, or a file, and read the report."""
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        of_site = ["--user", user, "--probe", "0"] if str(source).startswith("http") else []
        arguments = [str(source), *of_site, *options, "--report", str(file)]
        result = self.run("import-wordpress", *arguments, user=user)
        self.report = json.loads(file.read_bytes()) if file.exists() else {}
        return result

    def pages(self, *items: dict[str, Any], options: tuple[str, ...] = ()) -> Result:
        """Import a file with some pages."""
        return self(self.export(*items), *options)

    def export(self, *items: dict[str, Any], **head: str) -> Path:
        return write_export(self.folder, *items, **head)

    def run(self, *arguments: str, user: str = "admin") -> Result:
        environment = self.environment(f"{user}-secret")
        result = CliRunner().invoke(main, list(arguments), env=environment)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return result

    def start(self, source: object, *options: str) -> "subprocess.Popen[bytes]":
        """Start an import in another process."""
        command = [sys.executable, "-m", "landform.standalone", "import-wordpress", str(source)]
        environment = {name: text for name, text in os.environ.items() if "LANDFORM" not in name}
        return subprocess.Popen(
            [*command, "--user", "admin", *options],
            env=environment | self.environment("admin-secret"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return the pages and feeds of the store."""
        result = self.run("export")
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.split("\n") if line]

    def row(self, resource: str, number: int) -> dict[str, Any]:
        return next(r for r in self.rows() if (r["resource"], r["id"]) == (resource, number))

    def ids(self) -> list[int]:
        return [row["id"] for row in self.rows()]

    def codes(self) -> set[str]:
        """Return the codes of the notes in the report."""
        return {note["code"] for note in self.report["notes"]}

    def ids_with(self, code: str) -> set[int]:
        """Return the ids of the rows that have a note of this code."""
        notes = (note for note in self.report["notes"] if note["code"] == code)
        return {number for note in notes for number in note["ids"]}


@pytest.fixture
def move(store: Store, tmp_path: Path) -> Mover:
    return Mover(store, tmp_path)
