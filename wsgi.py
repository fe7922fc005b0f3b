"""What a WSGI server serves: `gunicorn wsgi:app` from a checkout, `landform.wsgi:app` installed."""

import os
from pathlib import Path

from landform.app import create_app
from landform.standalone.settings import PREFIX

# A master that has run for longer than this had workers already.
START_SECONDS = 30


def replaces_a_worker(grace: float = START_SECONDS) -> bool:
    """Return whether gunicorn started this process to replace another worker.

    Known from the age of the master, on Linux; with landform's `gunicorn.conf.py` it need not be.
    """
    if not os.environ.get("SERVER_SOFTWARE", "").startswith("gunicorn"):
        return False
    try:
        parent = Path(f"/proc/{os.getppid()}")
        if not _is_master(parent):
            # With `--preload` this is the master, and the parent whoever started it.
            return False
        status = (parent / "stat").read_text()
        started = int(status.rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return float(Path("/proc/uptime").read_text().split()[0]) - started > grace
    except (OSError, ValueError, IndexError):
        return False


def _is_master(parent: Path) -> bool:
    """Return whether a process has the command of this one, or the title of gunicorn's master."""
    command = (parent / "cmdline").read_bytes()
    return command == Path("/proc/self/cmdline").read_bytes() or b"gunicorn: master" in command


if replaces_a_worker():
    # A service that runs has a database; if it is missing, it was moved, and none is created.
    os.environ.setdefault(f"{PREFIX}CREATE_DATABASE", "0")
app = create_app()
