"""Lists of pages: what each parameter keeps, in which order, and how one gets through it all."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from conftest import SECRET, basic
from databases import run_sql
from flask import Flask
from flask.testing import FlaskClient

from landform.app import create_app

LINK = re.compile(r'<([^>]+)>; rel="(\w+)"')
FIELDS = ("slug", "title", "content", "author", "date", "modified", "status", "password")
# Their ids count from 1. Dates and authors repeat, so that every order has ties.
ROWS = [
    ("one", "Red apple", "crisp and sweet", 3, "01-01", "05-05", "publish", ""),
    ("two", "green Apple", "sour; red when ripe", 1, "03-01", "05-04", "publish", ""),
    ("three", "Été à Zürich", "naïve CAFÉ 100% _sure_ 日本語 ﬁn straße", 2, "02-01", "05-04",
     "publish", ""),
    ("four", "apple pie", "a red apple inside", 1, "02-01", "05-01", "publish", ""),
    ("five", "", "x^2 = (a*b) {title} NEAR: O'Neil \\o/", 2, "01-01", "05-02", "publish", ""),
    ("six", "Secret apple", "hidden words", 1, "04-01", "05-03", "publish", "sesame"),
    ("seven", "Draft apple", "x", 4, "01-15", "05-01", "draft", ""),
    ("eight", "Pending", "x", 4, "01-15", "05-06", "pending", ""),
    ("nine", "Private", "x", 1, "06-01", "05-01", "private", ""),
    ("ten", "Future", "x", 1, "07-01", "05-01", "future", ""),
    ("eleven", "Trashed", "x", 1, "01-01", "05-01", "trash", ""),
]  # fmt: skip
DATES = {"date": "2020-{}T00:00:00", "modified": "2021-{}T00:00:00"}
PAGES: list[dict[str, Any]] = [
    {name: DATES.get(name, "{}").format(value) for name, value in zip(FIELDS, row, strict=True)}
    | {"id": number, "author": row[3]}
    for number, row in enumerate(ROWS, 1)
]


@pytest.fixture(scope="module")
def app(module_database_url: str) -> Flask:
    app = create_app({"DATABASE_URL": module_database_url, "CREDENTIALS": SECRET})
    client = app.test_client()
    for page in PAGES:
        later = {"date": "2099-01-01T00:00:00"} if page["status"] == "future" else {}
        body = {**page, "id": None, "status": page["status"].replace("trash", "draft"), **later}
        assert client.post("/pages", json=body, headers=basic()).status_code == 201
    assert client.delete("/pages/11", headers=basic()).status_code == 200
    change = "UPDATE page SET modified = '{modified}', date = '{date}', slug = '{slug}'"
    for page in PAGES:
        run_sql(module_database_url, f"{change.format(**page)} WHERE id = {page['id']}")
    return app


def test_the_pages_of_each_status_are_counted_in_one_request(client: FlaskClient) -> None:
    counts = client.get("/pages/counts")
    one_each = dict.fromkeys(("draft", "pending", "private", "future", "trash"), 1)
    assert counts.get_json() == {"publish": 6, **one_each}
    assert counts.headers["Cache-Control"] == "no-store"
    # As the lists count, one by one.
    for status, number in counts.get_json().items():
        assert client.get(f"/pages?status={status}").headers["X-WP-Total"] == str(number)


def slugs(client: FlaskClient, query: str) -> str:
    answer = client.get(f"/pages?{query}")
    assert answer.status_code == 200, answer.text
    found = [page["slug"] for page in answer.get_json()]
    assert len(found) == min(int(answer.headers["X-WP-Total"]), 10)
    return " ".join(found)


@pytest.mark.parametrize(("name", "values", "found"), [
    ("include", ["3", "1"], "three one"), ("exclude", ["6", "4", "5"], "two three one"),
    ("author", ["2", "3"], "three five one"), ("author_exclude", ["1", "2"], "one"),
    ("slug", ["one", "five"], "five one"), ("status", ["draft", "pending"], "eight seven"),
    ("search=Draft&status=any&search_columns", ["title", "post_content"], "seven"),
])  # fmt: skip
def test_a_list_may_be_spelled_in_every_way(
    client: FlaskClient, name: str, values: list[str], found: str
) -> None:
    indexed = [f"{name}[{place}]={value}" for place, value in enumerate(values)]
    spellings = [
        *(f"{name}={separator.join(values)}" for separator in (",", "%20", ", ", ",,", "%0A", "+")),
        f"{name}=,{','.join(values)},",
        *("&".join(items) for items in (indexed, indexed[::-1])),
        *("&".join(f"{name}{end}={value}" for value in values) for end in ("[]", "%5B%5D")),
        "&".join(f"{name}[key{place}]={value}" for place, value in enumerate(values)),
        "&".join(f"{name}={value}" for value in values),
    ]
    got = {spelling: slugs(client, spelling) for spelling in spellings}
    assert got == dict.fromkeys(spellings, found)


def test_relevance_and_named_slugs_order_a_list(client: FlaskClient) -> None:
    for orderby, ascending, descending in (
        ("include_slugs&slug=two,Six,none,one", "two six one", "two six one"),
        ("include_slugs", "one five three four two six", None),
        # The sentence in the title, then a word in it, then the sentence in the content.
        ("relevance&search=red+apple", "one four two", "one two four"),
        ("relevance&search=red", "one four two", "one two four"),
        ("relevance&search=apple+-pie", "one two six", "six two one"),
        ("relevance&search=apple&status=publish,draft", "one seven four two six", None),
    ):  # fmt: skip
        assert slugs(client, f"orderby={orderby}&order=asc") == ascending
        wanted = descending or " ".join(reversed(ascending.split()))
        assert slugs(client, f"orderby={orderby}") == wanted, orderby


SEARCHES = {
    "one two four six": ["apple", "the apple of", "apple apple", '"apple"', "-pear apple"],
    "one two four": ["APPLE red", "apple,red", "apple+red", "  apple\tred\n", "'apple' red"],
    "one four": ['"red apple"', '"red apple', "apple -sour -hidden"],
    "one": ["and", "red AND apple", "crisp sweet", "swe", "sp"],
    "two six": ["apple -crisp -pie"],
    "six": ["apple -red"],
    "three five": ["-apple"],
    "three": [
        *("zurich ETE", "ZÜRICH été", "Zu\u0308rich", "cafe naive", "100%", "%", "_", "_sure_"),
        *("日本", "語", "日本語", "STRASSE fin"),
    ],
    "three four": ["in"],
    "four": ["pi", "pie insid", "apple OR pie"],
    "five": r"x^2 ^ * (a*b) = \ \o/ {title} : near o'neil O'Neil' ' }".split(),
    "two five six": ["o"],
    "one two three four five six": ["a", "", "   ", "\t", "--"],
    "": [
        *("apple -apple", '"apple red"', "the", "ripe pi", "r_d", "app*", "apple*", "red ^"),
        *("NEAR(red apple)", "title:apple", "OR NOT", '"', '""', "-", "?", "日語", "^red"),
        *("no such page words at all but more than nine of them", "x" * 1000, "\u0301"),
    ],
}


def test_a_search_finds_all_its_words(client: FlaskClient) -> None:
    for text, found in [(text, found) for found, texts in SEARCHES.items() for text in texts]:
        query = urlencode({"search": text, "orderby": "id", "order": "asc"})
        assert slugs(client, query) == found, text


def test_no_anonymous_caller_finds_what_is_protected_or_unpublished(anonymous: FlaskClient) -> None:
    for query in ("search=apple", "search=hidden", "search=-red", "search=e&search_columns=title"):
        assert "six" not in slugs(anonymous, query)
        assert "six" not in slugs(anonymous, f"{query}&password=sesame&orderby=relevance")
    assert slugs(anonymous, "include=1,6,7,8,9,10,11") == "six one"
    assert slugs(anonymous, "slug=seven,nine,eleven") == ""
    assert slugs(anonymous, "status=publish,publish&author=4") == ""
    refused = anonymous.get("/pages?status=publish,private").get_json()
    assert "pages:read" in refused["data"]["params"]["status"]


def test_the_links_lead_through_the_whole_list_and_back(client: FlaskClient) -> None:
    for query in (
        "per_page=2&page=1&status=any&_fields=id,slug",
        "per_page=3&include[]=1&include[]=5&include%5B%5D=4&include[]=2&orderby=include",
        "per_page=1&search=%22red%20apple%22+-%26&x=%C3%A9&y=a%2Bb%26c%3Dd&z&page=1",
    ):  # fmt: skip
        sent = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != "page"]
        base, seen = "http://localhost/wp-json/wp/v2/pages", []
        links = {"next": f"{base}?{query}"}
        for number in range(1, 20):
            answer = client.get(links["next"].removeprefix("http://localhost"))
            seen += [page["id"] for page in answer.get_json()]
            links = {rel: url for url, rel in LINK.findall(answer.headers.get("Link", ""))}
            for rel, url in links.items():
                page = ("page", str(number + {"prev": -1, "next": 1}[rel]))
                assert url.split("?")[0] == base
                assert parse_qsl(urlsplit(url).query, keep_blank_values=True) == [*sent, page]
            assert ("prev" in links) == (number > 1)
            if "next" not in links:
                break
        totals = (answer.headers["X-WP-Total"], answer.headers["X-WP-TotalPages"])
        assert totals == (str(len(seen)), str(number))
        everything = client.get(f"/pages?{query}&per_page=100").get_json()
        assert seen == [page["id"] for page in everything]
        assert number > 1


def test_totals_are_correct_on_every_page_of_a_list(client: FlaskClient) -> None:
    for query, found, totals in (
        ("per_page=2&offset=6", "", ("6", "3")),
        ("offset=999999999", "", ("6", "1")),
        ("per_page=2&page=3&offset=1", "two four", ("6", "3")),
        ("search=nothing&page=7", "", ("0", "0")),
        # Numbers that no row can have.
        *((f"{name}={2**63},-{2**63 + 1}", "", ("0", "0")) for name in ("include", "author")),
        (f"author_exclude={2**63}&exclude=1,2,3,4,{2**63}", "six five", ("2", "1")),
    ):  # fmt: skip
        answer = client.get(f"/pages?{query}")
        assert " ".join(page["slug"] for page in answer.get_json()) == found, query
        assert (answer.headers["X-WP-Total"], answer.headers["X-WP-TotalPages"]) == totals
        for beyond in ("2", "2&offset=0", "999999999&per_page=100"):
            answer = client.get(f"/pages?page={beyond}")
            assert answer.get_json()["code"] == "rest_post_invalid_page_number"
