"""The one-file binary of `make binary`: it needs a Python, and nothing else of its machine.

It is started as its first line does: by the bare name of Python, whether there is a PATH or not.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from conftest import ROOT, free_port
from processes import until

BUILT = ROOT / "dist" / "landform"

pytestmark = [
    pytest.mark.servers,
    pytest.mark.sqlite("the binary is one file on one file"),
    pytest.mark.skipif(not BUILT.exists(), reason="`make binary` has not been run"),
]


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    """The file, alone in a folder."""
    (tmp_path / "alone").mkdir()
    return Path(shutil.copy(BUILT, tmp_path / "alone"))


def run(binary: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["python3", str(binary), *arguments], executable=sys.executable, env=environment,
        cwd=binary.parent,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def get(port: int, path: str, body: object = None) -> object:
    """Return what a client in local mode gets: unlike urllib's it keeps its connection."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        method = "GET" if body is None else "POST"
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status in (200, 201), answer.read()
        return json.load(answer)


def test_it_serves_and_stops_in_an_empty_folder_with_an_empty_environment(
    binary: Path, tmp_path: Path
) -> None:
    database, log, port = tmp_path / "data.db", tmp_path / "server.log", free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--database", str(database)]
    with log.open("wb") as written, subprocess.Popen(
        ["python3", str(binary), "serve", *options], executable=sys.executable, env={},
        cwd=binary.parent, stderr=written,
    ) as process:  # fmt: skip
        try:
            until(lambda: "Docs: " in log.read_text(), "It does not serve.", 60)
            made = get(port, "/pages", {"title": "Alone"})
            assert isinstance(made, dict)
            assert get(port, f"/pages/{made['id']}?_fields=slug") == {"slug": "alone"}
        finally:
            process.terminate()
    assert process.returncode == 0, log.read_text()
    assert database.exists()
    assert [path.name for path in (tmp_path / "alone").iterdir()] == ["landform"]


def spoil(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.touch()


def share(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)


@pytest.mark.parametrize("make", [spoil, share])
def test_it_unpacks_only_where_nobody_else_can_write(
    binary: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "tmp"
    environment = {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(temporary)}
    make(cache / "landform")
    temporary.mkdir()
    ran = run(binary, "--version", **environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    [own] = temporary.iterdir()
    assert own.name == f"landform-{os.getuid()}"
    shutil.rmtree(temporary)
    make(own)
    ran = run(binary, "--version", **environment)
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: landform finds no place to unpack itself (")
    assert "XDG_CACHE_HOME" in ran.stderr


def test_it_unpacks_once_also_when_many_start_at_once(binary: Path, tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, str(binary), "--version"]
    starts = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert {start.communicate(timeout=60)[0] for start in starts} == {b"landform, version 1.0.0\n"}
    (folder,) = (tmp_path / "cache" / "landform").iterdir()
    before = folder.stat().st_ino
    assert run(binary, "--version", **environment).returncode == 0
    assert folder.stat().st_ino == before


def test_every_python_can_load_what_is_compiled_in_it() -> None:
    with zipfile.ZipFile(BUILT) as file:
        names = file.namelist()
    compiled = [name for name in names if re.search(r"\.(so|pyd|pyc)$", name)]
    pythons = ("311", "312", "313", "314")
    machine = f"{platform.machine()}-linux-gnu.so"
    # The parser is compiled here, for this Python; others read HTTP without.
    assert sorted(name for name in compiled if not name.startswith("gunicorn_h1c/")) == [
        "nh3/nh3.abi3.so", *(f"orjson/orjson.cpython-{python}-{machine}" for python in pythons),
        *(f"uvloop/loop.cpython-{python}-{machine}" for python in pythons),
    ]  # fmt: skip
    assert any(name.startswith("gunicorn_h1c/_protocol.") for name in compiled)
    assert "landform/parts/openapi/static/docs.js" in names
    assert "landform/parts/console/static/vendor/standalone.umd.js" in names
    assert not [name for name in names if "direct_url.json" in name]
    assert BUILT.stat().st_mode & 0o111 == 0o111
