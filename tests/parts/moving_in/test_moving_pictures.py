"""Pictures that pages use, from a library as WordPress shows it."""

import io
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from applications import Client
from files import command
from moving_in import PAGES, move, recorded_site, server, small_site
from own_site import Raw, rest

pytest.importorskip("landform.parts.media")
Image = pytest.importorskip("PIL.Image")

UPLOADS = "/wp-content/uploads/2026/07"


def save(image: Any, kind: str) -> bytes:
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def make(width: int = 1200, height: int = 800) -> bytes:
    return save(Image.effect_noise((width, height), 30).convert("RGB"), "JPEG")


class Library:
    """The pictures of a site, in the shape that WordPress has."""

    def __init__(self, site: Any) -> None:
        self.site, self.items, self.files = site, list[dict[str, Any]](), dict[str, Any]()
        self.fetched, self.contexts = list[str](), {"edit", "view"}

    def add(self, number: int, name: str = "sun.jpg", data: Any = None, **columns: Any) -> str:
        """Add a picture; return its address."""
        url = f"{self.site.url}{UPLOADS}/{name}"
        self.files[f"{UPLOADS}/{name}"] = make() if data is None else data
        texts = {"title": "Sun &amp; sea", "caption": "<em>Noon</em>", "description": ""}
        self.items.append({
            "id": number, "slug": name.partition(".")[0], "date": "2026-07-01T12:00:00",
            "date_gmt": "2026-07-01T10:00:00", "modified": "2026-07-02T12:00:00",
            "modified_gmt": "2026-07-02T10:00:00", "author": 7, "post": None, "alt_text": "A sun",
            "media_type": "image", "mime_type": "image/jpeg", "source_url": url,
            "media_details": {"width": 1200, "height": 800, "sizes": {}},
            **{key: {"raw": text, "rendered": f"<p>{text}</p>"} for key, text in texts.items()},
            **columns,
        })  # fmt: skip
        return url

    def __call__(self, path: str) -> Any:
        url = urlsplit(path)
        query, name = dict(parse_qsl(url.query)), unquote(url.path)
        if "/wp/v2/media" in query.get("rest_route", name):
            if query["context"] not in self.contexts:
                return 403, {}, '{"code": "rest_forbidden_context"}'
            first, size = int(query["offset"]), int(query["per_page"])
            rows = rest.picked(self.items, query["_fields"].split(","))[first : first + size]
            return 200, {"X-WP-Total": str(len(self.items))}, json.dumps(rows)
        if name.startswith("/wp-content/"):
            self.fetched.append(name)
            answer = self.files.get(name, (404, {}, "<h1>Not found</h1>"))
            return (200, {}, Raw(answer)) if isinstance(answer, bytes) else answer
        return None


@pytest.fixture
def library(small_site: Any) -> Library:
    small_site.pages = small_site.pages[:3]
    for page in small_site.pages:
        page["edit"] |= {"content": {"raw": "<p>Text</p>"}, "meta": {}}
    small_site.front = Library(small_site)
    return small_site.front


def write(library: Library, content: str, number: int = 1, **meta: Any) -> None:
    """Set the content and the meta of a page there."""
    library.site.pages[number - 1]["edit"] |= {"content": {"raw": content}, "meta": meta}


def content(move: Any, number: int = 1) -> str:
    return str(move.row("page", number)["content_raw"])


def test_pictures_come_with_their_ids_and_texts_and_are_shown(
    library: Library, move: Any, client: Client
) -> None:
    url = library.add(70, post=1)
    write(library, f'<img class="wp-image-70" src="{url.replace(".jpg", "-1024x683.jpg")}">')
    result = move(library.site.url, "--media")
    assert result.exit_code == 0, result.output
    assert "Pictures: 1 created\n" in result.output
    item = client.get("/media/70?context=edit").get_json()
    values = [item[name] for name in ("slug", "alt_text", "author", "date_gmt", "modified", "post")]
    assert values == ["sun", "A sun", 7, "2026-07-01T10:00:00", "2026-07-02T12:00:00", 1]
    assert item["title"]["raw"] == "Sun &amp; sea"
    assert item["caption"] == {"raw": "<em>Noon</em>", "rendered": "<p><em>Noon</em></p>\n"}
    large = item["media_details"]["sizes"]["large"]["source_url"]
    assert content(move) == f'<img class="wp-image-70" src="{urlsplit(large).path}">'
    shown = client.anonymous.get("/page-1/").text
    assert urlsplit(large).path in shown
    assert "300w" in shown
    assert Image.open(io.BytesIO(client.get(urlsplit(large).path).data)).size == (1024, 683)
    # The next upload has a higher id, also on PostgreSQL.
    sent = {"Content-Type": "image/jpeg", "Content-Disposition": "attachment; filename=b.jpg"}
    assert client.post("/media", data=make(9, 9), headers=sent).get_json()["id"] == 71


