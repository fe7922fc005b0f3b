"""A client of the peers, npm's `wpapi`, needs nothing but another host name."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SECRET, Server

FOLDER = Path(__file__).parent / "wpapi"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The script of the session in a folder where its client is installed."""
    if not shutil.which("node"):
        pytest.skip("node is not there")
    if (FOLDER / "node_modules" / "wpapi").is_dir():
        return FOLDER / "session.mjs"
    if not os.environ.get("CI") or not shutil.which("npm"):
        pytest.skip("the client is not installed: run `npm ci` in tests/api/wpapi")
    folder = shutil.copytree(FOLDER, tmp_path / "wpapi")
    subprocess.run(["npm", "ci"], cwd=folder, check=True)
    return folder / "session.mjs"


def test_a_client_of_the_peers_changes_only_the_host_name(
    session: Path, start_server: Callable[..., Server]
) -> None:
    name, _, secret = SECRET.partition(":")
    command = ["node", str(session), f"{start_server().url}/wp-json", name, secret]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "The session is over.\n"
