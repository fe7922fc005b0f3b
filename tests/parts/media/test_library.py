"""The library of pictures in the console."""

import base64
from pathlib import Path

import pytest
from browsers import Console
from uploads import picture

pytestmark = pytest.mark.servers


@pytest.fixture
def file(tmp_path: Path) -> str:
    file = tmp_path / "sun above a hill.png"
    file.write_bytes(picture(400, 300))
    return str(file)


def choose(console: Console, file: str) -> None:
    """Choose a file, in place of the dialog of the system."""
    console.driver.find_element("css selector", "input[type=file]").send_keys(file)


def test_somebody_uploads_a_picture_says_what_it_shows_and_deletes_it(
    console: Console, file: str, tmp_path: Path
) -> None:
    console.open("#/media", "Upload pictures")
    choose(console, file)
    console.sees("Say what it shows.", "400 × 300")
    console.type("What it shows", "The sun above a hill")
    console.click("Save", sees="The picture was saved.")
    stored, *_ = console.server.call("GET", "/media")[1]
    assert (stored["alt_text"], stored["title"]["rendered"]) == (
        "The sun above a hill", "sun above a hill",
    )  # fmt: skip
    content = f'<img src="{stored["source_url"]}">'
    console.server.call("POST", "/pages", {"title": "Fair", "content": content})
    console.server.call("POST", "/pages", {"title": "Tour", "meta": {"gallery": [stored["id"]]}})
    console.open(f"#/media/{stored['id']}", "Pages with it", "Fair", "Tour")
    console.click("Delete", sees="These pages use it")
    console.click("Delete", 1, sees="The picture was deleted.")
    assert console.server.call("GET", f"/media/{stored['id']}")[0] == 404
    (tmp_path / "note.png").write_text("no picture")
    choose(console, str(tmp_path / "note.png"))
    console.sees("note.png: The file is no picture that can be stored.")
    assert console.errors() == []


# Gives a file to the page: its bytes in Base64, its name, and the name of the event.
GIVE = """
const [base64, name, event] = arguments, clipboardData = new DataTransfer();
const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
clipboardData.items.add(new File([bytes], name, {type: "image/png"}));
if (event === "paste") dispatchEvent(new ClipboardEvent("paste", {clipboardData}));
else document.querySelector("input[type=file]").parentNode
  .dispatchEvent(new DragEvent("drop", {dataTransfer: clipboardData}));
"""


def test_pictures_are_dropped_and_pasted_and_found_again(console: Console) -> None:
    sent = base64.b64encode(picture(40, 30)).decode()
    for event in ("drop", "paste"):
        console.open("#/media", "Upload pictures")
        console.driver.execute_script(GIVE, sent, f"by {event}.png", event)
        console.sees("Say what it shows.", "40 × 30")
    console.open("#/media", "by drop", "by paste")
    console.type("Search", "paste")
    console.misses("by drop")
    console.sees("by paste")
    assert console.errors() == []


def test_somebody_puts_a_picture_of_the_library_into_a_page(console: Console, file: str) -> None:
    console.open("#/pages/new")
    console.type("Title", "With a picture")
    console.click("Add a block")
    console.click("Picture", sees="Choose from the library")
    console.click("Choose from the library", sees="Upload pictures")
    choose(console, file)
    console.until(lambda: "/media-files/" in console.value("Address of the picture"))
    console.click("Choose from the library", sees="sun above a hill")
    console.click("Cancel")
    console.click("Edit as code")
    assert 'sun-above-a-hill.png" width="400" height="300"/>' in console.value("Content")
    assert console.errors() == []