def test_addresses_of_each_size_and_spelling_lead_to_files_here(
    library: Library, move: Any, client: Client
) -> None:
    details = {"original_image": "s\u00fcn--1.jpg"}
    url = library.add(70, "s\u00fcn--1-scaled.jpg", make(2560, 1920), media_details=details)
    start = f"{library.site.url}{UPLOADS}/s\u00fcn--1"
    escaped = f"{start}-300x225.jpg".replace("/", "\\/").replace("--", "\\u002d\\u002d")
    spellings = {
        url: "full", f"{start}.jpg": "full", f"{start}-150x150.jpg": "thumbnail",
        f"{start}-300x225.jpg".partition(":")[2]: "medium",
        f"{start}-768x576.jpg".replace("http:", "https:").replace("//", "//www."): "medium_large",
        f"{UPLOADS}/s%C3%BCn--1-1024x768.jpg": "large",
        # Sizes of themes: the next larger file with the same proportions, or the full one.
        f"{start}-400x300.jpg": "medium_large", f"{start}-120x120.jpg": "thumbnail",
        f"{start}-1000x250.jpg": "full",
    }  # fmt: skip
    others = f"https://other.example{UPLOADS}/sun.jpg {UPLOADS}/unknown.jpg {UPLOADS}/a.pdf"
    words = " ".join(f'"{word}"' for word in spellings)
    write(library, f'{words} {{"url":"{escaped}"}} {others}')
    result = move(library.site.url, "--media")
    sizes = client.get("/media/70").get_json()["media_details"]["sizes"]
    paths = {name: urlsplit(size["source_url"]).path for name, size in sizes.items()}
    words = " ".join(f'"{paths[size]}"' for size in spellings.values())
    medium = paths["medium"].replace("/", "\\/")
    assert content(move) == f'{words} {{"url":"{medium}"}} {others}', result.output
    assert move.ids_with(f"media {UPLOADS}/") == {1}


def test_ids_in_classes_blocks_and_galleries_change_with_the_id(
    library: Library, move: Any, client: Client
) -> None:
    sent = {"Content-Type": "image/png", "Content-Disposition": "attachment; filename=sun.png"}
    data = save(Image.new("RGB", (9, 9)), "PNG")
    assert client.post("/media", data=data, headers=sent).get_json()["id"] == 1
    for number in (1, 2):
        library.add(number, f"sun{number}.jpg", make(90, 60), slug="sun")
    text = (
        '<!-- wp:gallery {{"ids":[{0},2]}} -->[gallery ids="{0}, 2" size="1"]<!-- /wp:gallery -->'
        '<!-- wp:cover {{"dimRatio":1,"id":{0}}} --><img class="wp-image-{0} wp-image-19">'
        '<!-- wp:media-text {{"mediaId":{0}}} --><!-- wp:query {{"id":1}} -->'
    )
    gallery = [1, "2", {"id": 1, "alt": "1"}, 9, f"{library.site.url}{UPLOADS}/sun2-9x6.jpg"]
    write(library, text.format(1), gallery=gallery)
    write(library, '<!-- wp:block {"ref":44} /-->', number=2)
    pattern = json.dumps({"id": 44, "status": "publish", "content": {"raw": "wp-image-1"}})
    front = library.site.front
    library.site.front = lambda path: (200, {}, pattern) if "/blocks/44" in path else front(path)
    assert move(library.site.url, "--media").exit_code == 0
    new = next(item for item in client.get("/media").get_json() if item["slug"] == "sun-2")["id"]
    assert new > 2
    assert content(move) == text.format(new)
    full = urlsplit(client.get("/media/2").get_json()["source_url"]).path
    shown = move.row("page", 1)["meta"]["gallery"]
    assert shown == [new, "2", {"id": new, "alt": "1"}, 9, full]
    assert content(move, 2) == f"wp-image-{new}"
    assert client.get("/media/1").get_json()["mime_type"] == "image/png"


