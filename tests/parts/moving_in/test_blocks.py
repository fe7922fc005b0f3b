"""Blocks that only WordPress renders: put in their place, or named, from a file as from a site."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from moving_in import move, stand_in
from test_other_sites import PAGES, own, small
from wxr import written

FORM = '<!-- wp:gravityforms/form {"formId":"3","title":false} /-->'
EMBED = "<!-- wp:{name} -->\n<figure>\nhttps://vimeo.com/1\n</figure>\n<!-- /wp:{name} -->"
LOST = {
    FORM: "block gravityforms/form",
    "<!-- wp:latest-posts /-->": "block core/latest-posts",
    '<!-- wp:core/latest-posts {"a":"--\\u003e"} /-->': "block core/latest-posts",
    '<!-- wp:pattern {"slug":"core/two"} /-->': "block core/pattern",
    "<!-- wp:acme/price -->\r\n <!-- /wp:acme/price -->": "block acme/price",
    '<ul><!-- wp:social-link {"url":"x"} /--></ul>': "block core/social-link",
    '<!-- wp:block {"ref":999} /-->': "block core/block",
    '<!-- wp:block {"ref":"x"} /-->': "block core/block",
    "<!-- wp:block {broken} /-->": "block core/block",
    EMBED.format(name="embed"): "block core/embed",
    EMBED.format(name="core-embed/vimeo"): "block core-embed/vimeo",
    "Look:\n\nhttps://www.youtube.com/watch?v=x&t=1\n\nNice.": "embed www.youtube.com",
    "<!-- wp:paragraph -->\n<p>https://vimeo.com/1</p>\n<!-- /wp:paragraph -->": "embed vimeo.com",
    "a\r\n  HTTPS://Vimeo.com/1  \r\nb": "embed vimeo.com",
}  # fmt: skip
FINE = [
    "<!-- wp:paragraph -->\n<p>See https://youtu.be/x for more.</p>\n<!-- /wp:paragraph -->",
    "<!-- wp:more --><!--more--><!-- /wp:more -->",
    "<!-- wp:nextpage --><!--nextpage--><!-- /wp:nextpage -->",
    "<!-- wp:group --><div><!-- wp:a/b --><hr/><!-- /wp:a/b --></div><!-- /wp:group -->",
    "<!-- wp:paragraph /-->", "<!-- wp:html --><!-- /wp:html -->", '<a href="https://x.example/">x</a>',
    "<!-- a comment --> wp:block /-->", "<!-- wp:UPPER /-->", "<!-- wp:latest-posts /",
]  # fmt: skip
Bring = Callable[..., Any]


@pytest.fixture(params=["file", "site"])
def bring(request: Any, move: Any, own: Any, tmp_path: Path) -> Bring:
    """Import one page with a content, from a site or file with some patterns."""

    def from_file(content: str, patterns: dict[int, str], *options: str, **fields: Any) -> Any:
        items = [
            {"id": number, "type": "wp_block", "content": text, "password": "", **fields}
            for number, text in patterns.items()
        ]  # fmt: skip
        # Patterns stand behind the pages that have them.
        return move(written(tmp_path, {"content": content}, *items), *options, user="")

    def from_site(content: str, patterns: dict[int, str], *options: str, **fields: Any) -> Any:
        def front(rest: str) -> Any:
            if not (named := re.match(r"/wp-json/wp/v2/blocks/(\d+)\?", rest)):
                return None
            if (text := patterns.get(int(named[1]))) is None:
                return 404, {}, json.dumps({"code": "rest_post_invalid_id"})
            body = {
                "id": int(named[1]),
                "status": "publish",
                "password": "",
                "content": {"raw": text},
                **fields,
            }
            return 200, {}, json.dumps(body)

        own.pages, own.front = own.pages[:1], front
        own.pages[0]["edit"] |= {"id": 5, "content": {"raw": content}}
        return move(own.url, *PAGES, *options)

    return from_file if request.param == "file" else from_site


def codes(move: Any) -> set[str]:
    kinds = ("block", "embed", "pattern", "form-block")
    return {note["code"] for note in move.report["notes"] if note["code"].split()[0] in kinds}


@pytest.mark.parametrize("content", LOST)
def test_a_block_that_visitors_do_not_see_is_named(move: Any, bring: Bring, content: str) -> None:
    for options in (("--dry-run",), ()):
        result = bring(f"Before.\n\n{content}\n\nAfter.", {}, *options)
        assert result.exit_code == 0, result.output
        assert codes(move) - {"form-block 3"} == {LOST[content]}
        assert f"{LOST[content]}: visitors see " in result.output
        assert ": page 5\n" in result.output


@pytest.mark.parametrize("content", FINE)
def test_what_visitors_see_as_it_is_meant_is_not_named(
    move: Any, bring: Bring, content: str
) -> None:
    assert bring(content, {}).exit_code == 0
    assert codes(move) == set()


def test_a_pattern_is_put_in_its_place_and_nested_ones_too(move: Any, bring: Bring) -> None:
    patterns = {
        553: '<!-- wp:a/b --><p>Outer</p><!-- /wp:a/b --><!-- wp:block {"ref":554} /-->',
        554: "<!-- wp:a/b --><p>Inner</p><!-- /wp:a/b --><!-- wp:rss /-->",
    }
    content = 'a<!-- wp:block {"ref":553} /-->b<!-- wp:core/block {"ref":"554"} /-->c'
    assert bring(content, patterns).exit_code == 0
    rendered = move.row("page", 5)["content_rendered"]
    assert rendered == "a<p>Outer</p><p>Inner</p>b<p>Inner</p>c"
    assert codes(move) == {"pattern 553", "pattern 554", "block core/rss"}
    bring(content, {**patterns, 554: "Changed"})
    assert move.row("page", 5)["content_rendered"] == "a<p>Outer</p>ChangedbChangedc"
    assert move.report["counts"]["page"] == {"updated": 1}


@pytest.mark.parametrize("fields", [{"status": "draft"}, {"status": "trash"}, {"password": "x"}])
def test_a_pattern_that_visitors_may_not_see_is_not_shown(
    move: Any, bring: Bring, fields: dict[str, str]
) -> None:
    bring('a<!-- wp:block {"ref":553} /-->', {553: "secret"}, **fields)
    assert "secret" not in move.row("page", 5)["content_raw"]
    assert codes(move) == {"block core/block"}


def test_patterns_in_each_other_end(move: Any, bring: Bring) -> None:
    patterns = {1: 'x<!-- wp:block {"ref":2} /-->', 2: 'y<!-- wp:block {"ref":1} /-->'}
    bring('<!-- wp:block {"ref":1} /-->', patterns)
    assert move.row("page", 5)["content_rendered"] == "xy"
    assert codes(move) == {"pattern 1", "pattern 2", "block core/block"}


def test_patterns_that_grow_without_end_are_bounded_and_named(move: Any, bring: Bring) -> None:
    refs = {n: f'z<!-- wp:block {{"ref":{n + 1}}} /-->' * 10 for n in range(1, 12)}
    assert bring('<!-- wp:block {"ref":1} /-->', {**refs, 12: "z"}).exit_code == 0
    assert len(move.row("page", 5)["content_raw"]) < 8 << 20
    assert "block core/block" in codes(move)


def test_texts_that_a_page_has_for_a_pattern_are_lost_in_words(move: Any, bring: Bring) -> None:
    result = bring('<!-- wp:block {"ref":1,"content":{"Title":{"content":"x"}}} /-->', {1: "a"})
    assert "pattern-overrides 1: " in result.output


@pytest.mark.parametrize("content", [FORM, '<!-- wp:block {"ref":1} /-->'])
def test_a_form_block_gives_a_page_without_a_form_its_form(
    move: Any, bring: Bring, content: str
) -> None:
    result = bring(content, {1: FORM}, "--map-form", "3=17")
    assert move.row("page", 5)["meta"]["form_id"] == "17"
    assert "form-block 3" in codes(move), result.output
    assert bring(content, {1: FORM}, "--map-form", "3=17").exit_code == 0
    assert move.report["counts"]["page"] == {"unchanged": 1}


def test_a_form_of_the_page_itself_stays(move: Any, own: Any) -> None:
    own.pages = own.pages[:1]
    own.pages[0]["edit"]["content"] = {"raw": FORM}
    own.pages[0]["edit"]["meta"] = {**own.pages[0]["edit"]["meta"], "form_id": "8"}
    move(own.url, *PAGES)
    assert move.row("page", 1)["meta"]["form_id"] == "8"
