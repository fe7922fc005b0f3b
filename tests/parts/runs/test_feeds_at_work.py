"""The worker of the examples does what docs/feeds.md shows, whatever becomes of its receiver."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Server, Start, free_port
from processes import python
from receivers import receiver
from sessions import play

pytestmark = pytest.mark.servers

WORKER = ROOT / "examples/worker/worker.py"


def work(server: Server, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = ["-W", "error", WORKER, server.url, folder, "--until-done"]
    return python(*command, "--timeout", "20", "--backoff", "0", LANDFORM_KEY="secret")


def submit(folder: Path, entry_id: str, **fields: Any) -> None:
    (folder / "inbox").mkdir(parents=True, exist_ok=True)
    submission = {"form_id": 3, "entry": fields}
    (folder / "inbox" / f"{entry_id}.json").write_text(json.dumps(submission))


def make_feed(server: Server, addon: str, **meta: Any) -> int:
    feed = {"addon_slug": addon, "meta": {"feedName": addon, **meta}}
    status, created = server.call("POST", "/forms/3/feeds", feed)
    assert status == 201, created
    return int(created["id"])


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_session_of_the_docs_prints_what_it_says(
    start_server: Start, run: Callable[..., None], tmp_path: Path
) -> None:
    server, port = start_server(LANDFORM_CREDENTIALS="worker:a-long-secret"), free_port()
    run(port, sys.executable, ROOT / "examples/worker/receiver.py", str(port))
    places = {
        "127.0.0.1:8000": server.url.removeprefix("http://"),
        "127.0.0.1:9000": f"127.0.0.1:{port}",
        "python examples/": f"{sys.executable} {ROOT}/examples/",
    }
    play((ROOT / "docs/feeds.md").read_text(), tmp_path, places)


def test_the_worker_ends_every_run_in_some_way(start_server: Start, tmp_path: Path) -> None:
    server = start_server()
    with receiver(lambda _: (400, {})) as refuses:
        make_feed(server, "line", file="../all.ndjson")
        make_feed(server, "post", url=refuses.url)
        make_feed(server, "crm")
        make_feed(server, "line")
        submit(tmp_path, "a", mail="ada@example.com")
        done = work(server, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "entry a, feed 1, attempt 1: success",
        "entry a, feed 2, attempt 1: failed: HTTP 400",
        "entry a, feed 3, attempt 1: skipped: This worker has no such add-on",
        "entry a, feed 4, attempt 1: failed: The feed has no file",
    ]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["all.ndjson"]
    _, runs = server.call("GET", "/runs?order=asc&_fields=state,code,retryable")
    assert [(run["state"], run["code"], run["retryable"]) for run in runs] == [
        ("success", "", False), ("failed", "http", False), ("skipped", "", False),
        ("failed", "settings", False),
    ]  # fmt: skip
    # The same submission once more is nothing new.
    submit(tmp_path, "a", mail="ada@example.com")
    assert work(server, tmp_path).stdout == ""


def test_until_done_waits_for_claims_of_killed_workers(start_server: Start, tmp_path: Path) -> None:
    server = start_server()
    for file in ("new.ndjson", "taken.ndjson"):
        make_feed(server, "line", file=file)
    submit(tmp_path, "new", mail="ada@example.com")
    submit(tmp_path, "taken", mail="eve@example.com")
    # One is killed before it has moved the submission, one while it tries a run again.
    (tmp_path / "taken").mkdir()
    (tmp_path / "inbox/taken.json").rename(tmp_path / "taken/taken.json")
    for feed, entry_id in ((1, "new"), (1, "taken"), (2, "taken")):
        claim = {"entry_id": entry_id, "lease": 3}
        assert server.call("POST", f"/feeds/{feed}/runs", claim)[0] == 201
    # Somebody else's entry keeps nobody here.
    server.call("POST", "/feeds/1/runs", {"entry_id": "elsewhere", "lease": 3600})
    done = work(server, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == [
        "entry new, feed 1, attempt 2: success", "entry new, feed 2, attempt 1: success",
        "entry taken, feed 1, attempt 2: success", "entry taken, feed 2, attempt 2: success",
    ]  # fmt: skip
