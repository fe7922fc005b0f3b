"""A bookshop's application, in which landform is a guest.

Its module and packages bear the names that landform's have in the checkout, and it has opinions
of its own on errors, JSON and logging: none of that may touch, or be touched by, the guest.
"""

import json
import logging
from decimal import Decimal
from pathlib import Path
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import HTTPException

import parts  # noqa: F401, TID251 - here the bare name is the host's own
from landform.service import create_blueprint
from service import routes  # noqa: TID251 - here the bare name is the host's own


class ShopJSON(DefaultJSONProvider):
    """JSON as the shop wants it: exact prices, sorted keys, a media type of its own."""

    mimetype = "application/vnd.bookshop+json"
    sort_keys = True
    compact = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return json.loads(s, parse_float=Decimal, **kwargs)


def make_shop(folder: Path) -> Flask:
    """Return the shop without its guest."""
    log_to(folder / "shop.log")
    shop = Flask(__name__, static_folder=None)
    shop.config.update(
        SHOP_NAME="Corner Books",
        MAX_CONTENT_LENGTH=1000,
        MAX_FORM_MEMORY_SIZE=1000,
        LANDFORM_DATABASE=f"sqlite:///{folder}/landform.db",
    )
    shop.json = ShopJSON(shop)
    shop.register_blueprint(routes)
    for status in (404, 405, 413, 500):
        shop.register_error_handler(status, regret)
    return shop


def make_host(folder: Path, **options: Any) -> Flask:
    """Return the shop with landform below `/landing`."""
    host = make_shop(folder)
    landform = create_blueprint(host.config["LANDFORM_DATABASE"], **options)
    host.register_blueprint(landform, url_prefix="/landing")
    return host


def regret(error: HTTPException) -> tuple[str, int, dict[str, str]]:
    """Answer every failure as the shop does."""
    text = f"<p>Corner Books regrets: {error.code}</p>"
    return text, error.code or 500, {"Content-Type": "text/html", "X-Shop": "regrets"}


def log_to(path: Path) -> None:
    """Send warnings, and what the shop itself says, to a file."""
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("[shop] %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("app").setLevel(logging.INFO)
