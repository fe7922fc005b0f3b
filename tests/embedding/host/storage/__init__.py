"""What the shop has."""

from decimal import Decimal

BOOKS = [
    {"title": "Middlemarch", "price": Decimal("9.50"), "copies": 2},
    {"title": "Persuasion", "price": Decimal("7.20"), "copies": 0},
]
