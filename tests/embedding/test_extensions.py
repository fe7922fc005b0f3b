"""landform in a host beside the extensions of Flask that many applications have."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentry_sdk
from conftest import ROOT, basic
from flask import Flask
from flask_caching import Cache
from flask_debugtoolbar import DebugToolbarExtension
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_talisman import Talisman
from flask_wtf import CSRFProtect
from sentry_sdk.envelope import Envelope
from sentry_sdk.integrations.flask import FlaskIntegration
from sentry_sdk.transport import Transport

from landform.parts import all_parts
from landform.service import create_blueprint

SECRET = "admin:secret"
STATUSES = {
    200: ["GET /landing/pages", "GET /landing/pages/1", "HEAD /landing/pages", "GET /landing/feeds",
          "OPTIONS /landing/pages", "GET /landing/whoami", "GET /landing/sitemap.xml",
          "GET /landing/wp-json/wp/v2/pages", "GET /landing/", "GET /landing/fair/", "GET /"],
    302: ["GET /landing/?page_id=1"],
    404: ["GET /landing/no-such-page/", "GET /landing/no/such/route"],
    405: ["TRACE /landing/pages"],
}  # fmt: skip
REQUESTS = {line: status for status, lines in STATUSES.items() for line in lines}


def limit(site: Flask) -> None:
    Limiter(get_remote_address, app=site, default_limits=["1000/hour"], storage_uri="memory://")


def show_toolbar(site: Flask) -> None:
    site.debug = True
    site.config["DEBUG_TB_INTERCEPT_REDIRECTS"] = False
    DebugToolbarExtension(site)


EXTENSIONS: dict[str, Callable[[Flask], object]] = {
    "Flask-Limiter": limit,
    "Flask-WTF": CSRFProtect,
    "Flask-Talisman": lambda site: Talisman(site, force_https=False),
    "Flask-Caching": lambda site: Cache(site, config={"CACHE_TYPE": "SimpleCache"}),
    "Flask-DebugToolbar": show_toolbar,
}


def make_site(folder: Path) -> Flask:
    """Return a host with a published page in its landform."""
    site = Flask(__name__)
    site.config.update(SECRET_KEY="change-me")
    site.add_url_rule("/", "home", lambda: "<html><body>Welcome.</body></html>")
    landing = create_blueprint(
        f"sqlite:///{folder}/landform.db", credentials={"admin": "secret"}, site=True,
        parts=[part() for part in all_parts().values()], wp_json_paths=True,
    )  # fmt: skip
    landing.api.create_page(title="Fair", content="Come along.")
    site.register_blueprint(landing, url_prefix="/landing")
    return site


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_an_extension_of_the_host_leaves_all_statuses(extension: str, tmp_path: Path) -> None:
    site = make_site(tmp_path)
    EXTENSIONS[extension](site)
    client = site.test_client()
    statuses = {}
    for line in REQUESTS:
        method, path = line.split()
        response = client.open(path, method=method, headers=basic(SECRET))
        statuses[line] = response.status_code
    assert statuses == REQUESTS


def test_a_limit_of_the_host_counts_the_requests_to_landform(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    limiter = Limiter(get_remote_address, app=site, storage_uri="memory://")
    limiter.limit("2/hour")(site.blueprints["landform"])
    client = site.test_client()
    statuses = [client.get("/landing/pages").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert client.get("/").status_code == 200


def test_forgery_protection_asks_for_a_token_until_landform_is_exempt(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    protection = CSRFProtect(site)
    client = site.test_client()

    def create() -> int:
        response = client.post("/landing/pages", json={"title": "Fair"}, headers=basic(SECRET))
        return response.status_code

    assert create() == 400
    protection.exempt(site.blueprints["landform"])
    assert create() == 201


def test_a_limit_and_an_exemption_of_one_operation_apply_to_it_alone(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    site.config["WTF_CSRF_METHODS"] = ["POST", "PUT", "PATCH", "DELETE"]
    protection = CSRFProtect(site)
    limiter = Limiter(get_remote_address, app=site, storage_uri="memory://")
    create, read = (site.view_functions[f"landform.{one}_page"] for one in ("create", "get"))
    protection.exempt(create)
    site.view_functions["landform.get_page"] = limiter.limit("1/hour")(read)
    client = site.test_client()

    def status(method: str, path: str) -> int:
        sent = {"json": {"title": "Fair"}, "headers": basic(SECRET)}
        return client.open(f"/landing{path}", method=method, **sent).status_code

    assert [status("POST", "/pages"), status("POST", "/feeds")] == [201, 400]
    assert [status("GET", "/pages/1"), status("GET", "/pages/1")] == [200, 429]
    assert [status("GET", "/pages"), status("GET", "/pages")] == [200, 200]


class Events(Transport):
    """Keeps what would be sent to Sentry."""

    def __init__(self) -> None:
        super().__init__()
        self.payloads = list[Any]()

    def capture_envelope(self, envelope: Envelope) -> None:
        self.payloads += [item.payload.json for item in envelope.items]


@pytest.fixture
def sentry() -> Iterator[Events]:
    """Sentry as a host has it."""
    events = Events()
    sentry_sdk.init(
        "http://key@127.0.0.1:9/1", transport=events, traces_sample_rate=1.0,
        default_integrations=False, integrations=[FlaskIntegration()],
    )  # fmt: skip
    yield events
    sentry_sdk.get_global_scope().set_client(None)


def test_sentry_names_each_operation(tmp_path: Path, sentry: Events) -> None:
    client = make_site(tmp_path).test_client()
    client.get("/landing/pages/1")
    client.get("/landing/wp-json/wp/v2/pages/1")
    client.post("/landing/pages", json={"title": "Fair"}, headers=basic(SECRET))
    names = [payload["transaction"] for payload in sentry.payloads]
    assert names == ["landform.get_page", "landform.get_page", "landform.create_page"]


def test_sentry_is_told_of_an_error_and_its_operation(tmp_path: Path, sentry: Events) -> None:
    def fail(request: object) -> None:
        raise ArithmeticError("secret")

    site = Flask(__name__)
    site.register_blueprint(create_blueprint(f"sqlite:///{tmp_path}/l.db", authorizer=fail))
    assert site.test_client().get("/pages").status_code == 500
    [error] = [one for one in sentry.payloads if "exception" in one]
    assert error["transaction"] == "landform.list_pages"
    assert error["exception"]["values"][0]["type"] == "ArithmeticError"


# The documented ways in for a host's own users.
SNIPPETS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/embedding.md").read_text(), re.DOTALL)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The documented host."""
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) == 1
    for snippet in SNIPPETS:
        names: dict[str, object] = {"__name__": "__main__"}
        exec(snippet, names)
    host = names["site"]
    assert isinstance(host, Flask)
    return host


