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
import time
import zipfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from conftest import ROOT, free_port

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


@pytest.fixture
def serve(binary: Path, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start the binary as a server and return its URL once it answers."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **environment: str) -> str:
        bind = f"127.0.0.1:{free_port()}"
        command = ["python3", str(binary), "serve", "--bind", bind, "--workers", "1", *arguments]
        log = tmp_path / "server.log"
        with log.open("wb") as written:
            process = subprocess.Popen(
                command,
                executable=sys.executable,
                env=environment,
                cwd=binary.parent,
                stderr=written,
            )
        started.append(process)
        for _ in range(400):
            try:
                get(f"http://{bind}/pages")
            except OSError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
            else:
                return f"http://{bind}"
        raise AssertionError(log.read_text())

    yield start
    for process in started:
        process.terminate()
        assert process.wait(30) == 0, (tmp_path / "server.log").read_text()


def get(url: str, body: object = None) -> object:
    """Return what a client in local mode gets: unlike urllib's it keeps its connection."""
    _, _, host, path = url.split("/", 3)
    connection = HTTPConnection(host, timeout=10)
    try:
        method = "GET" if body is None else "POST"
        sent = None if body is None else json.dumps(body)
        connection.request(method, f"/{path}", sent, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status in (200, 201), answer.read()
        return json.load(answer)
    finally:
        connection.close()


def test_it_serves_and_stops_in_an_empty_folder_with_an_empty_environment(
    serve: Callable[..., str], tmp_path: Path
) -> None:
    database = tmp_path / "data.db"
    url = serve("--database", str(database))
    made = get(f"{url}/pages", {"title": "Alone"})
    assert isinstance(made, dict)
    assert get(f"{url}/pages/{made['id']}?_fields=slug") == {"slug": "alone"}
    assert database.exists()
    assert [path.name for path in (tmp_path / "alone").iterdir()] == ["landform"]


def test_a_home_that_cannot_be_written_to_is_no_hindrance(binary: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    ran = run(binary, "--version", HOME=str(tmp_path / "file"), TMPDIR=str(temporary))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [path.name for path in temporary.iterdir()] == [f"landform-{os.getuid()}"]


def test_no_place_to_unpack_is_told_in_a_sentence(binary: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (temporary / f"landform-{os.getuid()}").touch()
    (tmp_path / "file").touch()
    ran = run(binary, "--version", HOME=str(tmp_path / "file"), TMPDIR=str(temporary))
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: landform finds no place to unpack itself (")
    assert "XDG_CACHE_HOME" in ran.stderr


def test_nothing_is_run_from_a_folder_that_others_can_write_to(
    binary: Path, tmp_path: Path
) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "tmp"
    for shared in (cache / "landform", temporary / f"landform-{os.getuid()}"):
        shared.mkdir(parents=True)
        shared.chmod(0o777)
    ran = run(binary, "--version", XDG_CACHE_HOME=str(cache), TMPDIR=str(temporary))
    assert ran.returncode == 1
    assert "only this user can write to" in ran.stderr


def test_it_unpacks_once_also_when_many_start_at_once(binary: Path, tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, str(binary), "--version"]
    starts = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert {start.communicate(timeout=60)[0] for start in starts} == {b"landform, version 0.1.0\n"}
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
    assert sorted(compiled) == [
        "nh3/nh3.abi3.so", *(f"orjson/orjson.cpython-{python}-{machine}" for python in pythons),
    ]  # fmt: skip
    assert "landform/service/openapi/static/docs.js" in names
    assert not [name for name in names if "direct_url.json" in name]
    assert BUILT.stat().st_mode & 0o111 == 0o111
