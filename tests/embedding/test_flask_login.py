"""The documented ways in for a host's own users, run as they are written."""

import re
from pathlib import Path

import pytest
from conftest import ROOT
from flask import Flask

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
        client.get("/landing/pages"),
        client.get("/landing/pages?context=edit"),
        client.get("/landing/whoami"),
        client.get("/landing/feeds"),
        client.post("/landing/pages", json={"title": "Fair"}),
    ]
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
