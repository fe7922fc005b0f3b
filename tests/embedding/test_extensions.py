"""landform in a host beside the extensions of Flask that many applications have."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import basic
from flask import Flask
from flask_caching import Cache
from flask_debugtoolbar import DebugToolbarExtension
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_talisman import Talisman
from flask_wtf import CSRFProtect

from landform.service import create_blueprint

SECRET = "admin:secret"
REQUESTS = {
    "GET /landing/pages": 200,
    "GET /landing/pages/1": 200,
    "HEAD /landing/pages": 200,
    "OPTIONS /landing/pages": 200,
    "GET /landing/feeds": 200,
    "GET /landing/openapi.json": 200,
    "GET /landing/docs": 200,
    "GET /landing/docs/docs.css": 200,
    "GET /landing/console": 200,
    "GET /landing/sitemap.xml": 200,
    "GET /landing/wp-json/": 200,
    "GET /landing/wp-json/wp/v2/pages": 200,
    "GET /landing/": 200,
    "GET /landing/?page_id=1": 302,
    "GET /landing/fair/": 200,
    "GET /landing/no-such-page/": 404,
    "GET /landing/no/such/route": 404,
    "TRACE /landing/pages": 405,
    "GET /": 200,
}


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
        f"sqlite:///{folder}/landform.db",
        credentials={"admin": "secret"},
        site=True,
        console=True,
        wp_json_paths=True,
    )
    landing.api.create_page(title="Fair", content="Come along.")
    site.register_blueprint(landing, url_prefix="/landing")
    return site


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_an_extension_of_the_host_leaves_every_response_its_status(
    extension: str, tmp_path: Path
) -> None:
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
