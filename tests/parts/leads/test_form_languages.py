"""The form of a page in the language of the page: labels, messages, confirmation and errors."""

import re
from pathlib import Path
from typing import Any

import pytest
from applications import ADMIN, Site
from mailboxes import mailbox
from marked_texts import LANGUAGE, unmarked_words, write_marked_catalog
from test_site_form import GOOD, change, main_of, make_form, make_page, send

TWO = [{"text": "A"}, {"text": "B"}]
# A field for each message, with what is sent for it.
MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"type": "text", "isRequired": True}, ""), ({"type": "text", "maxLength": 3}, "abcd"),
    ({"type": "email"}, "x"), ({"type": "website"}, "x"), ({"type": "phone"}, "1"),
    ({"type": "date"}, "x"), ({"type": "number"}, "x"), ({"type": "select", "choices": TWO}, "C"),
    ({"type": "number", "rangeMin": 1, "rangeMax": 3}, "4"),
    ({"type": "number", "rangeMin": 3}, "1"),
    ({"type": "number", "rangeMax": 3}, "4"), ({"type": "text"}, "\ufdfa" * 400_00),
    ({"type": "email", "emailConfirmEnabled": True}, "a@example.com"),
]  # fmt: skip
LANGUAGES = "de es fr it nl pl pt".split()


def errors_of(text: str) -> list[str]:
    return re.findall('class="landform-error"[^>]*>(.*?)</p>', text)


def words_of(text: str) -> list[str]:
    """Return what landform says in a form: labels of parts, the trap, the button, mistakes."""
    found = re.findall(r"<(?:label|button|strong)[^>]*>([^<]+)</", text.partition("<main")[2])
    return [*found, *errors_of(text)]


@pytest.mark.settings(SUBMISSIONS_PER_MINUTE=100)
def test_every_message_and_label_of_landform_is_in_each_language(site: Site) -> None:
    names = [{"id": f"90.{n}", "label": label} for n, label in
             enumerate(("Prefix", "First", "Middle", "Last", "Suffix"), 2)]  # fmt: skip
    boxes = {"type": "checkbox", "choices": TWO, "inputs": [{"id": "91.1"}, {"id": "91.2"}]}
    fields = [
        *({"id": number, **field} for number, (field, _) in enumerate(MISTAKES, 1)),
        {"id": 90, "type": "name", "label": "", "isRequired": True, "inputs": names},
        {"id": 91, **boxes, "choiceLimit": "exactly", "choiceLimitNumber": 2},
        {"id": 92, **boxes, "choiceLimit": "range", "choiceLimitMax": 1,
         "inputs": [{"id": "92.1"}, {"id": "92.2"}]},
    ]  # fmt: skip
    form = make_form(site, *fields)
    values = {f"input_{number}": text for number, (_, text) in enumerate(MISTAKES, 1)}
    values |= {"input_13_2": "b@example.com", "input_91_1": "A", "input_92_1": "A"}
    values |= {"input_92_2": "B"}
    english = send(site, make_page(site, form), values)
    assert (english.status_code, len(errors_of(english.text))) == (422, len(fields))
    for language in LANGUAGES:
        path = make_page(site, form, slug=language, meta={"language": [language]})
        shown = send(site, path, values)
        assert shown.status_code == 422
        pairs = zip(words_of(english.text), words_of(shown.text), strict=True)
        same = {one for one, other in pairs if one == other}
        assert same <= {"A", "B"}, language
        assert 'lang="en"' not in shown.text
        title = re.findall("<title>(.*?)</title>", shown.text)[0]
        assert title.endswith(": A page – landform")
        assert not title.startswith("Not sent")


def test_what_an_author_wrote_stays_and_other_words_say_their_language(site: Site) -> None:
    field = {"id": 1, "type": "email", "label": "First", "isRequired": True}
    parts = [{"id": "2.3", "label": "First", "customLabel": "Last"}, {"id": "2.6", "label": "Nom"}]
    name = {"id": 2, "type": "name", "inputs": parts}
    own = make_form(site, {**field, "errorMessage": "Ja?"}, name, button={"text": "Los"})
    page = send(site, make_page(site, own, meta={"language": ["de"]}), {"input_2_3": "x"})
    for text in ("First", "Last</label>", "Nom</label>", "Ja?", ">Los</button>"):
        assert text in main_of(page)
    arabic = make_page(site, make_form(site, field), slug="ar", meta={"language": ["ar"]})
    shown = main_of(send(site, arabic, {}))
    for text in (
        '<p lang="en" dir="ltr"><strong>Please check', 'lang="en" dir="ltr">This field is required',
        '<button type="submit" lang="en" dir="ltr">Submit', 'lang="en" dir="ltr">Leave this field',
    ):  # fmt: skip
        assert text in shown


