"""TypeScript clients that generators make from the OpenAPI document write back what they read.

Each session in `generated` runs on a generated client, and compiles with `tsc --strict`.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from conftest import Server, Start, basic
from test_clients import FOLDER, installed  # noqa: F401 - a fixture

pytestmark = pytest.mark.sqlite("the document is the same on any engine")

SESSIONS = FOLDER / "generated"
PROGRAMS = FOLDER / "node_modules" / ".bin"
GENERATORS = {
    "openapi_typescript": "openapi-typescript openapi.json --output openapi_typescript_client.ts",
    "orval": "orval --input openapi.json --output orval_client.ts --client fetch",
    "hey_api": "openapi-ts --input openapi.json --output hey_api_client",
}
META = {"form_id": "7", "gallery": [{"src": "/a.png"}, 1], "language": ["en", {"name": "German"}]}
EMPTY = {"starts_at": "", "ends_at": "", "viral_share": [], "instant_win": []}
SETTINGS = {
    "feedName": "News", "tags": ["a", 1], "own": [{"deep": [None]}], "empty": "", "map": {"1": "x"},
}  # fmt: skip


def run(folder: Path, command: str, *arguments: str) -> None:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    program, *words = command.split()
    ended = subprocess.run(
        [str(shutil.which(program, path=path)), *words, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_generated_clients_compile_strictly_and_write_back_what_they_read(
    start_server: Start, tmp_path: Path
) -> None:
    server = start_server()
    _, _, document = server.send("GET", "/openapi.json", {}, None)
    folder = shutil.copytree(SESSIONS, tmp_path / "generated")
    (folder / "openapi.json").write_bytes(document)
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    arguments = server.url, basic()["Authorization"]
    with ThreadPoolExecutor() as pool:
        list(pool.map(partial(run, folder), GENERATORS.values()))
    run(folder, "tsc")
    for name in GENERATORS:
        run(folder, f"node out/{name}.js", *arguments, name)
        check_written(server, name)


def check_written(server: Server, name: str) -> None:
    """Compare what the service has with what a session wrote, read and wrote back."""
    _, pages = server.call("GET", f"/pages?context=edit&slug={name}")
    assert [(page["title"]["raw"], page["meta"]) for page in pages] == [(f"{name}!", META | EMPTY)]
    _, feeds = server.call("GET", f"/feeds?addon={name}")
    assert [(feed["meta"], feed["is_active"]) for feed in feeds] == [(SETTINGS, "0")]
    _, webhooks = server.call("GET", "/webhooks")
    written = [webhook for webhook in webhooks if webhook["description"] == name]
    assert [(webhook["types"], webhook["active"]) for webhook in written] == [(["page.*"], False)]
