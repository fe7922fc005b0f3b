"""The Python API does what HTTP does: the same rules, results and errors, without a request."""

import pydoc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from inspect import Parameter, signature
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from landform.service import Api, ApiError, Identity, create_blueprint, etag_of
from landform.service.blueprint import Landform

FEED = {"form_id": 3, "addon_slug": "mailer", "meta": {"feedName": "News", "rate": 1.5}}
WRITER = Identity("writer", author=7, scopes=frozenset({"pages:read", "pages:write"}))
SCRIPT = "<p>Hi</p><script>alert(1)</script>"


class Status(StrEnum):
    DRAFT = "draft"


@pytest.fixture
def blueprint() -> Iterator[Landform]:
    blueprint = create_blueprint("sqlite:///:memory:", credentials={"admin": "secret"})
    yield blueprint
    blueprint.api.close()


@pytest.fixture
def api(blueprint: Landform) -> Api:
    return blueprint.api


@pytest.fixture
def host(blueprint: Landform) -> Flask:
    host = Flask(__name__)
    host.register_blueprint(blueprint, url_prefix="/landing")
    return host


@pytest.fixture
def client(host: Flask) -> FlaskClient:
    client = host.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = "Basic YWRtaW46c2VjcmV0"
    return client


def refused(status: int, code: str, call: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        call()
    assert (caught.value.status, caught.value.code) == (status, code)
    return caught.value


# What it returns.


def test_a_method_shows_its_arguments_and_its_operation(api: Api) -> None:
    shown = signature(api.update_page).parameters
    assert shown["page_id"].kind is Parameter.POSITIONAL_ONLY
    assert {"title", "meta", "if_match"} < shown.keys()
    assert "idempotency_key" in signature(api.create_page).parameters
    assert "update_page" in dir(api)
    shown = pydoc.render_doc(api.update_page, renderer=pydoc.plaintext)
    assert "update_page(page_id, /, *" in shown
    assert "This is `PUT /pages/<page_id>`." in shown


def test_results_are_those_of_http(host: Flask, api: Api, client: FlaskClient) -> None:
    with host.test_request_context():
        made = api.create_page(title="Sale", content="One\nTwo", meta={"language": ["en", 1.5]})
        feed = api.create_feed(**FEED)
        assert client.get("/landing/pages/1?context=edit").get_json() == made
        assert client.get("/landing/pages/1").get_json() == api.get_page(1)
        assert client.get("/landing/pages").get_json() == api.list_pages()
        assert client.get("/landing/feeds").get_json() == api.list_feeds()
        assert client.get("/landing/feeds/1").get_json() == api.get_feed(feed["id"])
        sent = {"title": "Sale", "content": "One\nTwo"}
        changed = client.put("/landing/pages/1", json=sent).get_json()
        again = api.update_page(1, **sent)
        assert {**changed, "modified": again["modified"]} == again
        etag = client.get("/landing/pages/1?context=edit").headers["ETag"]
        assert etag_of(api.get_page(1, context="edit")) == etag


def test_arguments_are_python_values(api: Api) -> None:
    noon = datetime(2030, 1, 2, 12, tzinfo=UTC)
    page = api.create_page(
        title="Later", date=noon, status="publish", meta={"gallery": ({"a": 1}, {"b"})}
    )
    assert (page["date"], page["status"]) == ("2030-01-02T12:00:00", "future")
    assert page["meta"]["gallery"] == [{"a": 1}, ["b"]]
    draft = api.create_page(title="Draft", status=Status.DRAFT)
    assert draft["status"] == "draft"
    both = ["future", Status.DRAFT]
    assert len(api.list_pages(status=both)) == 2
    assert len(api.list_pages(status=both, after=noon - timedelta(seconds=1))) == 1
    assert len(api.list_pages(status=both, after=noon)) == 0
    assert len(api.list_pages(status=both, include={1, 2}, exclude=(2,), search=None)) == 1
    assert len(api.list_pages(status=both, search="a+b&c=d%20é")) == 0
    assert len(api.list_pages(status=both, search=2024, per_page="5")) == 0


# What it refuses.


def test_what_http_refuses_is_an_error_that_names_it(api: Api) -> None:
    for call, status, code, params in (
        (lambda api: api.create_page(), 400, "rest_missing_callback_param", {"title"}),
        (lambda api: api.create_page(title="\ud800"), 400, "rest_invalid_param", {"title"}),
        (lambda api: api.create_page(title=object()), 400, "rest_invalid_param", {"title"}),
        (
            lambda api: api.create_page(title="a", status="gone", author=0),
            400, "rest_invalid_param", {"status", "author"},
        ),
        (lambda api: api.create_page(title="a" * 5_000_000), 413, "rest_body_too_large", set()),
        (
            lambda api: api.create_feed(**{**FEED, "meta": {"n": float("nan")}}),
            400, "rest_invalid_param", {"meta"},
        ),
        (lambda api: api.create_feed(), 400, "missing_feed", set()),
        (lambda api: api.list_pages(slug=["\udfff"]), 400, "rest_invalid_param", {"slug"}),
        (lambda api: api.get_page("one"), 404, "rest_no_route", set()),
        (lambda api: api.get_page(10**30), 404, "rest_post_invalid_id", set()),
        (lambda api: api.patch_feed(99, meta={}), 404, "gf_feed_invalid_id", set()),
    ):  # fmt: skip
        error = refused(status, code, partial(call, api))
        assert error.message == str(error)
        assert error.body()["data"]["status"] == status  # type: ignore[index]
        assert set(error.params) == params
        for name, text in error.params.items():
            # A traceback shows it too.
            assert f"{name}: {text}" in error.__notes__
        assert (api.list_pages(), api.list_feeds()) == ([], [])


def test_a_circle_or_a_depth_without_end_is_refused(api: Api) -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for meta in (circle, {"deep": deep}):
        error = refused(400, "rest_invalid_param", lambda m=meta: api.create_feed(  # type: ignore[misc]
            form_id=1, addon_slug="m", meta=m))  # fmt: skip
        assert set(error.params) == {"meta"}
    level: list[Any] = []
    for _ in range(510):
        level = [level]
    refused(400, "rest_invalid_json", lambda: api.create_page(title="a", meta={"gallery": level}))


def test_an_argument_that_an_operation_does_not_have_is_a_type_error(api: Api) -> None:
    for call in (
        lambda api: api.create_page(titel="a"),
        lambda api: api.create_page(title="a", if_match="x"),
        lambda api: api.list_pages(per_pages=1),
        lambda api: api.get_page(1, idempotency_key="x"),
        lambda api: api.get_page(),
        lambda api: api.iter_pages(page=2).__next__(),
        lambda api: api.update_page(1, title="a", if_match={"id": 1}),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call(api)
        assert api.list_pages() == []


def test_an_unexpected_exception_is_not_an_api_error() -> None:
    with create_blueprint("sqlite:///:memory:").api as api:
        with api._service.store.connection() as db:
            db.execute_sql("ALTER TABLE feed RENAME COLUMN meta TO other")
        with pytest.raises(Exception, match="meta") as caught:
            api.list_feeds()
    assert not isinstance(caught.value, ApiError)


# Conditions and repetition.


def test_a_write_may_depend_on_what_was_read(api: Api) -> None:
    page = api.create_page(title="One")
    shown = api.get_page(1)
    newer = api.update_page(1, title="Two", if_match=page)
    for old in (page, shown, etag_of(shown)):
        refused(412, "rest_precondition_failed", lambda e=old: api.update_page(1, if_match=e))  # type: ignore[misc]
        refused(412, "rest_precondition_failed", lambda e=old: api.delete_page(1, if_match=e))  # type: ignore[misc]
    assert api.update_page(1, title="Three", if_match=etag_of(newer))["title"]["raw"] == "Three"
    feed = api.create_feed(**FEED)
    api.patch_feed(1, meta={"a": 1}, if_match=feed)
    refused(412, "rest_precondition_failed", lambda: api.delete_feed(1, if_match=feed))
    with pytest.raises(TypeError, match="has no ETag"):
        etag_of(api.list_pages()[0])


def test_a_create_with_the_same_key_happens_once(api: Api) -> None:
    first = api.create_page(title="One", content="Text", idempotency_key="k")
    again = api.create_page(content="Text", title="One", idempotency_key="k")
    assert again == first
    code = "rest_idempotency_key_reused"
    refused(422, code, lambda: api.create_page(title="Two", idempotency_key="k"))
    other = api.as_caller(WRITER).create_page(title="One", content="Text", idempotency_key="k")
    assert other["id"] != first["id"]
    assert api.list_pages().total == 2


# As whom.


def test_the_hosts_own_code_may_do_everything_and_its_callers_what_their_scopes_say(
    api: Api,
) -> None:
    page = api.create_page(title="T", content=SCRIPT, status="private")
    assert (page["author"], "<script>" in page["content"]["rendered"]) == (1, True)
    writer = api.as_caller(WRITER)
    refused(403, "rest_forbidden", lambda: writer.create_feed(**FEED))
    assert (writer.whoami()["author"], api.whoami()["name"]) == (7, "python")


@pytest.mark.parametrize("caller", ["ada", b"ada", {"name": "ada"}, Identity, False])
def test_a_caller_is_an_identity(api: Api, caller: Any) -> None:
    with pytest.raises(TypeError, match=r"^as_caller\(\) takes an Identity"):
        api.as_caller(caller)


# Where it is called.


def test_links_start_where_the_blueprint_is(
    host: Flask, api: Api, client: FlaskClient, blueprint: Landform
) -> None:
    assert api.create_page(title="One")["link"] == "http://localhost/one/"
    host.add_url_rule("/link", "link", lambda: api.get_page(1)["link"])
    mounted = {"base_url": "https://shop.example:8443/mount"}
    assert client.get("/link", **mounted).text == (
        "https://shop.example:8443/mount/landing/one/"
    )  # fmt: skip
    with Flask("other").test_request_context("https://other.example"):
        assert api.get_page(1)["link"] == "http://localhost/one/"
    with host.app_context():
        assert api.get_page(1)["link"] == "http://localhost/one/"
    host.config["SERVER_NAME"] = "named.example"
    with host.app_context():
        assert api.get_page(1)["link"] == "http://named.example/landing/one/"


# Transactions.


def test_a_transaction_is_all_or_nothing(api: Api, client: FlaskClient) -> None:
    with api.transaction():
        page = api.create_page(title="One")
        api.create_feed(form_id=page["id"], addon_slug="m", meta={"a": 1})
    assert (api.list_pages().total, len(api.list_feeds())) == (1, 1)

    def fail() -> None:
        with api.transaction():
            api.create_page(title="Two")
            assert api.list_pages().total == 2, "it sees its own writes"
            api.update_page(1, title="Changed")
            assert api.get_page(1)["title"] == {"rendered": "Changed"}
            api.create_page()

    refused(400, "rest_missing_callback_param", fail)
    # Nor is anything of it in the cache.
    for _ in range(2):
        assert api.list_pages().total == 1
        assert api.get_page(1)["title"] == {"rendered": "One"}
        assert client.get("/landing/pages").headers["X-WP-Total"] == "1"


def test_an_error_that_is_caught_inside_undoes_its_own_call_only(api: Api) -> None:
    def undo() -> None:
        with api.transaction():
            api.create_page(title="Two")
            raise ZeroDivisionError

    with api.transaction():
        api.create_page(title="One")
        refused(400, "rest_invalid_param", lambda: api.create_page(title="a", status="gone"))
        with pytest.raises(ZeroDivisionError):
            undo()
        api.create_page(title="Three")
    titles = {page["title"]["rendered"] for page in api.iter_pages()}
    assert titles == {"One", "Three"}


# All pages.


def test_every_page_comes_once_in_the_order_of_the_list(api: Api) -> None:
    with api.transaction():
        for number in range(230):
            api.create_page(title=f"No. {number:03}", status="publish" if number % 2 else "draft")
    found = list(api.iter_pages(status=["publish", "draft"], orderby="title", order="asc"))
    assert [page["title"]["rendered"] for page in found] == [f"No. {n:03}" for n in range(230)]
    assert len(list(api.iter_pages())) == 115
    raw = [page["title"]["raw"] for page in api.iter_pages(context="edit", search="No. 00")]
    assert sorted(raw) == [f"No. {n:03}" for n in range(1, 10, 2)]
    assert list(api.iter_pages(search="nothing")) == []
    # The loop may delete and create pages.
    for page in api.iter_pages():
        api.delete_page(page["id"], force=True)
        api.create_page(title="In place of it")
    assert (api.list_pages(search="No").total, api.list_pages().total) == (0, 115)