def test_the_default_confirmation_is_translated_on_the_page_and_not_in_the_api(site: Site) -> None:
    form = site.visitor.post(
        "/forms", json={"title": "F", "fields": [{"type": "text", "label": "A"}]}, auth=ADMIN
    ).get_json()["id"]
    path = make_page(site, str(form), meta={"language": ["nl"]})
    assert ">Verzenden</button>" in site.get(path).text
    thanked = site.get(send(site, path, {"input_1": "x"}).headers["Location"]).text
    assert "Bedankt voor uw bericht!" in thanked
    api = site.visitor.post(
        f"/forms/{form}/submissions", json={"input_1": "y"}, headers={"Accept": "*/*"}
    )
    assert api.get_json()["confirmation_message"].startswith("Thanks for contacting us!")
    refused = site.visitor.post(
        f"/forms/{form}/submissions", json={"landform_page": "1"}, headers={"Accept": "*/*"}
    )
    assert "At least one field" in str(refused.get_json()["validation_messages"])


@pytest.mark.settings(SITE_LANGUAGE="fr", SUBMISSIONS_PER_MINUTE=3)
def test_errors_of_a_form_are_in_the_language_of_its_page_or_of_the_site(site: Site) -> None:
    form = make_form(site)
    german = {"meta": {"language": ["de"]}}
    path = make_page(site, form, **german)
    locked = make_page(site, form, slug="locked", password="x", **german)
    posted = site.visitor.post("/forms/1/submissions", data={"landform_page": "2"})
    assert '<html lang="de">' in posted.text
    assert "Dieses Feld ist erforderlich." in posted.text
    assert "Vérifiez votre saisie." in site.visitor.post("/forms/1/submissions", data={}).text
    assert locked
    refused = send(site, path, {**GOOD, "input_3": "a\0b"})
    assert "Bitte prüfen Sie Ihre Angaben." in refused.text
    many = send(site, path, GOOD)
    assert (many.status_code, "Von dieser IP-Adresse kamen zu viele" in many.text) == (429, True)
    change(site, form, is_active="0")
    closed = site.visitor.post("/forms/1/submissions", data=GOOD)
    assert "Ce formulaire ne peut pas" in closed.text
    assert "Cela n’a pas fonctionné" in closed.text


def test_pages_in_two_languages_keep_their_own_form_in_the_cache(database_url: str) -> None:
    site = Site.on(database_url)
    form = make_form(site)
    paths = [make_page(site, form, slug=code, meta={"language": [code]}) for code in ("en", "pl")]
    for _ in range(2):
        for path, word in zip(paths, ("First", "Imię"), strict=True):
            assert f">{word}</label>" in site.get(path).text
    old = site.get(paths[1]).headers["ETag"]
    page = site.visitor.get("/pages?slug=pl").get_json()[0]
    site.visitor.put(f"/pages/{page['id']}", json={"meta": {"language": ["it"]}}, auth=ADMIN)
    changed = site.get(paths[1], If_None_Match=old)
    assert (changed.status_code, ">Nome</label>" in changed.text) == (200, True)


# A field of each type, whose authors wrote no word.
EVERY: list[dict[str, Any]] = [
    *({"type": kind} for kind in "text textarea email phone website number date time".split()),
    {"type": "email", "emailConfirmEnabled": True}, {"type": "name", "inputs": [
        {"id": f"10.{part}", "label": label} for part, label in
        ((2, "Prefix"), (3, "First"), (4, "Middle"), (6, "Last"), (8, "Suffix"))]},
    *({"type": kind, "choices": [{"text": "1"}, {"text": "2"}]} for kind in
      ("select", "radio", "checkbox", "multiselect")),
    {"type": "radio", "enableOtherChoice": True, "choices": [{"text": "1"}]},
    {"type": "address"}, {"type": "consent", "checkboxLabel": "1"},
]  # fmt: skip
ALONE = {"landform_embed": LANGUAGE}


