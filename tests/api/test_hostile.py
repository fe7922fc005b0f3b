"""Hostile input is refused, or stored faithfully and as fast as other; and nothing is a 500."""

import itertools
import json
import re
import time
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from applications import ADMIN, FEED, Client, Site
from conftest import Start, basic
from flask.testing import FlaskClient
from part_tables import WORDPRESS_ROUTES, tables
from processes import peak_of_workers

from landform.schemas.pages import LONGEST_CONTENT
from landform.service import Identity
from landform.service.rendering.content import render_texts

JSON = {"Content-Type": "application/json"}
HOSTILE = [
    *("\0", "%", "%zz", "'", '"', "' OR 1=1 --", "\\", "*", "NEAR(a b)", "{x}", "\ufffe"),
    *("\U0010ffff", "٣", '"' * 999, "../../etc/passwd", "\r\nX-Evil: 1", "1e400", "NaN", "[]"),
    *("é" * 300, "." * 999, "a." * 999, ",".join("abcdefgh" * 9)),
]  # fmt: skip
ZONES = ["UTC", "Pacific/Kiritimati", "America/St_Johns"]
MOMENTS = [f"{day}{offset}" for day in ("0001-01-01T00:00:00", "9999-12-31T23:59:59")
           for offset in ("", "Z", "+14:00", "-14:00", "+23:59", "-23:59")]  # fmt: skip
NESTED = "{0}[0][0]=x {0}[a][b]=x {0}[]=1&{0}[]=x {0}[][]=1 {0}[a]=1&{0}=2 {0} [".split()
# What each operation looks at in its own way, and what is the same for all of them.
OFTEN, ONCE = ["_fields", "_embed"], ["_envelope", "_method", "_locale", "rest_route", "unknown"]
TIMES = {"after", "before", "modified_after", "modified_before", "open_at", "window_changes_before"}
# Lists that are always empty take anything.
READS = [
    (re.sub("<.*?>", "1", route.rules[-1]), operation)
    for route in WORDPRESS_ROUTES
    for method, operation in route.operations.items()
    if method == "GET" and operation.checks_names
]


@pytest.mark.slow
@pytest.mark.parametrize("zone", ZONES)
def test_no_value_of_a_parameter_is_a_500(database_url: str, zone: str) -> None:
    site = Site.on(database_url, TIMEZONE=zone)
    site.page()
    site.visitor.post("/feeds", json=FEED, auth=ADMIN)
    for number, (path, contract) in enumerate(READS):
        own = contract.query.load_fields if contract.query else {}
        common = OFTEN if number else OFTEN + ONCE
        # In one zone everything, in the others what is about time.
        for name in (*common, *own) if zone == "UTC" else TIMES.intersection(own):
            texts = MOMENTS if name in TIMES else HOSTILE if contract.many else ()
            shapes = [shape.format(name) for shape in NESTED]
            for query in (*shapes, *(f"{name}={quote(text)}" for text in texts)):
                answer = site.get(f"{path}?{query}", **basic())
                assert answer.status_code < 500, (path, query)
                assert "X-Evil" not in answer.headers


HEADERS = [
    "Authorization", "X-API-Key", "X-Page-Password", "If-Match", "If-None-Match", "Content-Type",
    "Idempotency-Key", "X-HTTP-Method-Override", "Host", "Origin", "Sec-Fetch-Site", "Accept",
]  # fmt: skip
HELD = ["", " ", '"', '""', "*", "W/", '"' * 500, "a" * 5000, "Basic", "Basic \xff", "\xff", "é",
        "Basic Og==", "Basic ////", "Bearer", "Bearer \xe9", "Digest x", "multipart/form-data",
        "application/json; charset=utf-16", "multipart/form-data; boundary=", "[::1", "a:b:c",
        "a b", "<x>", "exa mple:99999", "]:80", "TRACE", "get", "null"]  # fmt: skip


def test_no_value_of_a_header_is_a_500(client: Client) -> None:
    client.post("/pages", json={"title": "A"})
    for header, value in itertools.product(HEADERS, HELD):
        for method, path in (("GET", "/pages/1"), ("POST", "/pages"), ("PUT", "/feeds/1")):
            sent = {"data": b'{"title": "A"}', "headers": {**JSON, header: value}}
            answer = client.open(path, method=method, **sent)
            assert answer.status_code < 500, (method, path, header, value)


FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
PART, END = b"--b\r\nContent-Disposition: form-data", b"\r\n--b--\r\n"
BROKEN = [
    (FORM, b"title=caf\xe9"), (FORM, b"title=x&meta[gallery][0]" + b"[a]" * 101 + b"=1"),
    ("multipart/form-data", b"title=x"), (PARTS, PART + b'; name="title"'),
    (PARTS, PART + b'; name="content"; filename="x.html"\r\n\r\nA file' + END),
    (PARTS, PART + b'; name="title"\r\n\r\nx\r\n' + PART + b"\r\n\r\nNo name" + END),
    (PARTS, PART + b"; filename=x\r\n\r\nNo name" + END),
]  # fmt: skip


