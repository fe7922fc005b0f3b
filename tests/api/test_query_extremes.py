"""Every query parameter of every operation, with what nobody would mean: never a 500."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from conftest import SECRET, basic

from landform.app import create_app
from landform.service.blueprint import WP_JSON_ROUTES

TIMES = [
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00", "0001-01-01",
    "9999-12-31T23:59:59", "2026-10-25T02:30:00", "now",
]  # fmt: skip
VALUES = [
    "", "-1", str(2**63), "9" * 400, "NaN", "[]", "\x7f", "any", "author", "," * 50,
]  # fmt: skip
NESTED = ["[]", "[0][0]", "[a][b]"]
EVERYWHERE = ("_fields", "_embed", "_envelope", "_method", "rest_route")
ZONES = ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Europe/Zurich", "America/New_York"]


def requests() -> Iterator[tuple[str, str, str]]:
    """Yield the method and path of each operation, and each parameter that it takes."""
    for route in WP_JSON_ROUTES:
        for method, operation in route.operations.items():
            path = re.sub("<.*?>", "1" if method == "GET" else "99", route.path)
            own = getattr(operation.contract.query, "fields", ())
            # What belongs to WordPress' clients is taken below /wp-json alone.
            below = "/wp-json/wp/v2" if path.startswith("/pages") else ""
            yield from ((method, path, name) for name in own)
            yield from ((method, below + path, name) for name in EVERYWHERE)


@pytest.mark.parametrize("zone", ZONES)
def test_no_query_parameter_of_any_operation_makes_a_500(database_url: str, zone: str) -> None:
    settings = {"DATABASE_URL": database_url, "CREDENTIALS": SECRET, "TIMEZONE": zone}
    client = create_app(settings).test_client()
    page = {"title": "A", "meta": {"starts_at": "2026-01-01", "ends_at": "9999-12-31"}}
    feed = {"form_id": 1, "addon_slug": "a", "meta": {"k": "v"}}
    for path, body in (("/pages", page), ("/feeds", feed)):
        assert client.post(path, json=body, headers=basic()).status_code == 201
    # What depends on no zone is sent in one of them.
    sent = [(ending, "x") for ending in NESTED] + [("", value) for value in VALUES]
    sent = [*[("", time) for time in TIMES], *(sent if zone == ZONES[0] else ())]
    seen, answered = set(), set()
    for method, path, name in requests():
        for ending, value in sent:
            query = f"{quote(name)}{ending}={quote(value)}"
            url = f"{path}?{query}"
            given = {} if method == "GET" else {"json": {}}
            answer = client.open(url, method=method, headers=basic(), **given)
            assert answer.status_code < 500, (method, url, answer.text)
            answered.add(answer.status_code)
        seen.add((method, path))
    assert {200, 400} <= answered
    assert len(seen) > 30
