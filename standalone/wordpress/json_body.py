"""Reads the JSON of a response, also where a plugin has put something before or behind it."""

import json
import re
from contextlib import suppress
from typing import Any

import orjson

from landform.standalone.wordpress.client import Response
from landform.standalone.wordpress.errors import NoAnswer

DECODER = json.JSONDecoder()
START = re.compile(r"^[\[{]", re.MULTILINE)
SHOWN = 80


def read_json(response: Response) -> Any:
    """Return what a response holds; `NoAnswer` says what it holds instead."""
    with suppress(ValueError):
        return orjson.loads(response.body)
    text = response.body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    place = response.url.partition("?")[0]
    if not text:
        raise NoAnswer(f"{place} answered {response.status} with an empty body.", response.status)
    # JSON first, or after lines of something else; behind it only comments of HTML.
    starts = [0] if text[0] in "[{" else [found.start() for found in START.finditer(text)]
    for start in starts or [0]:
        try:
            value, end = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not re.sub(r"<!--.*?-->", "", text[end:], flags=re.DOTALL).strip():
            return value
    raise NoAnswer(
        f"{place} answered {response.status} with {_kind(text)} instead of JSON: "
        f"{_shown(text)!r}. {_advice(response)}",
        response.status,
    )


def _kind(text: str) -> str:
    return "a page of HTML" if text.lstrip().startswith("<") else "text"


def _shown(text: str) -> str:
    """Return the words that a page of HTML begins with."""
    bare = re.sub(r"(?is)<(script|style|title)\b.*?</\1>|<[^>]*>", " ", text)
    return " ".join(bare.split())[:SHOWN]


def _advice(response: Response) -> str:
    if "cf-mitigated" in response.headers or response.status == 403:
        return "A firewall or a challenge stands in front of the site: let this machine through."
    return "Something other than WordPress's REST API answers there."
