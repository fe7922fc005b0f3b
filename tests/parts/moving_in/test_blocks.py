"""Blocks that only WordPress renders are inserted or reported, from files and sites."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from moving_in import move, plain_page, recorded_site, server, small_site

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
RENDERED = [
    "<!-- wp:paragraph -->\n<p>See https://youtu.be/x for more.</p>\n<!-- /wp:paragraph -->",
    "<!-- wp:more --><!--more--><!-- /wp:more -->",
    "<!-- wp:nextpage --><!--nextpage--><!-- /wp:nextpage -->",
    "<!-- wp:group --><div><!-- wp:a/b --><hr/><!-- /wp:a/b --></div><!-- /wp:group -->",
    "<!-- wp:paragraph /-->", "<!-- wp:html --><!-- /wp:html -->", '<a href="https://x.example/">x</a>',
    "<!-- a comment --> wp:block /-->", "<!-- wp:UPPER /-->", "<!-- wp:latest-posts /",
]  # fmt: skip
Importer = Callable[..., Any]
# That of page 5, or those of pages from 5 on.
Contents = str | list[str]


def numbered(content: Contents) -> list[tuple[int, str]]:
    return [*enumerate([content] if isinstance(content, str) else content, 5)]


@pytest.fixture(params=["file", "site"])
def import_page(request: Any, move: Any, small_site: Any) -> Importer:
    """Import pages with these contents, from a file or site with some patterns."""

    def from_file(content: Contents, patterns: dict[int, str], *options: str, **more: Any) -> Any:
        items = [
            {"id": number, "type": "wp_block", "content": text, "password": "", **more}
            for number, text in patterns.items()
        ]  # fmt: skip
        pages = [{"id": n, "slug": f"p{n}", "content": text} for n, text in numbered(content)]
        # Patterns come after the page that refers to them.
        return move.pages(*pages, *items, options=options)

    def from_site(content: Contents, patterns: dict[int, str], *options: str, **more: Any) -> Any:
        def front(path: str) -> Any:
            if not (match := re.match(r"/wp-json/wp/v2/blocks/(\d+)\?", path)):
                return None
            number = int(match[1])
            if number not in patterns:
                return 404, {}, json.dumps({"code": "rest_post_invalid_id"})
            body = {"id": number, "status": "publish", "password": "", **more}
            return 200, {}, json.dumps({**body, "content": {"raw": patterns[number]}})

        contents, small_site.front = dict(numbered(content)), front
        small_site.pages = [plain_page(small_site.pages[0], number) for number in contents]
        for page, text in zip(small_site.pages, contents.values(), strict=True):
            page["edit"]["content"] = {"raw": text}
        return move(small_site.url, *options)

    return from_file if request.param == "file" else from_site


def block_codes(move: Any) -> set[str]:
    kinds = ("block", "embed", "pattern", "form-block")
    return {code for code in move.codes() if code.split()[0] in kinds}


def test_blocks_that_are_not_rendered_are_reported(move: Any, import_page: Importer) -> None:
    pages = {code: set[int]() for code in LOST.values()}
    for number, code in enumerate(LOST.values(), 5):
        pages[code].add(number)
    for options in (("--dry-run",), ()):
        contents = [f"Before.\n\n{content}\n\nAfter." for content in LOST]
        result = import_page(contents, {}, *options)
        assert result.exit_code == 0, result.output
        assert block_codes(move) - {"form-block 3"} == pages.keys()
        for code, ids in pages.items():
            assert move.ids_with(code) == ids, code
            assert f"{code}: visitors see " in result.output
            assert f": page {', '.join(map(str, sorted(ids)))}\n" in result.output


def test_rendered_blocks_are_not_reported(move: Any, import_page: Importer) -> None:
    assert import_page(RENDERED, {}).exit_code == 0
    assert block_codes(move) == set()


def test_patterns_are_inserted_with_nested_ones_and_overrides_are_lost(
    move: Any, import_page: Importer
) -> None:
    patterns = {
        553: '<!-- wp:a/b --><p>Outer</p><!-- /wp:a/b --><!-- wp:block {"ref":554} /-->',
        554: "<!-- wp:a/b --><p>Inner</p><!-- /wp:a/b --><!-- wp:rss /-->",
    }
    content = 'a<!-- wp:block {"ref":553,"content":{"T":{"content":"x"}}} /-->b'
    content += '<!-- wp:core/block {"ref":"554"} /-->c'
    result = import_page(content, patterns)
    assert result.exit_code == 0
    assert "pattern-overrides 553: " in result.output
    rendered = move.row("page", 5)["content_rendered"]
    assert rendered == "a<p>Outer</p><p>Inner</p>b<p>Inner</p>c"
    assert block_codes(move) == {"pattern 553", "pattern 554", "block core/rss"}
    import_page(content, {**patterns, 554: "Changed"})
    assert move.row("page", 5)["content_rendered"] == "a<p>Outer</p>ChangedbChangedc"
    assert move.report["counts"]["page"] == {"updated": 1}


@pytest.mark.parametrize("fields", [{"status": "draft"}, {"status": "trash"}, {"password": "x"}])
def test_private_patterns_are_not_inserted(
    move: Any, import_page: Importer, fields: dict[str, str]
) -> None:
    import_page('a<!-- wp:block {"ref":553} /-->', {553: "secret"}, **fields)
    assert "secret" not in move.row("page", 5)["content_raw"]
    assert block_codes(move) == {"block core/block"}


def test_patterns_that_contain_each_other_are_inserted_once(
    move: Any, import_page: Importer
) -> None:
    patterns = {1: 'x<!-- wp:block {"ref":2} /-->', 2: 'y<!-- wp:block {"ref":1} /-->'}
    import_page('<!-- wp:block {"ref":1} /-->', patterns)
    assert move.row("page", 5)["content_rendered"] == "xy"
    assert block_codes(move) == {"pattern 1", "pattern 2", "block core/block"}


def test_the_size_of_inserted_patterns_is_limited(move: Any, import_page: Importer) -> None:
    refs = {n: f'z<!-- wp:block {{"ref":{n + 1}}} /-->' * 10 for n in range(1, 12)}
    assert import_page('<!-- wp:block {"ref":1} /-->', {**refs, 12: "z"}).exit_code == 0
    assert len(move.row("page", 5)["content_raw"]) < 8 << 20
    assert "block core/block" in block_codes(move)


@pytest.mark.parametrize("content", [FORM, '<!-- wp:block {"ref":1} /-->'])
def test_a_page_without_a_form_gets_that_of_its_form_block(
    move: Any, import_page: Importer, content: str
) -> None:
    result = import_page(content, {1: FORM}, "--map-form", "3=17")
    assert move.row("page", 5)["meta"]["form_id"] == "17"
    assert "form-block 3" in block_codes(move), result.output
    assert import_page(content, {1: FORM}, "--map-form", "3=17").exit_code == 0
    assert move.report["counts"]["page"] == {"unchanged": 1}


def test_the_form_field_counts_before_the_form_block(move: Any, small_site: Any) -> None:
    small_site.pages = small_site.pages[:1]
    small_site.pages[0]["edit"]["content"] = {"raw": FORM}
    small_site.pages[0]["edit"]["meta"] = {**small_site.pages[0]["edit"]["meta"], "form_id": "8"}
    move(small_site.url)
    assert move.row("page", 1)["meta"]["form_id"] == "8"
