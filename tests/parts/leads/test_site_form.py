"""The form on a page: how it is shown, sent by a browser without scripts, and answered."""

import re
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
from applications import ADMIN, Site

from landform.storage import signatures

CHOICES = [{"text": "Red", "value": "red"}, {"text": "Sky & sea", "value": "blue"}]
NAME = [{"id": "1.3", "label": "First"}, {"id": "1.6", "label": "Last"}]
CONSENT = [{"id": "7.1", "label": "Consent"}, {"id": "7.2", "label": "Text", "isHidden": True}]
FIELDS: list[dict[str, Any]] = [
    {"id": 1, "type": "name", "label": "Name", "isRequired": True, "inputs": NAME},
    {"id": 2, "type": "email", "label": "E-mail", "isRequired": True, "description": "Not shown."},
    {"id": 3, "type": "textarea", "label": "Message", "maxLength": 50, "placeholder": "Hello"},
    {"id": 4, "type": "select", "label": "Color", "choices": CHOICES},
    {"id": 5, "type": "checkbox", "label": "Topics", "choices": CHOICES},
    {"id": 6, "type": "radio", "label": "Size", "choices": CHOICES},
    {"id": 7, "type": "consent", "label": "Terms", "checkboxLabel": "I agree", "isRequired": True,
     "inputs": CONSENT},
    {"id": 8, "type": "hidden", "label": "Source", "allowsPrepopulate": True, "inputName": "from"},
    {"id": 9, "type": "html", "content": "<b>Bold</b><script>alert(1)</script>"},
    {"id": 10, "type": "section", "label": "More"},
    *({"id": number, "type": kind, "label": kind} for number, kind in
      enumerate(("date", "number", "phone", "website", "text"), 11)),
]  # fmt: skip
GOOD = {"input_1_3": "Ann", "input_1_6": "Lee", "input_2": "ann@example.com", "input_7_1": "1"}
ATTACK = '"><script>alert(1)</script>'
ESCAPED = "&#34;&gt;&lt;script&gt;"


def make_form(site: Site, *fields: dict[str, Any], **more: Any) -> str:
    """Create a form and return its id."""
    message = more.pop("message", "Thanks, {Name:1.3}!")
    confirmation = {"id": "c", "name": "C", "isDefault": True, "type": "message"}
    confirmation |= {"message": message, **more.pop("confirmation", {})}
    form = {"title": "Join us", "fields": fields or FIELDS, "confirmations": {"c": confirmation}}
    response = site.visitor.post("/forms", json={**form, **more}, auth=ADMIN)
    assert response.status_code == 201, response.text
    return str(response.get_json()["id"])


def change(site: Site, form: str, **values: Any) -> None:
    old = site.visitor.get(f"/forms/{form}", auth=ADMIN).get_json()
    response = site.visitor.put(f"/forms/{form}", json={**old, **values}, auth=ADMIN)
    assert response.status_code == 200, response.text


def make_page(site: Site, form: str, **more: Any) -> str:
    """Create a page with a form, and return its path."""
    meta = {"form_id": form, **more.pop("meta", {})}
    return str(urlsplit(site.page(meta=meta, **more)["link"]).path)


def entries(site: Site, form: str = "1") -> list[dict[str, Any]]:
    listed = site.visitor.get(f"/forms/{form}/entries", auth=ADMIN)
    return list(listed.get_json()["entries"])


def send(site: Site, path: str, values: dict[str, str], **headers: str) -> Any:
    """Send the form of a page as a browser does, with its hidden inputs."""
    shown = site.get(path).text
    action = re.search(r'<form class="landform-form"[^>]* action="([^"]*)"', shown)
    assert action, shown
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', shown))
    return site.visitor.post(action[1], data={**hidden, **values}, headers=headers)


def main_of(response: Any) -> str:
    return str(response.text).partition("<main")[2]


