"""What tests have in common: settings, a clock that stands still, and a site with visitors."""

import base64
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient

from landform.app import create_app
from landform.parts import all_parts
from landform.service import create_blueprint
from landform.storage import Store, api_keys, pages, signatures
from landform.storage.clock import Clock, Moment
from landform.storage.models import EventState

SECRET = "admin:secret"
ADMIN = ("admin", "secret")
# No test in process cuts the power, and most of the time of a write is that of the disk.
QUICK = {"SQLITE_SYNCHRONOUS": "NORMAL"}
# The rights of `client`, and as many failed logins as the tests have.
SETTINGS = {"CREDENTIALS": SECRET, "TESTING": True, "FAILED_ATTEMPTS_PER_MINUTE": 10_000, **QUICK}
# A feed that a test may create.
FEED: dict[str, Any] = {"form_id": 3, "addon_slug": "mailer", "meta": {"feedName": "Newsletter"}}
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


def when(field: str, value: str, operator: str = "is", kind: str = "all") -> dict[str, Any]:
    """Return a meta whose condition is one rule."""
    rules = [{"fieldId": field, "operator": operator, "value": value}]
    logic = {"actionType": "show", "logicType": kind, "rules": rules}
    condition = {"conditionalLogic": logic}
    name = "feed_condition_conditional_logic"
    return {"feedName": "F", name: "1", f"{name}_object": condition}


class Standing(Clock):
    """A clock that is set to a moment, and stands still."""

    def __init__(self, timezone: str = "UTC", at: datetime = NOON) -> None:
        super().__init__(timezone)
        self.at = at

    def now(self) -> Moment:
        """Return the moment that it is set to."""
        return self.moment(self.at)

    def seconds(self) -> float:
        """Return the same in seconds since 1970."""
        return self.at.timestamp()


def next_path(response: Any) -> str:
    """Return the path and query of the link to the next results."""
    link = re.fullmatch(r'<([^>]+)>; rel="next"', response.headers["Link"])
    assert link
    url = urlsplit(link[1])
    return f"{url.path}?{url.query}"


def store_of(app: Flask) -> Store:
    """Return the store of a standalone application."""
    store: Store = app.blueprints["landform"].service.store  # type: ignore[attr-defined]
    return store


def basic(credential: str = SECRET) -> dict[str, str]:
    """Return the header that sends a credential by HTTP Basic."""
    return {"Authorization": "Basic " + base64.b64encode(credential.encode()).decode()}


class Client(FlaskClient):
    """A client with every right, and what tests create through it."""

    def __init__(self, app: Flask) -> None:
        super().__init__(app, app.response_class)
        self.environ_base["HTTP_AUTHORIZATION"] = basic()["Authorization"]
        self.anonymous = app.test_client()
        self.store = store_of(app)

    def page(self, **body: Any) -> dict[str, Any]:
        """Create a page and return it in the edit shape."""
        answer = self.post("/pages", json={"title": "A page", **body})
        assert answer.status_code == 201, answer.text
        return dict(answer.get_json())

    def feed(self, **body: Any) -> dict[str, Any]:
        """Create a feed and return it as it is read."""
        feed = {"form_id": 1, "addon_slug": "gravityformsmailchimp", "meta": {"feedName": "F"}}
        answer = self.post("/feeds", json={**feed, **body})
        assert answer.status_code == 201, answer.text
        return dict(self.get(f"/feeds/{answer.get_json()['id']}").get_json())

    def key(self, name: str, *scopes: str, author: int = 1) -> dict[str, str]:
        """Create a key with scopes, and return the header that sends it."""
        with self.store.connection():
            return {"X-API-Key": api_keys.create(self.store, name, scopes, author, None)}


def service(url: str, **given: Any) -> Client:
    """Return a client of an application with other settings."""
    return Client(create_app({"DATABASE_URL": url, "CREDENTIALS": SECRET, **QUICK, **given}))


def host_of(url: str, prefix: str = "", **options: Any) -> Flask:
    """Return a host with a blueprint below a prefix."""
    host = Flask("host")
    host.register_blueprint(create_blueprint(url, **options), url_prefix=prefix or None)
    return host


def fill(url: str) -> None:
    """Put something into every table."""
    client = service(url)
    store = client.store
    for number in range(4):
        body = {"title": f"Page {number} Ä", "content": "some words", "meta": {"form_id": "3"}}
        headers = {"Idempotency-Key": str(number)}
        assert client.post("/pages", json=body, headers=headers).status_code == 201
    client.page(title="D", status="draft")
    client.feed(addon_slug="a", meta={"k": "v"})
    assert client.get("/pages", headers=basic("admin:wrong")).status_code == 401
    if "runs" in all_parts():
        assert client.post("/feeds/1/runs", json={"entry_id": "entry"}).status_code == 201
    if "webhooks" in all_parts():
        hook = {"url": "https://example.com/hook"}
        assert client.post("/webhooks", json=hook).status_code == 201
    with store.connection():
        api_keys.create(store, "news", ["pages:read"], 1, None)
        pages.update(store, 4, {"title_raw": "Page", "title_rendered": "Page", "slug": "other"})
        signatures.rotate_secret(store)
        signatures.revoke(store, 1)
        signatures.record_preview(store, 2, 4_000_000_000)
        EventState.insert(name="expired", number=0, holder="").execute(store.database)
    store.dispose()


class Site:
    """A service whose clock is turned by hand, and its visitors."""

    def __init__(self, app: Flask) -> None:
        self.app, self.visitor, self.store = app, app.test_client(), store_of(app)
        self.visitor.environ_base["HTTP_ACCEPT"] = "text/html"
        self.clock = self.store.clock = Standing()

    @classmethod
    def on(cls, url: str, **given: Any) -> "Site":
        """Return one of its own with other settings."""
        return cls(create_app({"DATABASE_URL": url, **SETTINGS, **given}))

    def page(self, **body: Any) -> dict[str, Any]:
        sent = {"title": "A page", "content": "Its content.", **body}
        response = self.visitor.post("/pages", json=sent, auth=ADMIN)
        assert response.status_code == 201, response.text
        return dict(response.get_json())

    def get(self, path: str, **headers: str) -> Any:
        return self.visitor.get(path, headers={n.replace("_", "-"): v for n, v in headers.items()})

    def with_cookie(self, path: str, cookie: str) -> Any:
        """Get a page with this cookie, whatever was set before."""
        headers = {"Cookie": cookie, "Accept": "text/html"}
        return self.app.test_client(use_cookies=False).get(path, headers=headers)

    def at(self, seconds: float) -> None:
        self.clock.at = NOON + timedelta(seconds=seconds)
