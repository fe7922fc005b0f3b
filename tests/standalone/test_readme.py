"""README and docs tell the truth: the session runs, every URL rule, setting and code is there."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Server, needs
from flask import Flask
from sessions import play

from landform.app import create_app
from landform.service.auth.credentials import SCOPES
from landform.standalone import cli

README = (ROOT / "README.md").read_text()
API = (ROOT / "docs/api.md").read_text()
PAPERS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
PLACES = "parts|standalone|service|schemas|storage|tests|deploy|bench|docs|examples"
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.servers
@needs("curl")
@pytest.mark.parametrize(
    ("paper", "credentials"),
    [("README.md", ""), ("docs/site.md", ""), ("docs/parts/webhooks.md", "editor:a-long-secret")],
)
def test_a_session_prints_what_its_paper_says(
    start_server: Callable[..., Server], tmp_path: Path, paper: str, credentials: str
) -> None:
    server = start_server(LANDFORM_CREDENTIALS=credentials)
    places = {"127.0.0.1:8000": server.url.removeprefix("http://")}
    play((ROOT / paper).read_text(), tmp_path, places)


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) == 1
    names: dict[str, object] = {"__name__": "__main__"}
    for snippet in SNIPPETS:
        exec(snippet, names)
    host = names["host"]
    assert isinstance(host, Flask)
    assert host.test_client().get("/landing/pages").get_json() == []


def test_the_template_in_the_docs_works(database_url: str, tmp_path: Path) -> None:
    site = (ROOT / "docs/site.md").read_text()
    [template] = re.findall(r"```jinja\n(.*?)```", site, re.DOTALL)
    (tmp_path / "page.html").write_text(template)
    client = create_app({"DATABASE_URL": database_url, "TEMPLATES": tmp_path}).test_client()
    client.post("/pages", json={"title": "Fair", "content": "C", "meta": {"form_id": "3"}})
    body = client.get("/fair/").text
    assert "<aside></aside>\n<p>C</p>" in body
    assert "<h1>Fair</h1>" in body


def test_every_url_rule_is_in_the_docs(app: Flask) -> None:
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    assert len(rules) > 50
    files = {rule for rule in rules if rule.startswith("/console/")}
    for rule in rules - files - {"/healthz", "/readyz"}:
        assert f"{rule}`" in API, rule
    for rule in ("/healthz", "/readyz"):
        assert f"`{rule}`" in README, rule


def test_every_error_code_is_in_the_docs() -> None:
    code = "".join(file.read_text() for folder in ("service", "schemas", "standalone", "parts")
                   for file in (ROOT / folder).rglob("*.py")
           # It knows the codes of WordPress.
           if file.parent.name != "wordpress")  # fmt: skip
    codes = set(re.findall(r"[\"']((?:rest|missing|invalid|storage)_[a-z_]+)[\"']", code))
    codes &= {name for name in codes if f'"{name}"' in code}
    # WordPress calls parts of its routes so.
    codes -= {"rest_base", "rest_namespace", "rest_route"}
    assert len(codes) > 30
    assert [name for name in codes if f"`{name}`" not in API] == []


def test_every_variable_in_the_code_is_in_the_docs() -> None:
    settings = (ROOT / "docs/settings.md").read_text()
    files = [ROOT / "app.py", ROOT / "wsgi.py", ROOT / "gunicorn.conf.py"]
    for folder in ("service", "schemas", "storage", "standalone", "parts", "deploy"):
        files += [file for file in (ROOT / folder).rglob("*") if file.is_file()]
    code = "".join(file.read_text() for file in files if file.suffix not in (".pyc", ".mo"))
    names = set(re.findall(r"LANDFORM_[A-Z_]*[A-Z]\b", code))
    assert len(names) > 5
    for name in names:
        assert f"| `{name}` |" in settings, name


@pytest.mark.all_parts
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: str(paper.relative_to(ROOT)))
def test_every_variable_file_and_link_in_a_paper_leads_somewhere(paper: Path) -> None:
    text = paper.read_text()
    settings = (ROOT / "docs/settings.md").read_text()
    for name in set(re.findall(r"`(LANDFORM_[A-Z_]*[A-Z])\b", text)):
        assert f"`{name}`" in settings, name
    for name in re.findall(rf"`((?:{PLACES})/[\w/.]*)`", text):
        # The recipe's example of a resource is one that landform does not have.
        assert (ROOT / name).exists() or name.endswith("comments.py"), name
    # The name could be anybody's in a package index.
    assert "pip install 'landform" not in text
    for target in re.findall(r"\]\((?!https?:)([^)]*)\)", text):
        path, _, anchor = target.partition("#")
        file = paper.parent / path if path else paper
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            assert anchor in {_anchor(heading) for heading in headings}, target


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_every_scope_and_metric_is_in_the_docs() -> None:
    for scope in SCOPES:
        assert f"| `{scope}` |" in README, scope
    metrics = (ROOT / "standalone/metrics.py").read_text()
    page = (ROOT / "docs/monitoring.md").read_text()
    names = re.findall(r'"(landform_[a-z_]+)"', metrics)
    assert len(names) > 5
    for name in names:
        assert f"| `{name}" in page, name


def test_the_version_in_the_docs_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wheels = re.findall(r"landform-([0-9.]+)-py3", (ROOT / "docs/deployment.md").read_text())
    releases = re.findall(r"^## ([0-9]\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (wheels, releases[0]) == ([project["version"]], project["version"])


def test_every_command_is_in_the_readme() -> None:
    names = set(cli.main.commands)
    assert len(names) > 9
    for name in names:
        assert f"landform {name}" in README.replace("\n", " "), name
