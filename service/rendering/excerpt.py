"""The excerpt of a page: the first words of its content, as WordPress shows them."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import orjson

from landform.service.rendering.tokenizer import tokens

WORDS = 55
MORE = " [&hellip;]"
# Pages are listed again and again; of longer contents none is cached, so that little memory is
# enough.
SHORT, CACHED = 8192, 512
# So far a content is looked at: no markup makes it expensive.
MOST_TOKENS = 2000


def make_excerpt(rendered: str | orjson.Fragment) -> str:
    """Return the first 55 words of rendered content as a paragraph; empty where it has none.

    A list has long content as JSON text already.
    """
    text = rendered if isinstance(rendered, str) else orjson.dumps(rendered)
    return _of_short(text) if len(text) <= SHORT else _excerpt(text)


def _excerpt(text: str | bytes) -> str:
    rendered = text if isinstance(text, str) else orjson.loads(text)
    words = "".join(islice(_texts(rendered), MOST_TOKENS)).split(None, WORDS)
    if not words:
        return ""
    more = MORE if len(words) > WORDS else ""
    return f"<p>{' '.join(words[:WORDS])}{more}</p>\n"


def _texts(html: str) -> Iterator[str]:
    """Yield what is text in HTML, and nothing for each piece that is none."""
    for piece, name, closing in tokens(html):
        if not name:
            yield piece
        elif name == "pre" and not closing:
            inner = tokens(piece[piece.find(">") + 1 : piece.rfind("</")])
            yield from (text for text, tag, _ in inner if not tag)
        else:
            yield ""


_of_short = lru_cache(CACHED)(_excerpt)
