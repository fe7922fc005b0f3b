"""The grammar of blocks: what nobody changes keeps its bytes, and broken markup says where."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, needs
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.service.rendering.content import render_content

HERE, STATIC = Path(__file__).parent, ROOT / "parts/console/static"
SITES = ROOT.glob("tests/parts/moving_in/standin/sites/*/*.json")
RECORDED = [ROOT / "tests/conformance/pages.json", *SITES]
pytestmark = [needs("node"), pytest.mark.clients]


def node(script: str, *arguments: str, given: str = "") -> Any:
    """Run a script with the modules of the console, and return the JSON that it prints."""
    command = [shutil.which("node"), script, *arguments]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def checked(contents: list[str]) -> Any:
    found = node(str(HERE / "grammar.js"), str(STATIC), given=json.dumps(contents))
    assert found["wrong"] == [], found["wrong"][0]
    return found


def texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


def recorded() -> list[str]:
    found = {text for path in RECORDED for text in texts(json.loads(path.read_bytes()))}
    return sorted(found | {(ROOT / "tests/site/blocks.html").read_text()})


def test_recorded_contents_keep_their_bytes_but_those_of_an_edited_block() -> None:
    found = checked(recorded())
    assert found["problems"] == []
    assert found["blocks"] > 500
    assert found["edits"] > 200


NAMES = ["paragraph", "heading", "group", "column", "columns", "quote", "acme/x_1", "core/cover"]
SPACE = st.sampled_from(["", "\n", "\r\n\r\n", " \t", "\u00a0", "\n<!-- more -->\n"])
HTML = st.sampled_from([
    "<p>a</p>", "<h2 class='x' id=y>b &amp; <em>c</em></h2>", "<li>d", "<p>unclosed", "</p>",
    "e < f", '<img src=g.png alt="h > i"/>', "<a class=\"wp-block-button__link\" href='/'>j</a>",
    "\u0130\U0001f600", "<td>k</td><td><p>l</p></td>", "<!--wp-->", "<DIV\n>", "<cite>m</cite>",
])  # fmt: skip
ATTRIBUTES = st.sampled_from([
    "", '{"a":1} ', '{"b":"}"}\n', '{"c":{"d":["\\"-->"]}} ', '{"level":3}  ', "{broken} ",
    '{"style":{"color":{"text":"#fff"}}} ',
])  # fmt: skip
PIECE = st.deferred(lambda: st.one_of(SPACE, HTML, ALONE, NESTED))
ALONE = st.builds(
    lambda name, json: f"<!-- wp:{name} {json}/-->", st.sampled_from(NAMES), ATTRIBUTES
)
NESTED = st.builds(
    lambda name, json, pieces: f"<!-- wp:{name} {json}-->{''.join(pieces)}<!--  /wp:{name}\n-->",
    st.sampled_from(NAMES), ATTRIBUTES, st.lists(PIECE, max_size=4),
)  # fmt: skip
CONTENT = st.lists(PIECE, max_size=6).map("".join)


@settings(max_examples=20)
@given(st.lists(CONTENT, min_size=20, max_size=60))
def test_any_nesting_keeps_its_bytes_but_those_of_an_edited_block(contents: list[str]) -> None:
    assert checked(contents)["problems"] == []


BROKEN = {
    "a\n<!-- wp:group -->": "Line 2: wp:group is not closed.",
    "<!-- /wp:group -->": "Line 1: wp:group is closed, but no block is open.",
    "<!-- wp:group -->\n\n<!-- /wp:list -->":
        "Line 3: wp:list is closed, but wp:group of line 1 is open.",
    "<!-- wp:group": "Line 1: this is no complete delimiter of a block.",
    "<!-- wp:Group -->": "Line 1: this is no complete delimiter of a block.",
    '<!-- wp:group {"a":1 -->': "Line 1: this is no complete delimiter of a block.",
    "<!-- wp:group -->" * 60: "Line 1: blocks are nested too deep.",
}  # fmt: skip


def test_broken_markup_says_where() -> None:
    assert checked(list(BROKEN))["problems"] == list(BROKEN.values())


def normal(html: str) -> str:
    """Return HTML without the white space and comments that nobody sees."""
    plain = re.sub(r"<!--.*?-->|\s+", " ", re.sub(r"<br\s*/?>", "<br>", html))
    # A comment alone is in a paragraph of its own.
    plain = re.sub(r"<p>\s*</p>", "", plain)
    elements = r"\s*(</?(?:p|ul|ol|li|div|h\d|blockquote|hr|br)\b[^>]*>)\s*"
    return re.sub(elements, r"\1", plain).strip()


CLASSIC = [
    "One\n\nTwo\nlines", "<h3>T</h3>\n<ul>\n<li>a</li>\n</ul>\n<hr />\ntext <b>bold</b>",
    "<p>\n a\nb</p>", "<blockquote><p>q</p></blockquote>\n\n[gravityform id=\"2\"]",
    "<div>a</div>b", "a <!--x--> b\n\n<!--more-->\nc",
]  # fmt: skip
# Line breaks in these are made by what renders classic text only.
WHOLE = ["<b>a\n\nb</b>", "<div>a\n\nb</div>", "<ul><li>a\nb</li></ul>", "<div>unclosed"]


def test_classic_text_is_split_where_visitors_see_the_same_page() -> None:
    sources = [text for text in recorded() if "<" in text or "\n" in text]
    # What was rendered before is no source.
    raw = [text for text in sources if "</p>" not in text and "<script" not in text]
    found = checked([*raw, *CLASSIC, *WHOLE])["splits"]
    assert len(found) > 50
    for content, made in found:
        assert normal(render_content(made)[0]) == normal(render_content(content)[0])
    split = [content for content, _ in found]
    assert set(CLASSIC) <= set(split)
    assert not set(WHOLE) & set(split)


def test_patterns_are_blocks_that_the_editor_knows_in_eight_languages() -> None:
    found = node(str(HERE / "patterns.js"), str(STATIC))
    assert found["known"]
    languages = [dict(patterns) for patterns in found["made"]]
    assert [len(patterns) for patterns in languages] == [7] * 9
    for name in languages[0]:
        assert len({patterns[name] for patterns in languages}) == 8
    assert languages[-1] == languages[0]
    # The colors are those that pages have.
    presets = re.findall(
        r'^  \("([a-z-]+)", "(#\w+)"',
        (ROOT / "service/site/templates/style.html").read_text(),
        re.M,
    )
    offered = {name: shade for name, _, *shade in found["colors"] if shade}
    assert offered == {name: [shade] for name, shade in presets if name not in ("base", "contrast")}
