"""What the shop serves, and whom its guest may serve."""

from decimal import Decimal

from flask import Blueprint, Request, Response, current_app, jsonify, request

from landform.service import Identity, Rejected
from schemas import shown  # noqa: TID251 - here the bare name is the host's own
from storage import BOOKS  # noqa: TID251 - here the bare name is the host's own

routes = Blueprint("shop", __name__)


@routes.get("/")
def welcome() -> str:
    return f"Welcome to {current_app.config['SHOP_NAME']}"


@routes.get("/books")
def books() -> Response:
    return jsonify([shown(book) for book in BOOKS])


@routes.post("/offers")
def offer() -> Response:
    price = request.get_json()["price"]
    return jsonify(price=price, exact=isinstance(price, Decimal))


@routes.get("/broken")
def broken() -> str:
    raise RuntimeError("the till is stuck")


def identify(caller: Request) -> Identity | None:
    """Say who of the staff is calling, by the badge they show."""
    badge = caller.headers.get("X-Badge")
    if badge == "forged":
        raise Rejected("This badge is not ours.")
    return Identity(badge, author=7, scopes=frozenset({"pages:write"})) if badge else None
