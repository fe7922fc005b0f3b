"""What a page's texts may cost: an attack is refused, or as fast as other texts."""

import json
import time
from collections.abc import Callable
from random import Random

import pytest
from conftest import Start, basic
from flask.testing import FlaskClient
from processes import peak_of_workers

from landform.schemas.pages import LONGEST_CONTENT
from landform.service import Identity
from landform.service.rendering.content import render_texts

CLEANED = Identity("writer", scopes=frozenset({"pages:write"}))
# Twice and more of what is promised, for machines that have other work to do.
MOST_SECONDS, MOST_MEGABYTES = 8.0, 300


# Content of blocks gets no paragraphs.
BLOCKS = "<!-- wp:html -->"
TWO_MILLIONS = 1_990_000


def unclosed(count: int, barrier: str = "") -> str:
    """Return formatting elements that are opened again in each of the paragraphs after them."""
    elements = "".join(f"<b {number:x}>" for number in range(count))
    return f"{BLOCKS}<p>{elements}{barrier}" + "<p>x" * 3_500


def sequences() -> str:
    """Return text in which no three characters come again: each is an entry of the index."""
    return "".join(Random(1).choices([*map(chr, range(0x3B1, 0x7FF))], k=TWO_MILLIONS))


# Texts that take long, or much memory, where what they make is not bounded.
ATTACKS: dict[str, Callable[[], str]] = {
    "unclosed_elements": lambda: unclosed(2_000),
    # With end tags that end nothing: in a cell of a table, in an attribute.
    "unclosed_behind_barriers": lambda: unclosed(
        1_400, f"<table><tr><td>{'</b>' * 1_400}</table><p title='<i>{'</b>' * 1_400}'>"
    ),
    # Each looks through all the open elements.
    "end_tags_of_nothing": lambda: BLOCKS + "<span>" * 9_990 + "</x>" * 425_000,
    "nested_divs": lambda: "<div>" * (TWO_MILLIONS // 5),
    "many_attributes": lambda: "<p " + " ".join(f"a{n:x}" for n in range(290_000)) + ">",
    # Each may begin a reference.
    "ampersands": lambda: "&" * TWO_MILLIONS,
    # It stands for eighteen characters, with 18 times the bytes, when it is folded.
    "unfolding": lambda: "\ufdfa" * 1_390_000,
    # Accents of one letter, which have to be put into their order.
    "accents": lambda: "a" + "\u0315\u0300" * (TWO_MILLIONS // 2),
    "sequences": sequences,
    # Each is a reference of four characters when it is cleaned.
    "angle_brackets": lambda: "<" * TWO_MILLIONS,
    # Each line is a paragraph, or follows a break.
    "paragraphs": lambda: "a\n\n" * (TWO_MILLIONS // 3),
}


def body(attack: str) -> bytes:
    """Return a page with as much of an attack as the bounds on contents and bodies let through."""
    text = ATTACKS[attack]()[:LONGEST_CONTENT].encode()[:4_190_000].decode(errors="ignore")
    return json.dumps({"title": "A", "content": text}, ensure_ascii=False).encode()


# What would take too long or grow too much is refused; the rest is as fast as any other text.
REFUSED = set(ATTACKS) - {"accents"}


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_costs_little_or_is_refused_whole(writer: FlaskClient, attack: str) -> None:
    began = time.process_time()
    answer = writer.post("/f/pages", data=body(attack), content_type="application/json")
    assert time.process_time() - began < MOST_SECONDS
    if attack not in REFUSED:
        assert answer.status_code == 201
        return
    assert (answer.status_code, answer.get_json()["code"]) == (400, "rest_invalid_param")
    assert list(answer.get_json()["data"]["params"]) == ["content"]
    assert writer.get("/f/pages").get_json() == []


def test_the_memory_of_a_worker_stays_bounded_under_attacks(start_server: Start) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    for attack in ("unclosed_elements", "unfolding", "accents", "ampersands", "sequences"):
        headers = {"Content-Type": "application/json", **basic()}
        assert server.send("POST", "/pages", headers, body(attack))[0] in (201, 400)
    assert peak_of_workers(server) < MOST_MEGABYTES


def test_a_landing_page_of_a_page_builder_is_within_the_limits() -> None:
    icon = '<i class="icon-%x"><svg viewBox="0 0 8 8"><g><path d="M0 0h8"/></g></svg></i>'
    widget = (
        '<div class="col" data-settings="{&quot;a&quot;:%x}"><section><h2><strong>Title</strong>'
        f'</h2><p>Text &amp; <b style="color:#%x">more</b>\xa0of <em>it<br>all</em>.</p>{icon}'
        '<a href="/go?a=1&b=2#%x"><noscript><img src="/a.jpg"></noscript><span>Go > on</span></a>'
        '<ul><li><a href="/x"><b>One</b></a><li>Two</ul><!-- a comment --></section></div>'
    )
    table = "<b><table><tr><td><i>1</i><td><font color=red>2</table></b>"
    many = " ".join(f'data-a{number}="{number}"' for number in range(200))
    inner = "".join(widget.replace("%x", f"{number:x}") for number in range(400))
    script = "<script>for (i=0;i<n;i++) { if (a < b && c) { x = 'y' } }</script>" * 20
    page = "<div>" * 100 + f"<p {many}>{script}{table}{inner}" + "</div>" * 100
    columns = render_texts({"content": BLOCKS + page}, CLEANED).columns
    assert columns["content_rendered"].count("<h2>") == 400
