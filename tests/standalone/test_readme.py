"""The README tells the truth: its session runs, and it names every address and command."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Server
from flask import Flask

from landform.standalone import cli

README = (ROOT / "README.md").read_text()
SESSION = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def steps(session: str) -> list[tuple[str, str]]:
    """Return the commands of a session, each with the output that is promised."""
    return [
        (command.replace("\\\n", " "), output.strip())
        for command, output in re.findall(
            r"^\$ (.*?(?<!\\)\n)(.*?)(?=^\$ |\Z)", session, re.DOTALL | re.MULTILINE
        )
    ]


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_first_session_prints_what_the_readme_says(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_CREDENTIALS="")
    commands = steps(SESSION[0])
    assert len(commands) == SESSION[0].count("$ curl") > 10
    for command, promised in commands:
        here = command.replace("127.0.0.1:8000", server.url.removeprefix("http://"))
        ran = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=True)
        printed = ran.stdout.strip().replace(server.url, "http://127.0.0.1:8000")
        pattern = re.escape(promised).replace("…", '[^"]+')
        assert re.fullmatch(pattern, printed), (command, promised, printed)


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(SNIPPETS) == 1
    names: dict[str, object] = {"__name__": "__main__"}
    for snippet in SNIPPETS:
        exec(snippet, names)
    host = names["host"]
    assert isinstance(host, Flask)
    assert host.test_client().get("/landing/pages").get_json() == []


def test_every_address_is_in_the_readme(app: Flask) -> None:
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    assert len(rules) == 20
    for rule in rules:
        assert f"{rule}`" in README, rule


def test_every_command_is_in_the_readme() -> None:
    for name in (
        "serve",
        "migrate",
        "key",
        "backup",
        "restore",
        "verify",
        "vacuum",
        "export",
        "import",
    ):
        assert name in cli.main.commands
        assert f"landform {name}" in README.replace("\n", " ")
