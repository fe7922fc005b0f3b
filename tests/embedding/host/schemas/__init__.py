"""How the shop shows what it has."""

from typing import Any


def shown(book: dict[str, Any]) -> dict[str, Any]:
    """Return a book as it is shown."""
    return {"title": book["title"], "price": str(book["price"]), "in_stock": book["copies"] > 0}
