"""What the benchmarks stand on: the stores that they make, and the addresses that they ask."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from flask.testing import FlaskClient

from landform.app import create_app

sys.path.append(str(ROOT / "bench"))

import compare
import load
import scale
import store


@pytest.mark.sqlite("it makes a file")
def test_a_store_that_is_made_is_one_that_the_service_serves(tmp_path: Path) -> None:
    made = store.made(tmp_path, 200)
    with made.connection() as db:
        db.execute_sql("INSERT INTO page_index (page_index) VALUES ('integrity-check')")
        counted = "SELECT SUM(pages) FROM page_count"
        assert db.execute_sql(counted).fetchone()[0] == 200
    client = create_app({"DATABASE_URL": f"sqlite:///{made.database.path}"}).test_client()
    found = client.get(f"/pages?search={store.COMMON}&status=any").headers
    assert 40 <= int(found["X-WP-Total"]) <= 50
    assert len(client.get("/forms/1/feeds").get_json()) == 20
    assert scale.sizes(made)["bytes a page: file"] > 1000
    assert store.made(tmp_path, 200).database.path == made.database.path


@pytest.mark.parametrize("name", compare.CASES)
def test_every_case_asks_for_something(
    client: FlaskClient, make_page: Callable[..., Any], make_feed: Callable[..., Any], name: str
) -> None:
    page = make_page(**load.page(777))
    make_feed()
    case = compare.CASES[name]
    body = case.body or None
    answer = client.open(case.path.format(page=page["id"]), method=case.method, json=body)
    assert answer.status_code == (201 if case.method == "POST" else 200)
    assert answer.get_json()
