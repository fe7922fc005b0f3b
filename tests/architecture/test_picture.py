"""The picture of the rooms is that of the code as it is."""

import runpy

from rooms import ROOMS, ROOT

PICTURE = runpy.run_path(str(ROOT / "docs/picture.py"))


def test_every_room_is_in_the_picture_once() -> None:
    drawn = [room for rooms in PICTURE["COLUMNS"].values() for room in rooms]
    assert sorted(drawn) == sorted(ROOMS)
    assert set(PICTURE["STEPS"]) <= set(ROOMS)


def test_the_committed_picture_is_what_the_script_draws() -> None:
    committed = (ROOT / "docs/architecture.svg").read_text()
    assert committed == PICTURE["draw"](), "Run `python docs/picture.py`."


def test_the_architecture_page_has_the_table() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    assert page == PICTURE["with_table"](page), "Run `python docs/picture.py`."
    assert page.count("\n| ") == len(ROOMS) + 1
