"""The document has what generators of clients need of schemas, parameters and responses."""

from typing import Any

import pytest
from applications import Client
from flask.testing import FlaskClient
from part_tables import tables


@pytest.fixture
def description(anonymous: FlaskClient) -> Any:
    return anonymous.get("/openapi.json").get_json()


def test_fields_that_every_response_has_are_required(description: Any, client: Client) -> None:
    page, feed = client.page(), client.feed()
    plan = client.post("/forms/1/feeds/plan", json={"entry": {}, "entry_id": 1}).get_json()
    client.put(f"/pages/{page['id']}", json={"title": "Other"})
    (revision,) = client.get(f"/pages/{page['id']}/revisions?context=edit").get_json()
    event = client.get("/events").get_json()[0]
    error = client.get("/pages/99").get_json()
    always = {
        "PageEdit": page,
        "PageView": client.get(f"/pages/{page['id']}").get_json(),
        "PageEmbed": client.get(f"/pages/{page['id']}?context=embed").get_json(),
        "RawAndRendered": page["title"],
        "EditContent": page["content"],
        "RevisionEdit": revision,
        "FeedRead": client.get(f"/feeds/{feed['id']}").get_json(),
        "FeedWritten": client.patch(f"/feeds/{feed['id']}", json={"is_active": False}).get_json(),
        "Caller": client.get("/whoami").get_json(),
        "PlannedFeed": plan["feeds"][0],
        "Event": event,
        "Error": error,
    }
    for name, (path, body) in (item for table in tables("RESPONSES") for item in table.items()):
        always[name] = client.post(path, json=body).get_json()
    schemas = description["components"]["schemas"]
    for name, response in always.items():
        assert (name, {*schemas[name]["required"]}) == (name, {*response})
    for name, response in (
        ("FeedPlan", plan), ("EventData", event["data"]), ("ErrorData", error["data"]),
    ):  # fmt: skip
        assert {*schemas[name]["required"]} <= {*response}