def test_a_repeated_import_fetches_only_what_has_another_file_there(
    library: Library, move: Any, client: Client
) -> None:
    urls = [library.add(number, f"{number}.jpg") for number in (70, 71, 72)]
    write(library, " ".join(urls))
    move(library.site.url, "--media")
    client.put("/media/70", json={"alt_text": "Mine"})
    before = move.rows()
    move(library.site.url, "--media")
    assert (move.rows(), len(library.fetched)) == (before, 3)
    assert move.report["counts"] == {"page": {"unchanged": 3}, "media": {"unchanged": 3}}
    assert client.get("/media/70").get_json()["alt_text"] == "Mine"
    client.delete("/media/71?force=true")
    library.items[0]["source_url"] = urls[0] = library.add(99, "new.jpg", make(60, 40))
    library.items[2]["source_url"] = urls[2] = f"{library.site.url}{UPLOADS}/gone.jpg"
    write(library, " ".join(urls))
    move(library.site.url, "--media")
    assert move.report["counts"]["media"] == {"updated": 1, "kept": 1, "left-out": 1}
    first, second, third = content(move).split()
    assert urlsplit(client.get("/media/70").get_json()["source_url"]).path == first
    # One that was deleted here stays so; one that cannot be fetched again stays as it was.
    assert (second, third) == (urls[1], before[0]["content_raw"].split()[2])
    move(library.site.url, "--media", "--force")
    assert move.report["counts"]["media"] == {"unchanged": 1, "created": 1, "left-out": 1}
    assert client.get("/media/71").get_json()["slug"] == "71"


DAMAGED, PRIVATE = "It is damaged, or no PNG", "a private address"
REFUSED = [
    (make()[:900], DAMAGED),
    (b"GIF89a<script>", DAMAGED),
    (save(Image.new("1", (8000, 8000)), "PNG"), "more than 50,000,000 pixels"),
    (bytes((20 << 20) + 1), "answered with more than 20 MiB"),
    ((404, {}, ""), "answered 404"),
    ((200, {}, "<h1>A page</h1>"), DAMAGED),
    ((302, {"Location": "http://localhost:1/x.jpg"}, ""), PRIVATE),
    ((302, {"Location": "https://localhost:1/x.jpg"}, ""), PRIVATE),
    ((302, {"Location": "http://[::1"}, ""), "which is no address"),
]


def test_pictures_that_cannot_be_stored_are_named_and_everything_else_is_here(
    library: Library, move: Any, client: Client
) -> None:
    urls = [library.add(50, "sun.jpg", make(9, 9))]
    for number, (answer, _) in enumerate(REFUSED, 51):
        urls.append(library.add(number, f"{number}.jpg", answer))
    library.add(99)
    library.items[-1]["source_url"] = "http://localhost:1/y.jpg"
    urls.append("http://localhost:1/y.jpg")
    write(library, " ".join(urls))
    result = move(library.site.url, "--media")
    assert result.exit_code == 3
    texts = {row["id"]: row["why"][0]["text"] for row in move.report["left_out"]}
    assert [*texts] == [*range(51, 51 + len(REFUSED)), 99]
    for number, (_, reason) in enumerate([*REFUSED], 51):
        assert reason in texts[number], number
    assert "left-out: media 55 was not read: http://" in result.output
    assert PRIVATE in texts[99]
    assert content(move).split()[1:] == urls[1:]
    assert [item["id"] for item in client.get("/media").get_json()] == [50]
    assert not [one for one in library.site.requests
                if UPLOADS in one["path"] and one["credentials"]]  # fmt: skip


def test_a_dry_run_counts_pictures_and_fetches_none(
    library: Library, move: Any, client: Client
) -> None:
    write(library, library.add(70))
    move(library.site.url)
    result = move(library.site.url, "--media", "--dry-run")
    assert "Pictures: 1 would be created\n" in result.output
    dry = move.report["counts"]
    assert (library.fetched, client.get("/media").get_json()) == ([], [])
    move(library.site.url, "--media")
    assert move.report["counts"] == dry == {
        "page": {"updated": 1, "unchanged": 2}, "media": {"created": 1},
    }  # fmt: skip


