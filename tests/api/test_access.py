"""Who may do what: credentials, local mode where none are configured, and page passwords."""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import basic
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from landform.app import create_app

Make = Callable[..., dict[str, Any]]
# What anonymous callers may not do, and the code that says so.
WRITES = {
    "POST /pages": "rest_cannot_create",
    "PUT /pages/1": "rest_cannot_edit",
    "PATCH /pages/999": "rest_cannot_edit",
    "POST /pages/1": "rest_cannot_edit",
    "DELETE /pages/1": "rest_cannot_delete",
    "DELETE /pages/999?force=1": "rest_cannot_delete",
    "POST /pages/999?_method=DELETE": "rest_cannot_delete",
    "POST /feeds": "rest_forbidden",
    "POST /forms/1/feeds": "rest_forbidden",
    "PUT /feeds/1": "rest_forbidden",
    "PATCH /feeds/999": "rest_forbidden",
    "PUT /feeds/999/properties": "rest_forbidden",
    "DELETE /feeds/1": "rest_forbidden",
}
READS = {
    "GET /feeds": "rest_forbidden",
    "GET /feeds/1": "rest_forbidden",
    "GET /feeds/999?include=1": "rest_forbidden",
    "GET /forms/1/feeds": "rest_forbidden",
    "GET /pages?context=edit": "rest_forbidden_context",
    "GET /pages/1?context=edit": "rest_forbidden_context",
    "GET /pages/2": "rest_forbidden",
}
PUBLIC = ["GET /pages", "GET /pages?context=embed", "GET /pages/1", "GET /pages/999"]


def ask(client: FlaskClient, request: str, **kw: Any) -> TestResponse:
    method, path = request.split()
    return client.open(path, method=method, **kw)


def assert_challenged(answer: TestResponse, code: str) -> None:
    assert (answer.status_code, answer.get_json()["code"]) == (401, code)
    assert answer.get_json()["data"] == {"status": 401}
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="landform", charset="UTF-8"'


@pytest.fixture
def filled(make_page: Make, make_feed: Make) -> None:
    """A published page, a private one, and a feed."""
    make_page(content="Public")
    make_page(status="private")
    make_feed()


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("request_", [*WRITES, *READS])
def test_anonymous_callers_are_challenged_whatever_they_send(
    client: FlaskClient, anonymous: FlaskClient, request_: str
) -> None:
    before = [client.get(path).get_json() for path in ("/pages?status=any", "/feeds")]
    odd = (b"{", b'{"title": 5}', b"\xff", b"x" * 5_000_000) if request_ in WRITES else ()
    for body in (b"", *odd):
        for kind in (None, "application/json", "multipart/form-data"):
            answer = ask(anonymous, request_, data=body, content_type=kind)
            assert_challenged(answer, {**WRITES, **READS}[request_])
    assert before == [client.get(path).get_json() for path in ("/pages?status=any", "/feeds")]


WRONG = [
    *(
        basic(pair)["Authorization"]
        for pair in ("admin:wrong", "admin:", ":secret", "Admin:secret")
    ),
    *(basic(pair)["Authorization"] for pair in ("", ":", "admin", "admin:secret ", "nobody:x")),
    *("", "Basic", "Basic ", "Basic !", "Basic YQ", "Bearer", "admin:secret"),
    *("Digest username=admin", "Basic /////w==", "Negotiate YWRtaW46c2VjcmV0", "Basic \x7f"),
    *("Basic é", "Basic YWRtaW46c2VjcmV0\xa0", "Bäsic YWRtaW46c2VjcmV0"),
]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("header", WRONG, ids=ascii)
def test_wrong_credentials_are_one_401_everywhere(anonymous: FlaskClient, header: str) -> None:
    bodies = set()
    for request_ in [*PUBLIC, *WRITES, *READS]:
        answer = ask(anonymous, request_, headers={"Authorization": header})
        assert answer.status_code == 401, request_
        assert "WWW-Authenticate" in answer.headers
        bodies.add(answer.get_json()["message"])
    assert bodies == {"The credentials are not valid."}


@pytest.mark.parametrize("credential", ["a:b", "bob:p:w:d", "é:ünï✓", "c: d ", "e:" + "x" * 2000])
def test_each_of_several_credentials_has_every_right(database_url: str, credential: str) -> None:
    several = "a:b, bob:p:w:d ,é:ünï✓,c: d ,e:" + "x" * 2000
    app = create_app({"DATABASE_URL": database_url, "CREDENTIALS": several})
    name, _, secret = credential.partition(":")
    headers = basic(f"{name}:{secret.strip()}")
    answer = app.test_client().post("/pages", json={"title": "x"}, headers=headers)
    assert (answer.status_code, answer.get_json()["author"]) == (201, 1)
    for wrong in ("a:p:w:d", "bob:b", "bob:p", f"{name}:{secret.strip()}x"):
        assert app.test_client().get("/feeds", headers=basic(wrong)).status_code == 401


@pytest.mark.parametrize(
    ("query", "header", "status"),
    [
        ("", "sesame", 200),
        ("sesame", "sesame", 200),
        ("sesame", "", 200),
        ("", "Sesame", 403),
        ("wrong", "sesame", 200),
        ("sesame", "wrong", 403),
        (" sesame", "", 403),
        ("sesame\u0301", "", 403),
    ],
)
def test_the_password_unlocks_and_the_header_wins(
    anonymous: FlaskClient, make_page: Make, query: str, header: str, status: int
) -> None:
    page = make_page(password="sesame", content="Hidden")
    headers = {"X-Page-Password": header} if header else {}
    answer = anonymous.get(
        f"/pages/{page['id']}", query_string={"password": query}, headers=headers
    )
    assert answer.status_code == status
    assert ("Hidden" in answer.text) == (status == 200)
    assert status == 200 or answer.get_json()["code"] == "rest_post_incorrect_password"


@pytest.mark.parametrize("password", ["pässwörd", "a b,c;=&%", "x" * 255])
def test_any_password_unlocks_as_query_and_as_utf8_header(
    anonymous: FlaskClient, make_page: Make, password: str
) -> None:
    path = f"/pages/{make_page(password=password, content='Hidden')['id']}"
    assert "Hidden" in anonymous.get(path, query_string={"password": password}).text
    for sent in (password.encode().decode("latin-1"), password):
        header = {"HTTP_X_PAGE_PASSWORD": sent}
        assert "Hidden" in anonymous.get(path, environ_overrides=header).text
