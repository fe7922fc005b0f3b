"""What the shop has, and who works there."""

from decimal import Decimal

BOOKS = [
    {"title": "Middlemarch", "price": Decimal("9.50"), "copies": 2},
    {"title": "Persuasion", "price": Decimal("7.20"), "copies": 0},
]

READING = frozenset({"pages:read", "feeds:read"})
STAFF = {
    "blue": ("Dorothea", 7, READING | {"pages:write", "feeds:write"}),
    "grey": ("Anne", 8, READING),
}