def test_a_page_shows_its_form_with_every_type_of_field(site: Site) -> None:
    form = make_form(site, button={"text": "Take <part>"}, description="In a minute.")
    html = main_of(site.get(make_page(site, form)))
    assert 'method="post" action="/forms/1/submissions" aria-label="Join us"' in html
    for expected in (
        '<p>In a minute.</p>', '<button type="submit">Take &lt;part&gt;</button>',
        '<label for="input_1_1_3">First</label>',
        'name="input_1_6" value="" required type="text" autocomplete="family-name"',
        'name="input_2" value="" required type="email" autocomplete="email" '
        'aria-describedby="input_1_2_help"',
        '<p class="landform-help" id="input_1_2_help">Not shown.</p>',
        'name="input_3" rows="5" maxlength="50" placeholder="Hello">',
        '<option value="blue">Sky &amp; sea</option>',
        'name="input_5_2" value="blue" type="checkbox">', "<legend>Topics</legend>",
        'name="input_6" value="red" type="radio">',
        'name="input_7_1" value="1" required type="checkbox">', "I agree</label>",
        "<b>Bold</b>", "<h2>More</h2>", 'type="date"', 'inputmode="decimal"',
        'type="tel" autocomplete="tel"', 'type="url" autocomplete="url"',
        '<input type="hidden" name="landform_page" value="1">',
    ):  # fmt: skip
        assert expected in html, expected
    assert html.count("<script") == html.count("<script>\n") == 1
    # The honeypot has no name that a browser would fill in, and nobody sees it.
    trap = re.search(r"<div hidden>(.*?)</div>", html, re.DOTALL)
    assert trap
    assert "Leave this field empty" in trap[1]
    assert 'tabindex="-1" autocomplete="off"' in trap[1]


@pytest.mark.parametrize(
    ("content", "form_id"),
    [
        ('<p>A</p>\n<!-- wp:gravityforms/form {"formId":"1","title":false} /-->\n<p>B</p>', ""),
        ('<p>A</p>\n<!-- wp:gravityforms/form {"formId":1} -->\n<!-- /wp:gravityforms/form -->'
         "<p>B</p>", "1"),
        ("A\n\n[gravityform id=1 title='false']\n\nB", ""), ('A\n\n[gravityform id="01"]\n\nB', ""),
        ("A\n\n[gravityform]\n\nB", "1"), ("A\n\n[gravityforms id='1']\n\nB", "1"),
    ],
)  # fmt: skip
def test_a_marker_in_the_content_places_the_form(site: Site, content: str, form_id: str) -> None:
    make_form(site)
    response = site.get(make_page(site, form_id, content=content))
    html = main_of(response)
    assert html.count("<form ") == html.count("</form>") == 1
    assert html.index("<p>A</p>") < html.index("<form ") < html.index("<p>B</p>")
    assert not re.search(r"gravityform|<p>\s*<form|<p></p>", response.text)


def test_markers_show_nothing_that_is_no_form_and_no_more_than_ten(site: Site) -> None:
    make_form(site)
    words = '<b title="[gravityform id=1]">x</b><pre>[gravityform id=1]</pre>[gravityform id=9]'
    many = " ".join(f"[gravityform id={number}]" for number in range(100, 400))
    html = main_of(site.get(make_page(site, "", content=f"{words} {many} [gravityform id=1]")))
    assert "<form " not in html
    assert html.count("[gravityform") == 2  # those that are no text of a paragraph
    excerpt = site.visitor.get("/wp-json/wp/v2/pages/1").get_json()["excerpt"]["rendered"]
    assert "id=9" not in excerpt


def test_a_form_that_cannot_be_submitted_is_not_shown(site: Site) -> None:
    forms = [
        make_form(site, {"id": 1, "type": "fileupload", "label": "File"}),
        make_form(site, {"id": 1, "type": "text", "label": "A", "conditionalLogic": {"rules": []},
                         "cssClass": "x"}),
        make_form(site),
    ]  # fmt: skip
    change(site, forms[0], fields=[{"id": 1, "type": "signature", "label": "S"}])
    change(site, forms[2], is_active="0")
    for form in (forms[0], forms[2], "99", "x", '"><x', "1" * 30):
        assert "<form " not in site.get(make_page(site, form)).text


