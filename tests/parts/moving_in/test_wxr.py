"""Pages of a file that WordPress exported, and feeds of one that Gravity Forms exported."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from moving_in import META, move, recorded_site, server, small_site
from processes import python

from landform.storage.maintenance import verify


def test_pages_are_imported_from_a_file(move: Any) -> None:
    meta = META.format("form_id", "3") + META.format("language", 'a:2:{i:0;s:2:"es";i:1;s:2:"fr";}')
    meta += META.format("viral_share", "x") + META.format("viral_share", "y")
    meta += META.format("color", "red") + META.format("_edit_lock", "1:1")
    meta += META.format("gallery", "a.jpg") + META.format("gallery", 'O:1:"x":0:{}')
    result = move.pages(
        {"meta": meta}, {"id": 6, "type": "post"},
        {"id": 8, "status": "draft", "gmt": "0000-00-00 00:00:00", "slug": "summer"},
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    page = move.row("page", 5)
    assert page.pop("meta") == {
        "starts_at": "", "ends_at": "", "form_id": "3", "viral_share": ["x", "y"],
        "instant_win": [], "language": ["es", "fr"], "gallery": ["a.jpg"],
    }  # fmt: skip
    assert move.ids_with("meta-unreadable gallery") == {5}
    assert page.items() >= {
        "author": 7, "date": "2026-07-01T12:00:00", "date_utc": "2026-07-01T10:00:00",
        "title_raw": "Tïtle & more", "content_rendered": "<p>Hi</p>", "block_version": 1,
        "password": "secret", "slug": "summer", "status": "publish", "date_floats": False,
    }.items()  # fmt: skip
    draft = move.row("page", 8)
    assert (draft["date_floats"], draft["slug"]) == (True, "summer-2")
    assert "lost meta.color" in result.output
    assert "_edit_lock" not in result.output
    assert list(verify.find_problems(move.store)) == []


def test_invalid_characters_are_replaced_and_reported(move: Any) -> None:
    broken = dict(enumerate([b"\x0b", b"\x00", b"\xe9", b"\xef\xbf\xbd"], 5))
    file = move.export(*({"id": n, "slug": f"p{n}", "title": f"a@{n}@b"} for n in broken))
    for number, character in broken.items():
        file.write_bytes(file.read_bytes().replace(f"@{number}@".encode(), character))
    result = move(file)
    assert {row["title_raw"] for row in move.rows()} == {"a\ufffdb"}
    # A character that was replaced before is as it was.
    assert move.ids_with("control-characters") == {5, 6, 7}, result.output


def test_lines_end_with_line_feeds(move: Any) -> None:
    file = move.export({"content": "a\nb\r\nc" + "x\r\n" * 40_000})
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n").replace(b"\r\r", b"\r"))
    move(file)
    assert move.row("page", 5)["content_raw"] == "a\nb\nc" + "x\n" * 40_000


ODD = {
    "no id": lambda text: text.replace("<wp:post_id>5</wp:post_id>", ""),
    "an empty id": lambda text: text.replace("id>5<", "id><"),
    "a text as id": lambda text: text.replace("id>5<", "id>five<"),
    "an id of many digits": lambda text: text.replace("id>5<", f"id>{'9' * 5000}<"),
    "an id beyond 64 bits": lambda text: text.replace("id>5<", f"id>{2**70}<"),
    "no author": lambda text: text.replace("<dc:creator><![CDATA[ana]]></dc:creator>", "", 1),
    "a text as author": lambda text: text.replace("author_id>7<", "author_id>x<"),
    "an author beyond 64 bits": lambda text: text.replace("author_id>7<", f"author_id>{2**63}<"),
    "a text as parent": lambda text: text.replace("post_parent>0<", "post_parent>x<", 1),
    "a broken value": lambda text: text.replace(
        "post_password>secret</wp:post_password>",
        "post_password></wp:post_password>" + META.format("form_id", "a:1:{a:0:{}i:1;}"), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_an_invalid_item_is_left_out_or_reported(move: Any, case: str) -> None:
    file = move.export({"title": "Odd"}, {"id": 6, "slug": "b"})
    file.write_text(ODD[case](file.read_text("utf-8")), "utf-8")
    for code in (3, 0):
        result = move(file)
        has_id = "id" not in case
        assert move.ids() == ([5, 6] if has_id else [6]), result.output
        assert (result.exit_code, len(move.report["problems"])) == ((0, 0) if has_id else (code, 1))
        assert has_id or "A page (Odd) was left out" in result.output
    assert ("author-missing" in move.codes()) == ("author" in case)
    assert ("lost parent" in move.codes()) == ("parent" in case)


ENCODINGS = ("klingon", "ISO-8859-1", "idna", "zip")
NO_EXPORTS = (
    *("hello", "<rss><channel>", "<rss><channel></channel></rss>"),
    *(f'<?xml version="1.0" encoding="{name}"?><rss></rss>' for name in ENCODINGS),
    '<!DOCTYPE a [<!ENTITY b "c">]><rss>&b;</rss>',
)


def test_a_file_that_is_no_export_is_refused(move: Any) -> None:
    file = move.folder / "export.xml"
    for text in NO_EXPORTS:
        file.write_text(text)
        result = move(file)
        assert (result.exit_code, move.rows()) == (2, []), text
        assert "is no export of WordPress" in result.output, text


SELECTIONS: dict[str, tuple[tuple[str, ...], list[int]]] = {
    "two of them": (("--status", "draft", "--status", "private"), [6, 7, 8]),
    "any": (("--status", "any"), [5, 6, 7, 8, 9]),
    "a time with a zone": (("--since", "2026-08-01T12:00:00+02:00"), [7, 8, 9]),
    "a day": (("--since", "2026-08-02"), [8, 9]),
    "both": (("--since", "2026-08-01T09:59:59Z", "--status", "draft"), [6, 7]),
}


@pytest.mark.parametrize("case", SELECTIONS)
def test_pages_of_a_file_are_selected_by_status_and_time(move: Any, case: str) -> None:
    options, ids = SELECTIONS[case]
    result = move.pages(
        {"id": 5}, {"id": 6, "status": "draft", "modified": "2026-08-01 10:00:00"},
        {"id": 7, "status": "draft", "modified": "2026-08-01 10:00:01"},
        {"id": 8, "status": "private", "modified": "2026-08-03 10:00:00"},
        # Older exports have no modification dates.
        {"id": 9, "modified": ""}, options=options,
    )  # fmt: skip
    assert (result.exit_code, move.ids()) == (0, ids), result.output


@pytest.mark.parametrize(
    ("source", "option", "reason"),
    [
        (__file__, ["--delete"], "--delete needs a live site"),
        ("http://127.0.0.1:1", ["--forms", __file__], "--forms goes with a file only"),
        ("http://127.0.0.1:1", ["--since", "yesterday"], "'yesterday' does not match"),
    ],
)
def test_an_option_without_effect_is_refused(
    move: Any, source: str, option: list[str], reason: str
) -> None:
    result = move(source, *option)
    assert (result.exit_code, move.rows()) == (2, [])
    assert reason in result.output


@pytest.mark.parametrize("option", ["--report", "--redirects"])
def test_nothing_is_imported_without_a_folder_for_the_report_and_it_is_printed_if_the_disk_is_full(
    move: Any, tmp_path: Path, option: str
) -> None:
    command = ("import-wordpress", str(move.export({})), option)
    result = move.run(*command, str(tmp_path / "no" / "x"))
    assert (result.exit_code, move.rows()) == (2, [])
    assert f"there is no folder {tmp_path / 'no'} that may be written to" in result.output
    result = move.run(*command, "/dev/full")
    assert (result.exit_code, len(move.rows())) == (1, 1)
    assert result.output.startswith("Pages: 1 created")
    assert "/dev/full could not be written" in result.output


def test_the_pages_of_a_cut_file_are_stored_and_the_import_is_continued(move: Any) -> None:
    file = move.export(*({"id": number, "slug": f"p-{number}"} for number in range(1, 111)))
    text = file.read_text()
    file.write_text(text[: text.index("<wp:post_id>105<")])
    result = move(file, "--dry-run")
    assert (result.exit_code, len(move.rows())) == (2, 0)
    assert "Nothing was imported." in result.output
    result = move(file)
    assert (result.exit_code, len(move.rows())) == (1, 104)
    assert "breaks after 104 pages" in result.output
    assert move.report["counts"]["page"] == {"created": 104}
    assert "What was read is stored" in result.output
    file.write_text(text)
    assert move(file).exit_code == 0
    assert move.report["counts"]["page"] == {"created": 110}


def import_forms(move: Any, forms: Any) -> Any:
    """Import a page and a file of forms."""
    file = move.folder / "forms.json"
    file.write_text(forms if isinstance(forms, str) else json.dumps(forms))
    return move.pages({}, options=("--forms", str(file)))


FORM = {"id": 3, "title": "Contact", "fields": []}
FEED = {"id": "9", "form_id": "3", "is_active": "0", "meta": {"feedName": "F"}}


def test_feeds_are_imported_from_a_file_of_gravity_forms(move: Any) -> None:
    """An invalid file is refused before pages are stored, a feed without an id left out."""
    nested = '{"0": {"feeds": ' + '{"a": ' * 1_010 + "1" + "}" * 1_012
    for forms, reason in (([], "it holds no forms"), (nested, "it is nested too deep")):
        result = import_forms(move, forms)
        assert (result.exit_code, move.rows()) == (2, [])
        assert f"{reason}.\nNothing was imported." in result.output
    feeds = {number: {**FEED, "id": str(number)} for number in range(6, 10)}
    shapes = [
        [{**feeds[6], "addon_slug": "mail"}], {"7": {**feeds[7], "addon_slug": "mail"}},
        {"mail": [feeds[8]]}, {"mail": {"9": feeds[9]}},
        {"mail": [{**FEED, "id": number, "title": None} for number in (None, "x")]},
    ]  # fmt: skip
    exported = {str(n): {**FORM, "id": n, "feeds": shape} for n, shape in enumerate(shapes, 3)}
    result = import_forms(move, {**exported, "version": "2.10"})
    assert result.exit_code == 3, result.output
    for number in feeds:
        feed = move.row("feed", number)
        assert (feed["meta"], feed["addon_slug"]) == ({"feedName": "F"}, "mail")
        assert (feed["form_id"], feed["is_active"]) == (3, False)
    assert [text[:20] for text in move.report["problems"]] == 2 * ["A feed () was left o"]
    assert not move.report["warnings"]


def test_a_file_without_pages_or_feeds_causes_a_warning(move: Any) -> None:
    result = import_forms(move, {"0": {**FORM, "feeds": "none"}, "version": "2.10"})
    assert result.exit_code == 0
    assert f"No feeds were found in {move.folder / 'forms.json'}" in result.output
    result = move.pages({"type": "post"})
    assert (result.exit_code, "No pages were found in" in result.output) == (0, True)


def test_the_import_of_a_file_is_continued_from_the_site(small_site: Any, move: Any) -> None:
    move(move.export({"id": 2, "slug": "start"}, home=small_site.url))
    move(small_site.url)
    assert move.report["counts"]["page"] == {"updated": 1, "created": 11}
    assert move.row("page", 2)["title_raw"] == "Start"


def test_blanks_around_a_text_count_only_in_contents(move: Any) -> None:
    meta = META.format("form_id", "3") + META.format("language", 'a:1:{i:0;s:2:"es";}')
    file = move.export({"content": " \n<p>Hi</p>\n ", "meta": meta})
    text = re.sub("<!\\[CDATA\\[(.*?)\\]\\]>", "\n\t<![CDATA[\\1]]>\r\n ", file.read_text("utf-8"))
    for name in ("post_id", "post_type", "status", "post_name", "post_date", "base_blog_url"):
        text = re.sub(f"<wp:{name}>(.*?)</", f"<wp:{name}>\n <![CDATA[\\1]]>\n </", text)
    file.write_text(text, "utf-8")
    result = move(file)
    page = move.row("page", 5)
    assert (result.exit_code, move.report["site"]) == (0, "shop.example")
    assert (page["slug"], page["title_raw"], page["author"]) == ("summer", "Tïtle & more", 7)
    assert (page["meta"]["form_id"], page["meta"]["language"]) == ("3", ["es"])
    assert page["content_raw"] == " \n<p>Hi</p>\n "


@pytest.mark.parametrize(("version", "scheme"), [("1.0", "http"), ("1.1", "https")])
def test_elements_of_other_namespaces_are_ignored(move: Any, version: str, scheme: str) -> None:
    others = (
        "<itunes:title>No</itunes:title><media:title>No</media:title><media:content>No"
        "</media:content><itunes:author>No</itunes:author><media:status>No</media:status>"
        "<media:encoded>No</media:encoded><title xmlns='urn:x'>No</title>"
        "<media:post_id>9</media:post_id><itunes:item/><!-- <title>No</title> -->"
    )
    spaces = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:media='urn:media'"
    file = move.export({})
    text = file.read_text("utf-8").replace("export/1.2/", f"export/{version}/")
    text = text.replace("http://wordpress.org", f"{scheme}://wordpress.org")
    text = text.replace("</item>", f"{others}</item>").replace("<rss ", f"<rss {spaces} ")
    text = text.replace("<item><title>", f"<item>{others}<title>")
    # With a byte order mark, and the line ends of Windows.
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    result = move(file)
    page = move.row("page", 5)
    assert (page["title_raw"], page["status"], page["author"]) == ("Tïtle & more", "publish", 7)
    assert page["content_rendered"] == "<p>Hi</p>", result.output


SERIALIZED: dict[str, Any] = {
    'a:1:{i:0;s:8:"One\r\nTwo";}': ["One\nTwo"],
    'a:2:{i:0;s:22:"http://old.example/a.jpg";i:1;s:1:"b";}': ["http://old.example/a.jpg", "b"],
    'a:2:{i:0;s:4:"über";i:1;s:2:"é";}': ["über", "é"],
    'a:1:{i:0;s:99:"a "quoted"; one";}': ['a "quoted"; one'],
    's:9:"text";': ["text"],
    'a:1:{s:2:"é";b:1;}': [{"é": True}],
    'a:1:{i:3;a:1:{s:1:"k";d:0.5;}}': [{"k": 0.5}],
    "a:9:{": None,
    "s:5": ["s:5"],
    'a:1:{i:0;a:1:{s:3:"url";s:1:"long";}}': [{"url": "long"}],
    'a:1:{i:0;s:2:"es";}': ["es"],
    "a: a text": ["a: a text"],
    's:5:"text": a text': None,
    'O:8:"stdClass":1:{s:1:"a";i:1;}': None,
    'a:1:{i:0;O:8:"stdClass":0:{}}': None,
    'a:2:{i:0;s:2:"es";i:1;R:2;}': None,
    'a:1:{i:0;s:8:"cut of': None,
    'a:3:{i:0;s:2:"es";}': None,
    'a:1:{i:0;s:1:"a";s:9:"b";i:1;}': None,
    "a:1:{i:0;d:INF;}": None,
    'C:11:"ArrayObject":2:{x}': None,
    'E:7:"Suit:No";': None,
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_serialized_field_is_repaired_or_empty(move: Any, line_end: str) -> None:
    texts = dict(enumerate(SERIALIZED, 1))
    metas = {
        n: META.format("gallery", one) + META.format("form_id", one) for n, one in texts.items()
    }
    file = move.export(*({"id": n, "slug": f"p{n}", "meta": meta} for n, meta in metas.items()))
    file.write_bytes(file.read_bytes().replace(b"\r\n", line_end.encode()))
    result = move(file)
    assert result.exit_code == 0, result.output
    stored = {row["id"]: row["meta"] for row in move.rows()}
    found = {n: (meta["gallery"], "a:1:{" in meta["form_id"]) for n, meta in stored.items()}
    assert found == {number: (SERIALIZED[text] or [], False) for number, text in texts.items()}
    unreadable = move.ids_with("meta-unreadable gallery")
    assert unreadable == {number for number, text in texts.items() if SERIALIZED[text] is None}


@pytest.mark.servers
def test_an_export_is_read_from_a_pipe(move: Any) -> None:
    pipe, data = move.folder / "pipe", move.export({}).read_bytes()
    os.mkfifo(pipe)
    with move.start(pipe) as started:
        pipe.write_bytes(data)
        output, _ = started.communicate(timeout=60)
    assert (started.returncode, len(move.rows())) == (0, 1), output


@pytest.mark.servers
def test_without_the_extra_the_command_names_it() -> None:
    blocked = "import sys; sys.modules['defusedxml'] = None; "
    run = "from landform.standalone.cli import main; main(sys.argv[1:])"
    result = python("-c", blocked + run, "import-wordpress", "--dry-run", __file__)
    assert (result.returncode, "the extra `wordpress`" in result.stderr) == (2, True)