@pytest.mark.parametrize(
    ("user", "statuses"),
    [(None, [200, 401, 401, 401, 401]), ("1", [200, 200, 200, 200, 201]),
     ("2", [200, 200, 200, 403, 403])],
)  # fmt: skip
def test_a_signed_in_user_has_the_rights_of_a_role(
    site: Flask, user: str | None, statuses: list[int]
) -> None:
    client = site.test_client()
    if user:
        assert client.post("/login", data={"user": user}).status_code == 200
    answers = [
        client.get("/landing/pages"), client.get("/landing/pages?context=edit"),
        client.get("/landing/whoami"), client.get("/landing/feeds"),
        client.post("/landing/pages", json={"title": "Fair"}),
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == statuses
    for answer in answers:
        assert "WWW-Authenticate" not in answer.headers
        assert "Cookie" in answer.vary
    if user == "1":
        assert answers[2].get_json()["name"] == "user 1"
        assert answers[4].get_json()["author"] == 1


def test_another_sites_page_cannot_use_the_session(site: Flask) -> None:
    client = site.test_client()
    client.post("/login", data={"user": "1"})
    for headers, status in (
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://public.example"}, 201),
        # What browsers send over http from one machine to another.
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost"}, 201),
    ):
        for body in ({"data": {"title": "Fair"}}, {"json": {"title": "Fair"}}):
            answer = client.post("/landing/pages", headers=headers, **body)
            assert answer.status_code == status, headers
    # What a form of another site can send without being asked about first is no JSON either.
    text = client.post("/landing/pages", data='{"title": "Fair"}', content_type="text/plain")
    assert text.status_code == 415
