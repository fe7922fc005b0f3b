"""A `<` that begins no tag is text, also where HTML is cleaned."""

from typing import Any

import pytest
from applications import Client
from conftest import basic
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.service import Identity
from landform.service.rendering.content import render_texts
from landform.storage import api_keys

WRITER = Identity("writer", 1, frozenset({"pages:read", "pages:write"}))


def rendered(**texts: str) -> dict[str, Any]:
    return render_texts(texts, WRITER)


@pytest.mark.parametrize(
    ("raw", "html"),
    [
        (
            "Sign up <Oct 20th to claim. Win if x<y holds. Second.",
            "<p>Sign up &lt;Oct 20th to claim. Win if x&lt;y holds. Second.</p>",
        ),
        ("I <3 you", "<p>I &lt;3 you</p>"),
        ("a < b and <b>c</b>", "<p>a &lt; b and <b>c</b></p>"),
        ("1<2<3", "<p>1&lt;2&lt;3</p>"),
        ("x <", "<p>x &lt;</p>"),
        ("left <- right", "<p>left &lt;- right</p>"),
        ("<a <em>b</em>", "<p>&lt;a <em>b</em></p>"),
        ("<!note it", "<p>&lt;!note it</p>"),
        ("a <?b <i>c</i>", "<p>a &lt;?b <i>c</i></p>"),
        ('<a title="x<y" href="/z">z</a>', '<p><a title="x&lt;y" href="/z"'),
    ],
)
def test_what_follows_it_stays_in_a_content(raw: str, html: str) -> None:
    assert rendered(content=raw)["content_rendered"].strip().startswith(html.removesuffix("</p>"))


def test_what_follows_it_stays_in_blocks_and_titles() -> None:
    block = "<!-- wp:paragraph -->\n<p>Under <18 years</p>\n<!-- /wp:paragraph -->"
    assert "Under &lt;18 years" in rendered(content=block)["content_rendered"]
    assert rendered(title="Kids <12 free")["title_rendered"] == "Kids &lt;12 free"


def test_nothing_is_said_to_be_left_out(app: Flask, anonymous: FlaskClient, client: Client) -> None:
    with client.store.connection():
        key = api_keys.create(client.store, "w", ["pages:read", "pages:write"], 1, None)
    body = {"title": "x<y", "content": "Sign up <Oct 20th. Second."}
    response = anonymous.post("/pages", json=body, headers={"X-API-Key": key})
    assert response.status_code == 201
    assert "X-Landform-Warning" not in response.headers
    assert "Second." in client.get("/pages/1", headers=basic()).get_json()["content"]["rendered"]


@pytest.mark.parametrize("text", ["Write to <me@example.com>", "<http://x.example/> is it"])
def test_text_that_has_the_shape_of_a_tag_is_said_to_be_left_out(
    client: Client, anonymous: FlaskClient, text: str
) -> None:
    with client.store.connection():
        key = api_keys.create(client.store, "w", ["pages:read", "pages:write"], 1, None)
    response = anonymous.post("/pages", json={"title": text}, headers={"X-API-Key": key})
    assert response.status_code == 201, response.text
    assert response.headers["X-Landform-Warning"].startswith("elements with odd names: left out")


PIECES = st.sampled_from(
    "< <3 <b <b> </b> <script> </script> <img src=x onerror=alert(1)> <a href='javascript:x'> "
    "\" ' > <!-- --> <svg onload=x> <x <y word <math> <style> </style> & &lt; <![CDATA[ ]]> <? "
    "?>".split(" ")
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_no_text_makes_code_of_it(raw: str) -> None:
    html = rendered(content=raw)["content_rendered"].lower()
    assert "<script" not in html
    assert "<svg" not in html
    assert '<img src="x" onerror' not in html
    assert 'href="javascript' not in html
    # Cleaned HTML that is cleaned again stays as it is.
    block = "<!-- wp:html -->" + html
    assert rendered(content=block)["content_rendered"].lower() == html