def test_a_text_in_a_form_that_is_hidden_or_internal_is_not_shown(site: Site) -> None:
    texts = [{"id": number, "type": kind, "label": "Secret", "content": "Secret", **hidden}
             for number, (kind, hidden) in enumerate(product(("html", "section"), (
                 {"visibility": "hidden"}, {"visibility": "administrative"}, {"adminOnly": True},
             )), 2)]  # fmt: skip
    page = site.get(make_page(site, make_form(site, {"id": 1, "type": "text"}, *texts)))
    assert (page.status_code, "<form " in page.text, "Secret" in page.text) == (200, True, False)


def test_the_form_is_shown_within_the_window_and_behind_the_password_only(site: Site) -> None:
    form = make_form(site)
    ended = make_page(site, form, meta={"ends_at": "2030-05-01"})
    locked = make_page(site, form, slug="locked", password="sesame")
    before = site.get(ended).text
    assert 'name="landform_page"' in before
    site.at(24 * 3600)
    gone, closed = site.get(f"{ended}?later"), site.get(locked)
    assert (gone.status_code, "landform-form" in gone.text) == (410, False)
    assert "landform_page" not in closed.text
    values = {**GOOD, "landform_page": "1"}
    late = site.visitor.post("/forms/1/submissions", data=values)
    assert (late.status_code, "cannot be submitted" in late.text) == (400, True)
    assert "Ann" in late.text
    api = site.visitor.post("/forms/1/submissions", json=values, headers={"Accept": "*/*"})
    assert (api.status_code, api.get_json()["code"]) == (400, "form_restriction_error")
    assert entries(site) == []
    site.visitor.post(locked, data={"password": "sesame"})
    sent = send(site, locked, {**GOOD, "input_2": "x"})
    assert (sent.status_code, "Its content." in sent.text) == (422, True)
    # Without the key of the opened page its content stays hidden.
    for key in ("", "x", "é", "a" * 5000):
        data = {"landform_page": "2", "landform_key": key}
        other = site.visitor.post("/forms/1/submissions", data=data)
        assert (other.status_code, "Its content." in other.text) == (422, False)
        assert "<form " in other.text


def test_what_is_wrong_is_shown_at_its_field_with_what_was_typed(site: Site) -> None:
    form = make_form(site)
    path = make_page(site, form, title="Join", meta={"language": ["ar"]})
    values = {"input_2": ATTACK, "input_3": ATTACK, "input_5_2": "blue", "input_6": "red",
              "input_8": ATTACK}  # fmt: skip
    response = send(site, path, values)
    html = main_of(response)
    assert response.status_code == 422
    assert response.headers["Cache-Control"] == "no-store"
    assert "Content-Security-Policy" in response.headers
    assert '<html lang="ar" dir="rtl">' in response.text
    assert "<h1>Join</h1>" in html
    assert "Its content." in html
    assert html.count("<script") == html.count("<script>\n") == 1
    assert html.count(ESCAPED) == 3
    assert '<div class="landform-problems" id="form_1_problems" tabindex="-1" autofocus>' in html
    assert '<a href="#input_1_1_3">Name</a>: This field is required.' in html
    assert re.search(r'name="input_2" [^>]*aria-describedby="input_1_2_help input_1_2_error" '
                     'aria-invalid="true"', html)  # fmt: skip
    assert 'name="input_5_2" value="blue" type="checkbox" checked' in html
    assert 'name="input_6" value="red" type="radio" checked' in html
    assert entries(site) == []


