"""What landform logs inside a host: to the logger `landform` and nothing else, at any level."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.servers

HOST = """
import json, logging, sqlite3, sys
from flask import Flask
from landform.service import create_blueprint

class Notes(logging.Handler):
    def emit(self, record):
        notes.append([record.name, record.levelname, record.getMessage()])

notes, level = [], sys.argv[1]
if level:
    logging.getLogger().addHandler(Notes())
    logging.getLogger().setLevel(level)
factory = logging.getLogRecordFactory()
host = Flask("host")
host.register_blueprint(create_blueprint("sqlite:///guest.db"), url_prefix="/guest")
client = host.test_client()
answers = [client.post("/guest/pages", json={"title": "hush"})]
answers += [client.get(path) for path in ["/guest/pages"] * 2 + ["/guest/docs", "/guest/nowhere"]]
db = sqlite3.connect("guest.db")
db.execute("ALTER TABLE feed RENAME COLUMN meta TO other")
db.close()
answers.append(client.get("/guest/feeds"))
print(json.dumps({
    "notes": notes,
    "statuses": [answer.status_code for answer in answers],
    "ids": [answer.headers.get("X-Request-ID") for answer in answers],
    "same factory": factory is logging.getLogRecordFactory(),
}))
"""


def run(folder: Path, level: str) -> tuple[dict[str, Any], str]:
    """Run a host whose root logger has a level and a handler, or no logging at all."""
    done = subprocess.run(
        [sys.executable, "-c", HOST, level], cwd=folder, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout), done.stderr


def test_a_guest_logs_to_its_own_logger_and_changes_none(tmp_path: Path) -> None:
    said, err = run(tmp_path, "DEBUG")
    assert said["statuses"] == [201, 200, 200, 200, 404, 500]
    assert {name for name, _, _ in said["notes"]} == {"landform"}
    assert [level for _, level, _ in said["notes"]].count("ERROR") == 1
    messages = [message for _, _, message in said["notes"]]
    for start in ("Applied the migration", "Cache miss", "Cache hit"):
        assert any(message.startswith(start) for message in messages), start
    assert "hush" not in json.dumps(messages)
    assert said["same factory"]
    # The id of a request is the host's matter.
    assert set(said["ids"]) == {None}
    assert err == ""


def test_in_a_host_without_logging_only_a_failure_is_shown(tmp_path: Path) -> None:
    said, err = run(tmp_path, "")
    # Python itself shows the failure, as it does for any library's logger.
    assert err.startswith("An unexpected error caused a 500 at /guest/feeds")
    assert err.count("Traceback") <= 2
    assert said["notes"] == []
