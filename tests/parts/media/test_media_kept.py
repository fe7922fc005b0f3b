"""The files of pictures in the commands that look after a database."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from applications import Client, service
from files import command
from uploads import fetch, picture, raw, upload, urls_of

FOLDER = "sqlite:///{}/{}.db"


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


def make_old(folder: Path) -> None:
    hours_ago = time.time() - 7200
    for file in folder.glob("*/*"):
        os.utime(file, (hours_ago, hours_ago))


def shown(client: Client) -> list[int]:
    """Return the ids of all pictures, all of whose files have to be there."""
    items = client.get("/media?orderby=id&order=asc").get_json()
    for item in items:
        for address in urls_of(item):
            fetch(client, address)
    return [item["id"] for item in items]


@pytest.mark.sqlite("a server has backups of its own")
@pytest.mark.parametrize("place", ["", "database"])
def test_a_backup_has_the_files_and_a_restore_puts_them_back(
    tmp_path: Path, url: str, place: str
) -> None:
    client, settings = service(url, MEDIA=place), {"LANDFORM_MEDIA": place}
    upload(client, picture(400, 300))
    client.store.dispose()
    for _ in range(2):
        done = command(url, "backup", f"{tmp_path}/all.db", "--force", **settings)
        assert done.exit_code == 0, done.output
        upload(client)
        client.store.dispose()
    client.delete("/media/1?force=1")
    client.delete("/media/2?force=1")
    client.store.dispose()
    restored = command(url, "restore", f"{tmp_path}/all.db", **settings)
    assert restored.exit_code == 0, restored.output
    again = service(url, MEDIA=place)
    assert shown(again) == [1, 2]
    again.store.dispose()
    assert command(url, "verify", **settings).output == "Nothing is wrong.\n"
    shutil.rmtree(f"{tmp_path}/all.db.media", ignore_errors=True)
    without_files = command(url, "restore", f"{tmp_path}/all.db", **settings)
    assert ("There is no folder" in without_files.output) == (place == "")


@pytest.mark.sqlite("it is about files")
def test_files_that_no_picture_has_are_named_and_removed_after_an_hour(
    tmp_path: Path, url: str
) -> None:
    client = service(url)
    item = upload(client, picture(400, 300))
    folder = Path(f"{url.removeprefix('sqlite:///')}.media")
    stray = folder / "0123456789abcdef0123" / ".sun.png.12345678.part"
    stray.parent.mkdir()
    stray.write_bytes(b"half a file")
    client.store.dispose()
    assert command(url, "verify").output == "Nothing is wrong.\n"
    make_old(folder)
    assert "1 files that no picture has" in command(url, "verify").output
    assert "1 files that no picture had were removed" in command(url, "vacuum").output
    assert not stray.parent.exists()
    assert command(url, "verify").output == "Nothing is wrong.\n"
    next(folder.glob("*/sun-300x225.png")).unlink()
    verified = command(url, "verify")
    assert f"1 pictures whose files are missing: {item['id']}." in verified.output
    assert verified.exit_code == 1


def test_a_copy_brings_the_files_to_the_place_of_the_target(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    source, target = make_database(), make_database()
    client = service(source)
    upload(client, picture(400, 300))
    client.store.dispose()
    for place in (target, FOLDER.format(tmp_path, "target")):
        done = command(source, "copy", source, place)
        assert done.exit_code == 0, done.output
        copied = service(place)
        assert shown(copied) == [1]
        copied.store.dispose()


def test_an_export_has_pictures_if_they_are_asked_for(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    source, target, file = make_database(), make_database(), tmp_path / "all"
    client = service(source)
    page = client.page()
    for number in range(2):
        upload(client, picture(400, 300 + number), post=str(page["id"]), caption="C")
    before: Any = client.get("/media?context=edit").get_json()
    client.store.dispose()
    left_out = command(source, "export", str(file))
    assert "2 pictures are left out" in left_out.output
    exported = command(source, "export", str(file), "--media", "--force")
    assert exported.exit_code == 0, exported.output
    kinds = [json.loads(line)["resource"] for line in file.read_text().splitlines()]
    assert kinds == ["page", "media", "media"]
    for outcome in ("3 created", "3 unchanged"):
        imported = command(target, "import", str(file))
        assert (imported.exit_code, outcome in imported.output) == (0, True), imported.output
    copied = service(target)
    assert shown(copied) == [1, 2]
    assert copied.get("/media?context=edit").get_json() == before
    found = copied.get("/media?search=sun").get_json()
    assert len(found) == 2
    copied.store.dispose()


def test_an_import_by_slug_attaches_pictures_to_the_pages_with_their_slugs(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    source, target, file = make_database(), make_database(), tmp_path / "all"
    client, there = service(source), service(target)
    there.page(slug="other")
    for slug in ("unchanged", "new"):
        upload(client, title=slug, post=str(client.page(title="P", slug=slug)["id"]))
    upload(client, title="none")
    known = there.page(title="P", slug="unchanged")["id"]
    client.store.dispose()
    command(source, "export", str(file), "--media")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines.append({**lines[-1], "id": 9, "slug": "lost", "page": 99})
    file.write_text("\n".join(map(json.dumps, lines)))
    imported = command(target, "import", str(file), "--by", "slug")
    assert imported.exit_code == 0, imported.output
    new = there.get("/pages?slug=new").get_json()[0]["id"]
    found = {one["slug"]: one["post"] for one in there.get("/media").get_json()}
    assert found == {"unchanged": known, "new": new, "none": None, "lost": None}
    there.store.dispose()


WRONG = {
    "folder": "../../etc", "file": "../passwd", "mime_type": "text/html",
    "sizes": [{"name": "x", "file": "/etc/passwd", "width": 1, "height": 1}],
}  # fmt: skip


def test_a_line_with_a_path_is_refused(url: str, tmp_path: Path) -> None:
    client, file = service(url), tmp_path / "all"
    client.post("/media", **raw(picture()))
    client.store.dispose()
    command(url, "export", str(file), "--media")
    line = json.loads(file.read_text())
    for name, value in WRONG.items():
        file.write_text(json.dumps({**line, name: value}))
        assert "Nothing was imported" in command(url, "import", str(file)).output