def test_an_entry_is_thanked_for_by_its_page_and_a_reload_sends_nothing(site: Site) -> None:
    form = make_form(site, message="<p onclick='x'>Thanks, {Name:1.3}!</p><script>x</script>")
    path = make_page(site, form)
    sent = send(site, path, {**GOOD, "input_1_3": "<b>Ann"})
    assert (sent.status_code, sent.data) == (303, b"")
    location = sent.headers["Location"]
    assert re.fullmatch(rf"{path}\?submitted=[\w-]+", location)
    assert entries(site)[0]["1.3"] == "<b>Ann"
    for _ in range(2):
        shown = site.get(location)
        assert "<p>Thanks, &lt;b&gt;Ann!</p></div>" in main_of(shown)
        assert shown.headers["Cache-Control"] == "private, no-store"
        assert not re.search("<form |<script", main_of(shown))
    # The address shows no values to others, and none without the cookie of this entry.
    other = site.with_cookie(location, "landform_submitted=x")
    assert "<p>Thanks, !</p></div>" in other.text
    assert other.headers["Cache-Control"] == "private, no-store"
    assert "submitted" not in site.get(path).text
    # A double click, or a reload of what was sent, is one entry.
    again = send(site, path, {**GOOD, "input_1_3": "<b>Ann"})
    assert (again.status_code, len(entries(site))) == (303, 1)
    site.at(3601)
    assert "<form " in site.get(location).text


def test_no_token_can_be_guessed_or_used_for_another_form(site: Site) -> None:
    path = make_page(site, make_form(site))
    location = send(site, path, GOOD).headers["Location"]
    token = location.partition("=")[2]
    assert "Thanks" in site.get(location).text
    middle = token[:40] + ("A" if token[40] != "A" else "B") + token[41:]
    for wrong in (middle, token[:-2], "", "x", "%00", "%ff", "é", "A" * 71, "A" * 10_000):
        shown = site.get(f"{path}?submitted={wrong}")
        assert (shown.status_code, "<form " in shown.text) == (200, True), wrong
    other = make_page(site, make_form(site), slug="other")
    assert "<form " in site.get(f"{other}?submitted={token}").text
    with site.store.connection():
        signatures.rotate_secret(site.store)
    assert "<form " in site.get(location).text


@pytest.mark.parametrize(
    ("url", "query", "expected"),
    [
        ("https://example.com/thanks", "name={Name:1.3}&a=1",
         "https://example.com/thanks?name=A%26b%3D%2F%2Fx&a=1"),
        ("https://example.com/{#:1.3}#top", "n={#1:1.3}",
         "https://example.com/A%26b%3D%2F%2Fx?n=A%26b%3D%2F%2Fx#top"),
        ("https://пример.рф/спасибо#é", "имя=é&n={Name:1.3}",
         "https://xn--e1afmkfd.xn--p1ai/%D1%81%D0%BF%D0%B0%D1%81%D0%B8%D0%B1%D0%BE"
         "?%D0%B8%D0%BC%D1%8F=%C3%A9&n=A%26b%3D%2F%2Fx#%C3%A9"),
        ("https://example.com/" + "日" * 300, "", None), ("https://é..é/", "", None),
        ("https://example.com:x/é", "", None),
        ("https://{Name:1.3}/", "", None), ("https://example.com@{Name:1.3}/", "", None),
        ("javascript:alert(1)", "", None), ("//evil.example", "", None), ("{Name:1.3}", "", None),
        ("https://example.com/", "{Name:1.3}" * 140, None),
    ],
)  # fmt: skip
def test_a_confirmation_redirects_to_the_address_of_its_author_only(
    site: Site, url: str, query: str, expected: str | None
) -> None:
    redirect = {"type": "redirect", "url": url, "queryString": query}
    path = make_page(site, make_form(site, confirmation=redirect))
    sent = send(site, path, {**GOOD, "input_1_3": "A&b=//x"})
    assert sent.status_code == 303
    location = sent.headers["Location"]
    assert f"{sent.headers}".isascii()
    body = site.visitor.post("/forms/1/submissions", json=GOOD, headers={"Accept": "*/*"})
    assert (body.status_code, f"{body.headers}".isascii()) == (200, True)
    assert location == expected if expected else location.startswith(f"{path}?submitted=")


