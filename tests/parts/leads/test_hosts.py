"""Forms in an application of somebody else: in its own templates, with its login and signals."""

import re
from typing import Any

import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from markupsafe import Markup

from landform.parts.leads import Leads
from landform.service import Identity, create_blueprint, event_signal

FORM: dict[str, Any] = {
    "title": "Offer",
    "fields": [
        {"id": 1, "type": "text", "label": "Name", "isRequired": True},
        {"id": 2, "type": "hidden", "allowsPrepopulate": True, "inputName": "from"},
    ],
    "confirmations": {"c": {"id": "c", "isDefault": True, "message": "Thanks, {Name:1}!"}},
}
ACTION = "/landing/forms/1/submissions"
BROWSER = {"Accept": "text/html", "Referer": "http://localhost/offer?from=x"}


@pytest.fixture
def host(tmp_path: Any) -> Flask:
    """An application with a page of its own that shows form 1."""
    app = Flask("host")
    landing: Any = create_blueprint(f"sqlite:///{tmp_path}/host.db", parts=[Leads()])
    app.register_blueprint(landing, url_prefix="/landing")
    assert landing.api.create_form(**FORM)["id"] == 1

    @app.get("/offer")
    def offer() -> str:
        return render_template_string("<h1>Offer</h1>{{ landing.form(1) }}", landing=landing)

    app.extensions["landing"] = landing
    return app


def inputs(html: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html))


def send(visitor: FlaskClient, data: dict[str, str], **headers: str) -> Any:
    return visitor.post(ACTION, data=data, headers={**BROWSER, **headers})


def test_a_template_of_a_host_shows_a_form_and_thanks_its_visitor(host: Flask) -> None:
    visitor = host.test_client()
    page = visitor.get("/offer?from=x").text
    assert page.startswith('<h1>Offer</h1><form class="landform-form"')
    assert f'action="{ACTION}"' in page
    assert "<style" not in page
    hidden = inputs(page)
    assert hidden == {"input_2": "x", "landform_return": "/offer?from=x"}
    wrong = send(visitor, hidden)
    assert (wrong.status_code, inputs(wrong.text)) == (422, hidden)
    # From the document with the messages.
    sent = send(visitor, {**hidden, "input_1": "<b>Ada"}, Referer=f"http://localhost{ACTION}")
    assert sent.status_code == 303
    assert re.fullmatch(r"/offer\?from=x&submitted=[\w-]+", sent.headers["Location"])
    assert visitor.get(sent.headers["Location"]).text == (
        '<h1>Offer</h1><div class="landform-form landform-done" id="form_1" role="status" '
        'tabindex="-1" autofocus>Thanks, &lt;b&gt;Ada!</div>\n'
    )
    # The values are for the browser that sent them.
    assert "Thanks, !" in host.test_client().get(sent.headers["Location"]).text
    landing: Any = host.extensions["landing"]
    (entry,) = landing.api.list_entries()["entries"]
    assert (entry["1"], entry["2"], entry["source_url"]) == ("<b>Ada", "x", BROWSER["Referer"])


@pytest.mark.parametrize(
    "path",
    ["//evil.example/", "/\\evil.example", "https://evil.example", "/\t/evil.example", "offer",
     "/" + "x" * 3000],
)  # fmt: skip
def test_a_submission_leads_to_no_other_site(host: Flask, path: str) -> None:
    sent = send(host.test_client(), {"input_1": "Ada", "landform_return": path})
    assert (sent.status_code, "Location" in sent.headers) == (200, False)
    assert "Thanks, Ada!" in sent.text


def test_a_form_that_cannot_be_submitted_leaves_the_page_of_a_host_as_it_is(host: Flask) -> None:
    landing: Any = host.extensions["landing"]
    landing.api.update_form(1, **FORM, is_active=False)
    assert host.test_client().get("/offer").text == "<h1>Offer</h1>"
    with host.test_request_context("/"):
        assert landing.form(99) == Markup("")


def test_a_form_needs_the_part_and_a_request(host: Flask, tmp_path: Any) -> None:
    without: Any = create_blueprint(f"sqlite:///{tmp_path}/other.db", name="without")
    host.register_blueprint(without, url_prefix="/other")
    with host.test_request_context("/"), pytest.raises(RuntimeError, match="No part shows forms"):
        without.form(1)
    with pytest.raises(RuntimeError, match="needs a request"):
        host.extensions["landing"].form(1)


def test_a_host_hears_of_an_entry_after_its_commit_and_gets_no_value(host: Flask) -> None:
    events: list[Any] = []
    landing: Any = host.extensions["landing"]

    def receive(sender: Any, event: Any) -> None:
        events.append((event, landing.api.get_entry(int(event["data"]["id"]))["1"]))

    event_signal("entry.created").connect(receive, landing)
    send(host.test_client(), {"input_1": "Ada"})
    ((event, value),) = events
    assert value == "Ada"
    assert (event["data"]["form_id"], event["data"]["status"]) == (1, "active")
    assert "Ada" not in str(event)


def test_a_login_of_the_host_is_not_used_by_forms_of_other_sites(tmp_path: Any) -> None:
    app = Flask("host")
    app.secret_key = "x"

    def authorize(request: Any) -> Identity | None:
        return Identity("editor") if request.cookies.get("login") == "yes" else None

    landing: Any = create_blueprint(
        f"sqlite:///{tmp_path}/host.db", parts=[Leads()], authorizer=authorize
    )
    app.register_blueprint(landing)
    landing.api.create_form(**FORM)
    visitor = app.test_client()
    visitor.set_cookie("login", "yes")
    path, data = "/forms/1/submissions", {"input_1": "Ada"}
    own = visitor.post(path, data=data)
    assert own.get_json()["entry_id"] == "1"
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    for accept in ("application/json", "text/html"):
        refused = visitor.post(path, data=data, headers={**foreign, "Accept": accept})
        assert (refused.status_code, "entry_id" in refused.text) == (403, False)
