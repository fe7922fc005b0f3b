"""How gunicorn runs landform; `gunicorn -c gunicorn.conf.py wsgi:app`."""

import ctypes
import os
import shutil
import signal
import subprocess  # nosec B404
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from landform.standalone.server.logger import make_logger

if TYPE_CHECKING:
    from landform.standalone.settings import Settings

PR_SET_PDEATHSIG = 1
IDENTITY = "LANDFORM_STORE_IDENTITY"


def _read_settings() -> "Settings":
    """Return the settings, and forget the modules that read them.

    What the master has imported, no reload would import again after an upgrade.
    """
    before = set(sys.modules)
    from landform.standalone.settings import SettingError, read_settings  # noqa: PLC0415

    try:
        return read_settings()
    except SettingError as error:
        raise SystemExit(f"Error: {error}") from None
    finally:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "landform":
                del sys.modules[name]


settings = _read_settings()
logger_class = make_logger(settings.line_style)
# landform's own lines go down to DEBUG; those of gunicorn at that level are about its sockets.
loglevel = settings.log_level.lower().replace("debug", "info")
wsgi_app = "landform.wsgi:app"
bind = "127.0.0.1:8000"
# gunicorn's threaded worker, but that no thread waits for a client.
worker_class = "landform.standalone.server.worker.Worker"
workers = settings.workers or os.cpu_count() or 1
# More threads wait for the same interpreter lock, and lose time over it; a second one goes on
# while the first waits for the disk.
threads = settings.threads
# Each worker makes its own application, so no database connection crosses a fork.
preload_app = False
# Longer than the idle timeout of the usual proxies, so that they close first.
keepalive = 75
# A stop waits so long for the requests that are under way.
graceful_timeout = 30
timeout = 60
# Long enough for a list of a thousand ids, short enough to bound the memory of a request.
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
# LANDFORM_TRUSTED_PROXIES alone says whose headers count; gunicorn would believe any neighbour.
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""
# Heartbeats in memory: a slow disk must not look like a dead worker. No file has a name there.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108 # nosec B108
# The control socket would be made in a folder that may be read-only.
control_socket_disable = True

OWN_FOLDER = os.path.join(tempfile.gettempdir(), "landform-metrics-")
if settings.metrics and "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    # Where the workers count, so that each of them can report for all.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="landform-metrics-")


def child_exit(server: Any, worker: Any) -> None:
    """Let the gauges of a worker that ended be forgotten."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client import multiprocess  # noqa: PLC0415

        multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Remove what the workers counted, unless the folder was given."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
    if folder.startswith(OWN_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


def on_starting(server: Any) -> None:
    """Open or create the database before there are workers, which then serve that one alone.

    In a process of its own: what is imported here no reload would import again.
    """
    serves_landform = server.app.app_uri.partition(":")[0] in ("wsgi", "landform.wsgi")
    if serves_landform and not os.environ.get(IDENTITY):
        command = [sys.executable, "-m", "landform.standalone.identity"]
        # The command is fixed, and its output a line of hexadecimal digits.
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)  # noqa: S603, PLW1510 # nosec B603
        if done.returncode:
            raise SystemExit(done.returncode)
        os.environ[IDENTITY] = done.stdout.strip()


def post_worker_init(worker: Any) -> None:
    """Set the limits of the worker, and let it end with the master.

    An orphan would hold the listening socket, and accept nothing, for long.
    """
    worker.max_body_bytes = settings.max_body_bytes
    worker.head_timeout = settings.head_timeout
    worker.body_timeout = settings.body_timeout
    worker.send_timeout = settings.send_timeout
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
