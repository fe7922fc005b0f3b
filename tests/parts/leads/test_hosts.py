"""Forms in an application of somebody else: in its own templates, with its login and signals."""

import re
from typing import Any

import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf.csrf import CSRFError, CSRFProtect
from markupsafe import Markup

from landform.parts.leads import Leads
from landform.service import ApiError, Identity, create_blueprint, event_signal

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
    @app.get("/日本")
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
    returned = {"landform_return": "/offer?from=x", "landform_once": ""}
    assert hidden == {"input_2": "x", **returned}
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
     "/.//evil.example", "/" + "x" * 3000],
)  # fmt: skip
def test_a_submission_leads_to_no_other_site(host: Flask, path: str) -> None:
    sent = send(host.test_client(), {"input_1": "Ada", "landform_return": path})
    assert (sent.status_code, "Location" in sent.headers) == (200, False)
    assert "Thanks, Ada!" in sent.text


def test_a_page_of_a_host_may_have_an_address_in_another_script(host: Flask) -> None:
    visitor = host.test_client()
    hidden = inputs(visitor.get("/日本?from=é").text)
    sent = send(visitor, {**hidden, "input_1": "Ada"}, Referer="")
    assert sent.status_code == 303
    assert f"{sent.headers}".isascii()
    assert sent.headers["Location"].startswith("/%E6%97%A5%E6%9C%AC?from=%C3%A9&submitted=")
    # Browsers compare the path as they send it, the client of Werkzeug does not.
    cookie, _, attributes = sent.headers["Set-Cookie"].partition(";")
    assert "Path=/%E6%97%A5%E6%9C%AC" in attributes
    alone = host.test_client(use_cookies=False)
    thanks = alone.get(sent.headers["Location"], headers={"Cookie": cookie})
    assert "Thanks, Ada!" in thanks.text


def test_a_form_that_cannot_be_submitted_leaves_the_page_of_a_host_as_it_is(host: Flask) -> None:
    landing: Any = host.extensions["landing"]
    landing.api.update_form(1, **FORM, is_active=False)
    assert host.test_client().get("/offer").text == "<h1>Offer</h1>"
    with host.test_request_context("/"):
        assert landing.form(99) == Markup("")


@pytest.mark.sqlite("a file goes away")
def test_a_page_of_a_host_is_shown_without_its_form_while_the_database_is_away(
    host: Flask, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    database, away = tmp_path / "host.db", tmp_path / "away.db"
    visitor = host.test_client()
    before = visitor.get("/offer").text
    database.rename(away)
    database.mkdir()
    shown = visitor.get("/offer")
    assert (shown.status_code, shown.text) == (200, "<h1>Offer</h1>")
    assert "Form 1 cannot be shown: The database cannot be used now." in caplog.messages
    database.rmdir()
    away.rename(database)
    assert visitor.get("/offer").text == before


def test_a_form_needs_the_part_and_a_request(host: Flask, tmp_path: Any) -> None:
    without: Any = create_blueprint(f"sqlite:///{tmp_path}/other.db", name="without")
    host.register_blueprint(without, url_prefix="/other")
    with host.test_request_context("/"), pytest.raises(RuntimeError, match="No part shows forms"):
        without.form(1)
    with pytest.raises(RuntimeError, match="needs a request"):
        host.extensions["landing"].form(1)
    prefixed: Any = create_blueprint(f"sqlite:///{tmp_path}/host.db", parts=[Leads()], name="de")
    host.register_blueprint(prefixed, url_prefix="/<lang>/landing")
    with host.test_request_context("/"):
        with pytest.raises(RuntimeError, match="url_defaults"):
            prefixed.form(1)
        host.url_defaults(lambda endpoint, values: values.setdefault("lang", "de"))
        assert 'action="/de/landing/forms/1/submissions"' in prefixed.form(1)


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


def test_a_host_submits_a_form_and_writes_entries_in_python(host: Flask) -> None:
    api = host.extensions["landing"].api
    assert api.create_form(title="Other", fields=FORM["fields"], description="Kept")["id"] == 2
    assert api.get_form(2)["description"] == "Kept"
    # The id in the path wins.
    sent = api.submit_form(1, input_1="Ada", form_id=2, idempotency_key="k")
    assert api.submit_form(1, input_1="Ada", idempotency_key="k")["entry_id"] == "1"
    assert (sent["entry_id"], sent["confirmation_message"]) == ("1", "Thanks, Ada!")
    assert api.submit_form(1, input_1="")["validation_messages"].keys() == {"1"}
    with pytest.raises(ApiError) as refused:
        api.submit_form(1, input_1="Ada", inputs_1="Eve")
    assert refused.value.params == {"inputs_1": 'inputs_1 is unknown; did you mean "input_1"?'}
    assert api.create_form_entry(2, **{"1": "Eve"})["id"] == 2
    changed = api.update_entry(1, **{"1": "Ada L.", "form_id": 1})
    assert (changed["1"], api.get_entry(2)["1"]) == ("Ada L.", "Eve")
    for name in ("idempotency_key", "if_match"):
        with pytest.raises(TypeError, match=name):
            api.create_form_entry(1, **{"1": "Ada", name: "x"})
    assert api.list_entries()["total_count"] == 2


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


@pytest.mark.parametrize("exempted", ["blueprint", "endpoint"])
def test_forgery_protection_of_the_host_lets_visitors_in_once_exempt_and_keeps_its_own_forms(
    host: Flask, exempted: str
) -> None:
    host.secret_key = "x"
    protection = CSRFProtect(host)

    @host.errorhandler(CSRFError)
    def refuse(error: CSRFError) -> tuple[str, int]:
        return "<h1>Our own page</h1>", 400

    @host.route("/own", methods=["GET", "POST"])
    def own() -> str:
        return render_template_string("{{ csrf_token() }}")

    landing: Any = host.extensions["landing"]
    visitor = host.test_client()

    def submit() -> tuple[int, bool]:
        sent = send(visitor, {**inputs(visitor.get("/offer").text), "input_1": "Ada"})
        return sent.status_code, "Our own page" in sent.text

    assert submit() == (400, True)
    assert landing.api.list_entries()["total_count"] == 0
    one = host.view_functions["landform.submit_form"]
    protection.exempt(landing if exempted == "blueprint" else one)
    assert submit() == (303, False)
    assert landing.api.list_entries()["total_count"] == 1
    assert visitor.post("/own").text == "<h1>Our own page</h1>"
    token = {"csrf_token": visitor.get("/own").text}
    assert visitor.post("/own", data=token).status_code == 200


def test_a_limit_of_the_host_stops_submissions_with_its_own_page_and_shows_the_form(
    host: Flask,
) -> None:
    limiter = Limiter(get_remote_address, app=host, storage_uri="memory://")
    host.register_error_handler(429, lambda error: ("<h1>Our own page</h1>", 429))
    landing: Any = host.extensions["landing"]
    limiter.limit("2/hour", methods=["POST"])(landing)
    visitor = host.test_client()
    sent = [send(visitor, {"input_1": f"Ada {number}"}) for number in range(3)]
    assert [one.status_code for one in sent] == [200, 200, 429]
    assert sent[2].text == "<h1>Our own page</h1>"
    assert "<form" in visitor.get("/offer").text
    assert landing.api.list_entries()["total_count"] == 2