def test_a_form_that_is_broken_or_holds_a_file_changes_nothing(client: Client) -> None:
    for kind, body in BROKEN:
        page = client.page()
        answer = client.put(f"/pages/{page['id']}", data=body, content_type=kind)
        assert (answer.status_code, answer.get_json()["code"]) == (400, "rest_invalid_param")
        assert client.get(f"/pages/{page['id']}?context=edit").get_json() == page


# Values that a field of a page, and a parameter of their list, must not have.
DAY = "2020-01-01T00:00:00"
FIELDS: dict[str, list[Any]] = {
    "title": [5, True, [], ["x"], {"raw": None}, {"raw": 5}, "a\0b", {"raw": "\0"}],
    "content": [5, [], {"raw": None}, {"raw": []}, "a\0b"],
    "date": [
        *("yesterday", "", 5, [], {}, True, "2026-01-01", "2026-01-01T00:00", f"{DAY}+25:00"),
        *("0000-01-01T00:00:00", "2026-02-30T00:00:00", f"{DAY}+0530", f"{DAY}\n"),
    ],
    "slug": [5, [], {}, *(f"a{char}b" for char in "\0\x01\t\n\r\x1f\x7f\x80\x9f"), "\t", "a\n"],
    "status": ["", "trash", "any", "inherit", "Publish", "publish ", ["draft"], 1, "\0"],
    "password": [5, False, [], "a\0b"],
    "author": [0, -1, "0", "x", "", 1.5, True, [1], {}, 2**63, "9" * 5000, "١"],
    "meta": ["", "x", 5, [1], [[]], True],
    "meta.form_id": [5.5, 7.0, -1, 2**63, True, [], [7], {}, "\0"],
    "meta.starts_at": [0, [], "a\0b"],
    "meta.gallery": ["", "x", 1, {}, {"0": "x"}],
}
PARAMETERS = {
    "context": ["raw", "View", "view,edit"],
    "page": ["", "0", "1.0", "1e1", "٣", "9" * 30, "9" * 5000],
    "per_page": ["", "0", "101", "-5", "ten"],
    "offset": ["", "-1", "x", str(2**63)],
    "search": ["a\0b"],
    "slug": ["a\0b"],
    "order": ["", "DESC", "random"],
    "orderby": ["", "rand", "Date", "menu_order", "date,id"],
    "search_columns": ["body", "title,x", "post_post_title"],
    "status": ["draf", "publish,draf", "Draft", "any,x"],
    "tax_relation": ["", "and", "XOR"],
    **{name: ["x", "1,x", "1.5", "9" * 5000] for name in "include exclude author".split()},
    **{name: ["a\0b", "x," * 1001] for name in ("form_id", "language")},
    **{name: ["", "0", "2020", f"{DAY}+99:00"] for name in ("after", "modified_before")},
}
PAGES = [
    ({"title": "New", outer: {"ends_at": "new", inner: value} if inner else value}, name)
    for name, values in FIELDS.items()
    for outer, _, inner in [name.partition(".")]
    for value in values
]
LISTS = [
    (f"{name}{nested}={quote(value)}", name)
    for name, values in PARAMETERS.items()
    for value in values
    for nested in ("", "[a][b]")
]
# What is wrong in the body or the query of a request, and the name that has to be told.
WRONG: dict[str, list[tuple[Any, str]]] = {
    "POST /pages": PAGES, "PUT /pages/1": PAGES, "GET /pages": LISTS,
    "PUT /forms/3/feeds/order": [
        ({}, "feeds"), *((ids, "feeds") for ids in ([1, 1], ["x"], [0], [None], [1.5], [[1]])),
        *(({"feeds": one}, "feeds") for one in ("1", {"0": 1}, [2**63])),
        ({"feeds": [1], "partial": 7}, "partial"), ({"feeds": [1], "form": 1}, "form"),
    ],
    "GET /events": [(query, query.partition("=")[0]) for query in (
        "after=-1", "after=x", "type=page", "type=page.moved", "per_page=0", "per_page=101",
        "resource_id=x")],
}  # fmt: skip
for table in tables("WRONG"):
    WRONG |= table


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_value_is_named_and_changes_nothing(client: Client, line: str) -> None:
    client.page(content="Kept", meta={"form_id": "7"}, password="p")
    client.feed(form_id=3)
    for method, path, body in (write for writes in tables("WRITES") for write in writes):
        assert client.open(path, method=method, json=body).status_code < 300
    paths = ["/pages?status=any&context=edit", "/forms/3/feeds", "/events"]
    paths += [path for paths in tables("LISTS") for path in paths]
    before, (method, path) = [client.get(one).get_json() for one in paths], line.split()
    for sent, name in WRONG[line]:
        given = {"query_string": sent} if method == "GET" else {"json": sent}
        answer = client.open(path, method=method, **given)
        assert answer.status_code == 400, (sent, answer.text)
        error = answer.get_json()
        assert error["code"] == "rest_invalid_param" or not path.startswith("/pages"), sent
        assert list(error["data"]["params"]) == [name], sent
    assert [client.get(one).get_json() for one in paths] == before


# What a page's texts may cost.
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
