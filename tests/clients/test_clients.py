"""Clients of WordPress and Gravity Forms that people install need nothing but another address.

Each script here is a session with one client, in the client's own language.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, Server, Start

pytestmark = pytest.mark.sqlite("clients see nothing of the engine")

FOLDER = Path(__file__).parent
INSTALLED = FOLDER / ".venv" / ".installed"
# Some clients refuse a short password.
NAME, SECRET = "editor", "a-long-secret"
PROGRAMS = {".mjs": "node", ".py": str(FOLDER / ".venv" / "bin" / "python")}


SESSIONS = [
    "wpapi.mjs",
    "wpapi_batch.mjs",
    "wpapi_discover.mjs",
    "wpapi_media.mjs",
    "core_data.mjs",
    "core_data_batch.mjs",
    "core_data_media.mjs",
    "core_data_rights.mjs",
    "wordpress_api_client.mjs",
    "mcp_wordpress.mjs",
    "dewp.mjs",
    "wordpress_api_pages.py",
    "wordpress_api_feeds.py",
    "wp_api_client.py",
    "requests_media.py",
    "json_wrapper.py",
]


def node_version() -> int:
    """Return the major version of Node.js, 0 without one."""
    if not shutil.which("node"):
        return 0
    shown = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return int(shown.stdout.lstrip("v").partition(".")[0])


@pytest.fixture(scope="session")
def installed() -> None:
    """Have the clients installed: where tests run for a change, they are installed now."""
    if node_version() < 20:
        pytest.skip("Node.js 20 or newer is not installed")
    if INSTALLED.exists():
        return
    if not os.environ.get("CI") or not shutil.which("npm"):
        pytest.skip("the clients are not installed: run `make clients`")
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "clients"], cwd=ROOT, check=True)


def hold(script: str, server: Server) -> None:
    program = PROGRAMS[Path(script).suffix]
    ended = subprocess.run(
        [program, str(FOLDER / script), server.url, NAME, SECRET],
        env=os.environ | {"NODE_ENV": "production"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "The session is over.\n"


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("script", SESSIONS)
def test_a_client_changes_only_the_address(script: str, start_server: Start) -> None:
    hold(script, start_server(LANDFORM_CREDENTIALS=f"{NAME}:{SECRET}"))


@pytest.mark.usefixtures("installed")
def test_a_client_that_signs_its_requests_works_in_local_mode(start_server: Start) -> None:
    hold("gravityforms_python.py", start_server(LANDFORM_CREDENTIALS=""))


@pytest.mark.usefixtures("installed")
def test_a_library_of_standard_webhooks_verifies_what_is_sent(start_server: Start) -> None:
    credentials = f"{NAME}:{SECRET}"
    hold(
        "standard_webhooks.py",
        start_server(LANDFORM_CREDENTIALS=credentials, LANDFORM_WEBHOOK_PRIVATE="1"),
    )


def test_every_session_is_held() -> None:
    helpers = {"browser.mjs", "core_data_store.mjs", "gravityforms_python.py", "test_clients.py"}
    helpers |= {"assert_in_browser.mjs", "in_browser.mjs", "standard_webhooks.py"}
    helpers |= {"test_generated.py"}
    scripts = {path.name for path in FOLDER.iterdir() if path.suffix in PROGRAMS}
    assert scripts == {*SESSIONS, *helpers}
