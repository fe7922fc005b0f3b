"""A stand-in of a site, and the command that moves in from there."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from comparing import SITE

from landform.standalone.cli import main
from landform.storage import Store

SERVER = Path(__file__).parent / "standin/server.py"


@pytest.fixture(scope="session")
def stand_in() -> Any:
    """The class of the stand-in, which is part of the specification."""
    return run_path(str(SERVER))["StandIn"]


@pytest.fixture(scope="module")
def site(stand_in: Any) -> Iterator[Any]:
    """The recorded site; each mode is below its name."""
    with stand_in(SITE) as site:
        yield site


class Mover:
    """Runs `landform import-wordpress` on a store, as in a terminal."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.report: dict[str, Any] = {}

    def environment(self, password: str) -> dict[str, str]:
        return {
            "LANDFORM_DATABASE_URL": self.store.url,
            "LANDFORM_TIMEZONE": "Europe/Madrid",
            "LANDFORM_WORDPRESS_PASSWORD": password,
        }

    def __call__(self, source: object, *options: str, user: str = "admin") -> Result:
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        arguments = [str(source), *(["--user", user] if user else []), *options]
        result = self.run("import-wordpress", *arguments, "--report", str(file), user=user)
        self.report = json.loads(file.read_bytes()) if file.exists() else {}
        return result

    def run(self, *arguments: str, user: str = "admin") -> Result:
        environment = self.environment(f"{user}-secret")
        result = CliRunner().invoke(main, list(arguments), env=environment)
        assert result.exception is None or isinstance(result.exception, SystemExit), result
        return result

    def start(self, source: object, *options: str) -> "subprocess.Popen[bytes]":
        """Run it in a process of its own."""
        command = [sys.executable, "-m", "landform.standalone.cli", "import-wordpress", str(source)]
        kept = {name: text for name, text in os.environ.items() if "LANDFORM" not in name}
        return subprocess.Popen(
            [*command, "--user", "admin", *options], env=kept | self.environment("admin-secret"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        result = self.run("export")
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.split("\n") if line]

    def row(self, resource: str, number: int) -> dict[str, Any]:
        found = [row for row in self.rows() if (row["resource"], row["id"]) == (resource, number)]
        return found[0]


@pytest.fixture
def move(store: Store, tmp_path: Path) -> Mover:
    return Mover(store, tmp_path)