@pytest.mark.parametrize("how", [{}, {"isRequired": True}], ids=["optional", "required"])
def test_no_form_has_a_text_that_cannot_be_translated(
    database_url: str, tmp_path: Path, how: dict[str, Any]
) -> None:
    site = Site.on(
        database_url, TRANSLATIONS=write_marked_catalog(tmp_path), SITE_TITLE="1",
        SUBMISSIONS_PER_MINUTE=5, EMBED_ORIGINS="https://shop.example",
    )  # fmt: skip
    fields = [{"id": number, "label": "", **field, **how} for number, field in enumerate(EVERY, 1)]
    closed = {"message": "Thanks for contacting us! We will get in touch with you shortly.",
              "title": "1", "limitEntries": True, "limitEntriesCount": 1}  # fmt: skip
    form, small = make_form(site, *fields, title="1"), make_form(site, {"id": 1}, **closed)
    early, over = (
        make_form(site, {"id": 1}, title="1", scheduleForm=True, **{name: "01/01/2030"})
        for name in ("scheduleEnd", "scheduleStart")
    )
    late = {"scheduleForm": True, "scheduleStart": "01/01/2031"}
    change(site, over, **late)
    shown: dict[str, tuple[Any, int]] = {}
    pages = [
        make_page(site, number, title="2", content="3", slug=f"p{number}",
                  meta={"language": [LANGUAGE]}) for number in (form, small, early, over)
    ]  # fmt: skip
    wrong = {f"input_{number}": "!" for number in range(1, 10)}
    shown["form"] = site.get(pages[0]), 200
    shown["mistakes"] = send(site, pages[0], wrong), 422
    shown["nothing"] = send(site, pages[0], {}), 422
    thanked = send(site, pages[1], {"input_1": "1"})
    shown["thanks"] = site.get(thanked.headers["Location"]), 200
    shown["full"] = site.get(pages[1]), 200
    shown["over"], shown["not yet"] = (site.get(pages[2]), 200), (site.get(pages[3]), 200)
    embedded = f"/forms/{form}/embed?lang={LANGUAGE}"
    shown["frame"] = site.get(embedded), 200
    shown["mistakes in a frame"] = (
        site.visitor.post(f"/forms/{form}/submissions", data=ALONE), 422,
    )  # fmt: skip
    shown["no form in a frame"] = site.get(f"/forms/99/embed?lang={LANGUAGE}"), 404
    for answer in (send(site, pages[0], {}), send(site, pages[0], {})):
        shown["too many"] = answer, 429
    for name, (answer, status) in shown.items():
        assert (name, answer.status_code) == (name, status)
        assert unmarked_words(answer.text) == [], name
        assert f'<html lang="{LANGUAGE}" dir="rtl">' in answer.text, name


@pytest.mark.settings(SITE_LANGUAGE="de")
def test_a_consent_without_a_text_is_said_in_the_language_of_the_reader(
    database_url: str, site: Site
) -> None:
    consent = {"id": 1, "type": "consent", "label": "T", "checkboxLabel": "I agree"}
    form = make_form(site, consent, {"id": 2, "type": "text"}, message="{T:1.1}!", title="F")
    meta = {"toEmail": "a@example.com", "message": "{T:1.1} {all_fields}"}
    feed = {"form_id": int(form), "addon_slug": "email", "meta": meta}
    assert site.visitor.post("/feeds", json=feed, auth=ADMIN).status_code == 201
    for language, word in (("fr", "Coché!"), ("en", "Checked!")):
        path = make_page(site, form, slug=language, meta={"language": [language]})
        answer = send(site, path, {"input_1_1": "1", "input_2": language})
        assert word in site.get(answer.headers["Location"]).text
        # Alone in a frame, where no page is shown again.
        alone = {"landform_embed": language, "input_1_1": "1", "input_2": f"{language}!"}
        assert word in site.visitor.post(f"/forms/{form}/submissions", data=alone).text
    with mailbox() as box:
        mailing = Site.on(database_url, SMTP_URL=box.url, SITE_LANGUAGE="de", ADDON_PRIVATE=True)
        mailing.app.blueprints["landform"].deliver()  # type: ignore[attr-defined]
    mail = box.accepted[0][1]
    assert mail["Subject"] == "Neuer Eintrag: F"
    assert mail.get_content().startswith("Angekreuzt ")


@pytest.mark.parametrize(("query", "language"), [
    ("?lang=he", 'lang="he" dir="rtl"'), ("?lang=de-AT", 'lang="de-AT"'),
    *((query, 'lang="fa" dir="rtl"') for query in ("", "?lang=", "?lang=%22x")),
])  # fmt: skip
@pytest.mark.settings(SITE_LANGUAGE="fa")
def test_a_form_alone_has_the_language_of_its_address_also_after_a_mistake(
    site: Site, query: str, language: str
) -> None:
    path = f"/forms/{make_form(site, {'id': 1, 'type': 'email'})}/embed{query}"
    assert f"<html {language}>" in site.get(path).text
    wrong = send(site, path, {"input_1": "x"})
    assert (wrong.status_code, f"<html {language}>" in wrong.text) == (422, True)
    assert ("Bitte" in wrong.text) == ("de" in language)
