"""The language of a page: in which one visitors read what landform says, and who translates it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from applications import Site, host_of
from conftest import basic
from marked_texts import FOLDERS, LANGUAGE, unmarked_words, write_marked_catalog

from landform.parts import all_parts
from landform.service.site.catalogs import TRANSLATIONS

AS_ADMIN: dict[str, Any] = {"headers": basic()}
pytestmark = pytest.mark.settings(CACHE_BYTES=0)
LANGUAGES = "de es fr it nl pl pt".split()
NOT_FOUND = {
    "en": "Page not found", "de": "Seite nicht gefunden", "fr": "Page introuvable",
    "es": "Página no encontrada", "it": "Pagina non trovata", "nl": "Pagina niet gevonden",
    "pt": "Página não encontrada", "pl": "Nie znaleziono strony",
}  # fmt: skip
# Statements and expressions of a template, and what has no words for visitors.
CODE = re.compile(
    r"{%-? *trans.*?endtrans.*?%}|{%.*?%}|{{.*?}}|{#.*?#}|<(style|script)>.*?</\1>", re.S
)
SHOWN = re.compile(r"""(?:aria-label|alt|title|placeholder|value)=["']([^"']*)""")
ATTRIBUTE = re.compile('[a-z-]*="[^"]*"|required|selected')
# A sentence in an expression that is not marked for translation.
UNMARKED = re.compile(r"""{{[^}]*(?<!_\()["'][A-Z][a-z][^}]*}}""")


def catalogs() -> Iterator[tuple[Path, str]]:
    """Yield each folder of catalogs with each language."""
    yield from ((folder, language) for folder in FOLDERS for language in LANGUAGES)


@pytest.mark.parametrize(
    ("languages", "of_site", "lang", "password"),
    [
        (["de"], "en", "de", "Passwort"), (["pt-BR", "de"], "en", "pt-BR", "Senha"),
        (["fr_CA"], "en", "fr-CA", "Mot de passe"), ([{"code": "PL"}], "en", "PL", "Hasło"),
        # The first that landform has; then that of the site; then English.
        (["sv", "it"], "de", "sv", 'Password" lang="it"'),
        (["ar"], "nl", "ar", 'Wachtwoord" lang="nl"'), (["ar"], "sv", "ar", 'Password" lang="en"'),
        ([], "es-MX", "es-MX", "Contraseña"),
    ],
)  # fmt: skip
def test_a_visitor_reads_the_first_language_of_the_page_that_landform_has(
    database_url: str, languages: list[Any], of_site: str, lang: str, password: str
) -> None:
    site = Site.on(database_url, SITE_LANGUAGE=of_site)
    site.page(slug="locked", password="sesame", meta={"language": languages})
    word, _, own = password.partition('"')
    own = f'{own} dir="ltr"' if own else ""
    for shown in (site.get("/locked/"), site.visitor.post("/locked/", data={"password": "x"})):
        assert f'<html lang="{lang}"' in shown.text
        assert f'<label for="password">{word}</label>' in shown.text
        assert f'<p id="why"{own}>' in shown.text
        assert f'<form method="post"{own}>' in shown.text
        is_english = "This password is not right" in shown.text
        assert is_english == (shown.status_code == 403 and 'lang="en"' in own)


@pytest.mark.parametrize("language", NOT_FOUND)
def test_errors_and_notices_are_in_the_language_of_the_site(
    database_url: str, language: str
) -> None:
    site = Site.on(database_url, SITE_LANGUAGE=language, SITE_SOON=True)
    missing = site.get("/nowhere/")
    assert f"<h1>{NOT_FOUND[language]}</h1>" in missing.text
    assert f'<html lang="{language}">' in missing.text
    site.page(slug="soon", meta={"starts_at": "2030-06-01T09:30"})
    site.page(slug="gone", meta={"ends_at": "2030-01-01"})
    draft = site.page(status="draft")
    shown = [missing, *map(site.get, ("/soon/", "/gone/", f"/?page_id={draft['id']}"))]
    shown.append(site.get(f"/?page_id={draft['id']}&preview=x"))
    shown.append(site.visitor.post("/soon/", headers={"Sec-Fetch-Site": "cross-site"}))
    assert [page.status_code for page in shown] == [404, 404, 410, 401, 403, 403]
    english = ["Page not found", "1 June 2030 at 09:30", "no longer available", "Please sign in",
               "The preview has ended", "The form has to be sent"]  # fmt: skip
    for page, text in zip(shown, english, strict=True):
        assert (text in page.text) == (language == "en"), text
    # The API says the same to everybody.
    told = site.get("/nowhere/", Accept="application/json").get_json()
    assert told["message"] == "No route matches this URL."


def test_no_page_has_a_text_that_cannot_be_translated(database_url: str, tmp_path: Path) -> None:
    site = Site.on(
        database_url, TRANSLATIONS=write_marked_catalog(tmp_path), SITE_LANGUAGE=LANGUAGE,
        SITE_TITLE="1", SITE_SOON=True, FAILED_ATTEMPTS_PER_MINUTE=1,
    )  # fmt: skip
    for slug, more in {
        "wide": {"content": "<table><tr><td>1</td></tr></table><pre>1</pre>"},
        "soon": {"meta": {"starts_at": "2030-06-01T09:30"}},
        "gone": {"meta": {"ends_at": "2030-01-01"}, "title": ""},
        "locked": {"password": "x", "title": ""}, "draft": {"status": "draft"},
    }.items():  # fmt: skip
        site.page(**{"slug": slug, "title": "2", "content": "3", **more})
    draft, post = site.visitor.get("/pages?slug=draft&status=draft", **AS_ADMIN), site.visitor.post
    path = f"/?page_id={draft.get_json()[0]['id']}"
    shown = {
        "start": site.get("/"), "start for a caller": site.get("/", **basic()),
        "wide": site.get("/wide/"), "soon": site.get("/soon/"), "gone": site.get("/gone/"),
        "no page": site.get("/nowhere/"), "locked": site.get("/locked/"),
        "no login": site.get(path), "draft": site.get(path, **basic()),
        "no preview": site.get(f"{path}&preview=x"),
        "wrong password": post("/locked/", data={"password": "y"}),
        "too many": post("/locked/", data={"password": "y"}),
        "too much": post("/locked/", data={"password": "y" * 10_000}),
        "other site": post("/soon/", headers={"Sec-Fetch-Site": "cross-site"}),
        "method": site.visitor.delete("/wide/"),
    }  # fmt: skip
    assert [answer.status_code for answer in shown.values()] == [
        200, 200, 200, 404, 410, 404, 200, 401, 200, 403, 403, 429, 413, 403, 405,
    ]  # fmt: skip
    for name, answer in shown.items():
        assert unmarked_words(answer.text) == [], name
        assert f'<html lang="{LANGUAGE}" dir="rtl">' in answer.text, name


def test_a_preview_says_in_the_language_of_the_page_why_it_is_not_public(site: Site) -> None:
    page = site.page(status="draft", meta={"language": ["de"]})
    shown = site.get(f"/?page_id={page['id']}", **basic()).text
    assert "Besucher sehen diese Seite nicht: Entwurf." in shown
    assert 'aria-label="Vorschau"' in shown


def test_a_cached_page_is_that_of_its_language(database_url: str) -> None:
    tags = set()
    for language, name in (("en", "Table"), ("de", "Tabelle"), ("pl", "Tabela")):
        site = Site.on(database_url, SITE_LANGUAGE=language, CACHE_BYTES=1_000_000)
        if not tags:
            site.page(slug="table", content="<table><tr><td>1</td></tr></table>")
        for _ in range(2):
            shown = site.get("/table/")
            assert f'role="group" aria-label="{name}"><table>' in shown.text
        tags.add(shown.headers["ETag"])
    assert len(tags) == 3


def write_catalog(folder: Path, language: str, **texts: str) -> Path:
    """Write and compile a catalog, as docs/site.md says."""
    frontend = pytest.importorskip("babel.messages.frontend")
    file = folder / language / "LC_MESSAGES/landform.po"
    file.parent.mkdir(parents=True)
    pairs = "".join(f'msgid "{text}"\nmsgstr "{words}"\n\n' for text, words in texts.items())
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    file.write_text(header + pairs)
    command = ["pybabel", "-q", "compile", "-D", "landform", "-d", str(folder)]
    frontend.CommandLineInterface().run(command)
    return folder


def test_an_operator_adds_a_language_and_changes_a_text(
    make_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"Password": "كلمة المرور", "Opens on %(time)s.": "%(time)s!", "Open the page": "100 %"}
    folder = write_catalog(tmp_path, "ar", **texts)
    write_catalog(tmp_path, "de", Password="Kennwort")
    write_catalog(tmp_path, "en", Password="Pass phrase")
    site = Site.on(make_database(), TRANSLATIONS=str(folder), SITE_SOON=True)
    for language, direction, words in (
        ("ar-EG", "rtl", ["كلمة المرور", "100 %", "enter its password"]),
        ("de-AT", "ltr", ["Kennwort", "Seite öffnen"]), ("en-GB", "ltr", ["Pass phrase"]),
    ):  # fmt: skip
        page = site.page(password="x", meta={"language": ["sv", language]})
        shown = site.get(f"/{page['slug']}/").text
        assert f' lang="{language[:2]}" dir="{direction}"' in shown or language == "en-GB"
        assert all(word in shown for word in words), language
    # A translation that lacks a place of its text is not used.
    file = folder / "ar/LC_MESSAGES/landform.mo"
    file.write_bytes(file.read_bytes().replace(b"%(time)s!", b"%(tame)s!"))
    site = Site.on(make_database(), TRANSLATIONS=str(folder), SITE_SOON=True)
    soon = site.page(slug="soon", meta={"language": ["ar"], "starts_at": "2031-01-01"})
    assert "Opens on <time" in site.get(f"/{soon['slug']}/").text
    # A guest has the argument, and no variable of the environment.
    monkeypatch.setenv("LANDFORM_TRANSLATIONS", str(folder))
    for options, word in (({"translations": folder}, "Kennwort"), ({}, "Passwort")):
        host = host_of(make_database(), "/f", site=True, local_mode=True, **options)
        landing = host.blueprints["landform"]
        with host.test_request_context():
            landing.api.create_page(  # type: ignore[attr-defined]
                title="T", status="publish", password="x", meta={"language": ["de"]}
            )
        client = host.test_client()
        assert f">{word}</label>" in client.get("/f/t/", headers={"Accept": "text/html"}).text


def test_a_catalog_that_cannot_be_read_stops_the_start(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "de/LC_MESSAGES/landform.mo"
    file.parent.mkdir(parents=True)
    for content in (b"", b"no catalog", b"\xde\x12\x04\x95" + b"\xff" * 30):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"translations: de/LC_MESSAGES/landform\.mo"):
            Site.on(database_url, TRANSLATIONS=str(tmp_path))


# What is in the repository.
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_text_in_code_is_translated_and_compiled(folder: Path) -> None:
    extract = pytest.importorskip("babel.messages.extract")
    mofile, pofile = (
        pytest.importorskip(f"babel.messages.{name}") for name in ("mofile", "pofile")
    )
    methods = [("**.py", "python"), ("**.html", "jinja2")]
    found = extract.extract_from_dir(
        folder.parent, methods, keywords={**extract.DEFAULT_KEYWORDS, "Message": None}
    )
    texts = {text for _, _, text, _, _ in found}
    if folder == TRANSLATIONS:
        texts |= {link.text for part in all_parts().values() for link in part.home_links}
    for language in LANGUAGES:
        file = folder / language / "LC_MESSAGES/landform.po"
        with file.open("rb") as po, file.with_suffix(".mo").open("rb") as mo:
            written, compiled = (
                {one.id: one.string for one in catalog if one.id}
                for catalog in (pofile.read_po(po), mofile.read_mo(mo))
            )
        assert written == compiled, f"{file}: `make translations`"
        assert {text for text in texts if not written.get(text)} == set(), file
        assert written.keys() == texts, file


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_no_template_has_a_text_that_is_not_marked_for_translation(folder: Path) -> None:
    files = [file for file in folder.parent.rglob("*.html") if file.name != "style.html"]
    assert files
    for file in files:
        source = file.read_text()
        assert not UNMARKED.findall(source), file
        markup = CODE.sub("", source)
        between = ATTRIBUTE.sub("", re.sub("<[^>]*>", "", markup))
        words = [text for text in (*SHOWN.findall(markup), between) if re.search("[A-Za-z]", text)]
        assert words == [], file