def test_a_picture_of_pages_in_different_batches_is_brought_once(
    library: Library, move: Any
) -> None:
    library.site.most = 1
    url = library.add(70)
    for number in (1, 2, 3):
        write(library, f"{number} {url}", number)
    move(library.site.url, "--media", "--revisions")
    assert move.report["counts"]["media"] == {"created": 1}
    assert len(library.fetched) == 1
    assert "/media-files/" in content(move, 3)


@pytest.mark.parametrize("mode", ["cut", "reset", "plain"])
def test_pictures_come_from_a_site_that_cuts_and_shows_no_raw_texts(
    library: Library, move: Any, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.contexts.discard("edit")
    home = library.site.url
    monkeypatch.setattr(library.site, "url", f"{home}/{mode}")
    urls = [library.add(number, f"{number}.jpg") for number in range(50, 59)]
    write(library, " ".join(urls))
    result = move(f"{home}/{mode}", "--media")
    assert result.exit_code == 0, result.output
    assert move.report["counts"]["media"] == {"created": 9}


def test_media_that_cannot_be_listed_prevents_no_import_of_pages(
    library: Library, move: Any
) -> None:
    write(library, f"{library.add(70)} wp-image-70")
    front = library.site.front
    library.site.front = lambda path: (500, {}, "") if "/media" in path else front(path)
    result = move(library.site.url, "--media")
    assert result.exit_code == 1
    assert "Some pictures were not found, since their list cannot be read" in result.output
    assert move.report["counts"] == {"page": {"created": 3}}


@pytest.mark.servers
def test_a_killed_import_goes_on_and_fetches_no_stored_picture_again(
    library: Library, move: Any, client: Client
) -> None:
    urls = [library.add(number, f"{number}.jpg") for number in range(50, 62)]
    write(library, " ".join(urls))
    kill = threading.Event()
    front = library.site.front

    def slow(path: str) -> Any:
        if len(library.fetched) == 8:
            kill.set()
            time.sleep(30)
        return front(path)

    library.site.front = slow
    started = move.start(library.site.url, "--media", "--probe", "0")
    assert kill.wait(60)
    os.kill(started.pid, signal.SIGKILL)
    started.communicate()
    stored = [item["id"] for item in client.get("/media?per_page=100").get_json()]
    assert stored
    library.site.front, library.fetched = front, []
    result = move(library.site.url, "--media")
    assert (result.exit_code, move.report["counts"]["media"]) == (0, {"created": 12})
    assert len(library.fetched) == 12 - len(stored)
    assert client.get("/media").headers["X-WP-Total"] == "12"
    assert content(move).count("/media-files/") == 12
    assert command(move.store.url, "verify").exit_code == 0


def test_an_export_has_what_was_imported(
    library: Library, move: Any, client: Client, tmp_path: Path, make_database: Callable[[], str]
) -> None:
    write(library, library.add(70, "sun.jpg", make(400, 300)))
    move(library.site.url, "--media")
    file = f"{tmp_path}/all.ndjson"
    assert command(move.store.url, "export", file, "--media").exit_code == 0
    other = make_database()
    assert command(other, "import", file).exit_code == 0
    assert "Nothing is wrong." in command(other, "verify").output
    assert command(other, "export").stdout == command(move.store.url, "export").stdout


def test_the_option_is_refused_where_there_are_no_pictures(
    library: Library, move: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = move.export({"id": 5})
    for arguments in ([page], [library.site.url, "--only", "feeds"]):
        result = move(*arguments, "--media")
        assert result.exit_code == 2
        assert "--media needs a live site, and pages" in result.output
    monkeypatch.setitem(sys.modules, "PIL", None)
    result = move(library.site.url, *PAGES, "--media")
    assert (result.exit_code, move.rows()) == (2, [])
    assert "install landform[media]" in result.output


def test_pages_that_are_nested_too_deep_stop_no_import(library: Library, move: Any) -> None:
    library.add(70)
    page, library.site.pages = library.site.pages[0], []
    for number in range(1, 61):
        deep: Any = "x"
        for _ in range(300 + 3 * number):
            deep = [deep]
        edit = {"id": number, "slug": f"page-{number}", "meta": {"gallery": deep}}
        library.site.pages.append({**page, "edit": page["edit"] | edit})
    assert "Pages: " in move(library.site.url, "--media").output
    assert sum(move.report["counts"]["page"].values()) == 60
    assert {one["why"][0]["code"] for one in move.report["left_out"]} <= {"unreadable", "refused"}