def test_an_address_that_is_to_be_repeated_is_shown_twice_and_stored_once(site: Site) -> None:
    # As Gravity Forms stores such a field.
    inputs = [{"id": "1", "label": "Enter"}, {"id": "1.2", "label": "Again"}]
    field = {"id": 1, "type": "email", "emailConfirmEnabled": True, "inputs": inputs}
    path = make_page(site, make_form(site, field))
    shown = site.get(path).text
    assert all(f'name="{name}"' in shown for name in ("input_1", "input_1_2"))
    wrong = send(site, path, {"input_1": "a@example.com", "input_1_2": "b@example.com"})
    assert (wrong.status_code, "are not the same" in wrong.text) == (422, True)
    assert (
        send(site, path, dict.fromkeys(("input_1", "input_1_2"), "a@example.com")).status_code
        == 303
    )
    assert {key: text for key, text in entries(site)[0].items() if key[0].isdigit()} == {
        "1": "a@example.com"
    }
    refused = site.visitor.post(
        "/forms", json={"title": "F", "fields": [{**field, "inputs": [{"id": "2"}]}]}, auth=ADMIN
    )
    assert (refused.status_code, "fields" in refused.get_json()["data"]["params"]) == (400, True)


def test_a_confirmation_leads_to_a_page_that_visitors_see_now(site: Site) -> None:
    thanks = site.page(slug="thanks")
    to_page = {"type": "page", "pageId": thanks["id"], "queryString": "name={Name:1.3}"}
    path = make_page(site, make_form(site, confirmation=to_page))
    values = {**GOOD, "input_1_3": "A&b"}
    client = {"Accept": "application/json"}
    sent = site.visitor.post("/forms/1/submissions", json=values, headers=client)
    url = f"{thanks['link']}?name=A%26b"
    body = sent.get_json()
    kind, message = body["confirmation_type"], body["confirmation_message"]
    assert (kind, message, body["confirmation_redirect"]) == ("redirect", "", url)
    assert sent.headers["Location"] == url
    assert urlsplit(url).path + "?name=A%26b" == send(site, path, values).headers["Location"]
    too_long = send(site, path, {**GOOD, "input_1_3": "\u00e9" * 400})
    assert too_long.headers["Location"] == urlsplit(url).path
    site.visitor.put(f"/pages/{thanks['id']}", json={"status": "draft"}, auth=ADMIN)
    body = site.visitor.post("/forms/1/submissions", json=GOOD, headers=client).get_json()
    assert (body["confirmation_type"], body["confirmation_message"]) == ("message", "Thanks, Ann!")
    assert "confirmation_redirect" not in body
    assert "?submitted=" in send(site, path, {**GOOD, "input_1_3": "Bo"}).headers["Location"]


def test_a_form_is_filled_in_from_the_query_of_its_page(site: Site) -> None:
    path = make_page(site, make_form(site))
    shown = site.get(f"{path}?from=ads%22%3E%3Cscript%3E&input_2=x&input_8=y")
    assert 'name="input_8" value="ads&#34;&gt;&lt;script&gt;"' in shown.text
    assert shown.headers["Cache-Control"] == "public, max-age=60"
    assert 'name="input_8" value="mail"' in site.get(f"{path}?from=mail").text
    for refused in (f"from={'x' * 1001}", "from=%00", ""):
        assert 'name="input_8" value=""' in site.get(f"{path}?{refused}").text
    # Other fields do not allow it.
    assert 'name="input_2" value=""' in shown.text
    send(site, f"{path}?from=mail", GOOD)
    assert entries(site)[0]["8"] == "mail"
    # A mistake in one form leaves the others of the page filled in.
    content = f"[gravityform id={make_form(site, FIELDS[1])}]"
    other = make_page(site, "1", content=content, slug="other")
    wrong = send(site, f"{other}?from=ads", {}, Referer=f"http://localhost{other}?from=ads")
    assert (wrong.status_code, 'name="input_8" value="ads"' in wrong.text) == (422, True)


def test_a_page_is_cached_until_its_form_changes(site: Site) -> None:
    path = make_page(site, make_form(site))
    first = site.get(path)
    etag = first.headers["ETag"]
    assert site.get(path, If_None_Match=etag).status_code == 304
    change(site, "1", button={"text": "Another text"})
    changed = site.get(path, If_None_Match=etag)
    assert (changed.status_code, "Another text" in changed.text) == (200, True)
    assert "Another text" in site.get(path).text
    change(site, "1", is_active="0")
    assert "<form " not in site.get(path).text


def test_errors_are_shown_to_a_browser_and_are_json_for_others(site: Site) -> None:
    path = make_page(site, make_form(site))
    refused = send(site, path, {**GOOD, "input_3": "a\0b"})
    assert (refused.status_code, refused.mimetype) == (400, "text/html")
    assert 'value="ann@example.com"' in refused.text
    change(site, "1", is_active="0")
    for accept, kind in (("text/html", "text/html"), ("*/*", "application/json")):
        headers = {"Accept": accept}
        closed = site.visitor.post("/forms/1/submissions", data=GOOD, headers=headers)
        assert (closed.status_code, closed.mimetype) == (400, kind)
    # Also where the form is not read at all.
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for status, headers, data in (
        (403, {"Sec-Fetch-Site": "cross-site"}, GOOD),
        (400, form, b"input_3=%ff"),
        (413, form, b"&" * 1000),
    ):
        for accept, kind in (("text/html", "text/html"), ("*/*", "application/json")):
            sent = {"data": data, "headers": {**headers, "Accept": accept}}
            refused = site.visitor.post("/forms/1/submissions", **sent)
            assert (refused.status_code, refused.mimetype) == (status, kind)
            assert refused.headers["Cache-Control"] == "no-store"


def test_a_form_that_names_no_page_is_answered_with_a_document_of_its_own(site: Site) -> None:
    make_form(site)
    wrong = site.visitor.post("/forms/1/submissions", data={"input_2": "x"})
    assert (wrong.status_code, "<h1>Join us</h1>" in wrong.text) == (422, True)
    for page in ("99", "x", "-1", "1" * 40):
        named = site.visitor.post("/forms/1/submissions", data={**GOOD, "landform_page": page})
        assert named.status_code == 400
    right = site.visitor.post("/forms/1/submissions", data=GOOD)
    assert (right.status_code, "Thanks, Ann!" in right.text) == (200, True)


def test_a_preview_shows_a_form_that_cannot_be_sent(site: Site) -> None:
    make_form(site)
    page = site.page(status="draft", meta={"form_id": "1"})
    made = site.visitor.post(f"/pages/{page['id']}/preview", json={}, auth=ADMIN).get_json()
    unsaved = {"title": "T", "meta": {"form_id": "1"}}
    preview: dict[str, Any] = {"json": unsaved, "auth": ADMIN}
    preview["headers"] = {"Referer": "http://localhost/console/?from=console"}
    html = site.visitor.post("/pages/preview", **preview).get_json()["html"]
    assert 'name="input_8" value=""' in html
    for shown in (site.get(made["link"]).text, html):
        assert '<button type="submit" disabled>' in shown


def test_templates_of_ones_own_place_and_replace_the_form(
    make_database: Any, tmp_path: Any
) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "page.html").write_text("<style>{{ page.form_style }}</style><main>{{ page.form }}|")
    site = Site.on(make_database(), TEMPLATES=str(folder))
    path = make_page(site, make_form(site))
    assert re.search(r"<main><form .*</script>\s*\|", site.get(path).text, re.DOTALL)
    assert ".landform-form" in site.get(path).text
    (folder / "form.html").write_text("<form>{{ form.title }}, {{ fields[1].label }}</form>")
    site = Site.on(make_database(), TEMPLATES=str(folder))
    path = make_page(site, make_form(site))
    assert "<main><form>Join us, E-mail</form>|" in site.get(path).text
