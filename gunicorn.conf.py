"""How gunicorn runs landform; `gunicorn -c gunicorn.conf.py wsgi:app`."""

import atexit
import ctypes
import json
import os
import shutil
import signal
import subprocess  # nosec B404
import sys
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from landform.standalone.settings import Settings

PR_SET_PDEATHSIG = 1
# Where prometheus_client counts, and what landform's own folders for it are called.
FOLDER, OWN_FOLDER = "PROMETHEUS_MULTIPROC_DIR", "landform-metrics-"
IDENTITY = "LANDFORM_STORE_IDENTITY"
# What `landform serve` has found out already.
START = "LANDFORMS_START"
# What the start says, in lines.
said: list[str] = []


def _read_settings() -> "tuple[Settings, type]":
    """Return the settings, and the class of the logger, and forget the modules they came from.

    What the master has imported, no reload would import again after an upgrade.
    """
    before = set(sys.modules)
    from landform.standalone.ctrl_c import end_quietly  # noqa: PLC0415
    from landform.standalone.server.logger import make_logger  # noqa: PLC0415
    from landform.standalone.settings import (  # noqa: PLC0415
        SettingError,
        check_installed,
        read_settings,
    )

    end_quietly()
    try:
        found = read_settings()
        check_installed(found)
        return found, make_logger(found.log_format)
    except SettingError as error:
        raise SystemExit(f"Error: {error}") from None
    finally:
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "landform":
                del sys.modules[name]


settings, logger_class = _read_settings()
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


def nworkers_changed(server: Any, new_value: int, old_value: int | None) -> None:
    """Make the folder of the metrics before the master loads the application, where it does."""
    if server.cfg.preload_app:
        _make_folder()


def pre_fork(server: Any, worker: Any) -> None:
    """Make the folder of the metrics, which a start that fails earlier needs none of."""
    _make_folder()


def _make_folder() -> None:
    """Make the folder where the workers count, so that each of them can report for all.

    The master makes it, and takes it along however it ends: as a daemon it is not the process
    that reads this file.
    """
    if settings.metrics and FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix=OWN_FOLDER)
        atexit.register(_remove, os.environ[FOLDER], os.getpid())


def _remove(folder: str, master: int) -> None:
    """Remove a folder in the process that made it, not in its forks, which end earlier."""
    if os.getpid() == master:
        shutil.rmtree(folder, ignore_errors=True)


def pre_exec(server: Any) -> None:
    """Let a new master (SIGUSR2) count in a folder of its own: the old one will remove this one."""
    # After a reload this is in what gunicorn takes for the environment of the start.
    if os.path.basename(os.environ.get(FOLDER, "")).startswith(OWN_FOLDER):
        server.cfg.env_orig.pop(FOLDER, None)


def post_fork(server: Any, worker: Any) -> None:
    """Let the worker see the signals for which it had no handlers yet."""
    worker.early = server.SIG_QUEUE


def child_exit(server: Any, worker: Any) -> None:
    """Let the gauges of a worker that ended be forgotten."""
    if FOLDER in os.environ:
        from prometheus_client import multiprocess  # noqa: PLC0415

        multiprocess.mark_process_dead(worker.pid)


def on_starting(server: Any) -> None:
    """Open or create the database before there are workers, which then serve that one alone."""
    for address in server.address:
        if isinstance(address, tuple) and not 0 <= address[1] <= 65535:
            raise SystemExit(f"Error: {address[1]} is not a port; ports are 0 to 65535.")
    if server.app.app_uri.partition(":")[0] not in ("wsgi", "landform.wsgi"):
        return
    start = json.loads(os.environ.pop(START, "") or _run_start(server.cfg))
    said[:] = start["lines"]
    for warning in start["warnings"]:
        server.log.warning("%s", warning)
    if start["identity"]:
        os.environ[IDENTITY] = start["identity"]


def _run_start(cfg: Any) -> str:
    """Return what the start finds out, in a process of its own, of the user of the workers.

    What is imported here no reload would import again.
    """
    user = {} if cfg.uid == os.geteuid() else {"user": cfg.uid, "group": cfg.gid}
    command = [sys.executable, "-m", "landform.standalone.start_process"]
    # A Ctrl-C ends that process first, and this one then.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # The command is fixed, and its output is landform's own.
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **user)  # noqa: S603, PLW1510 # nosec B603
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout


def when_ready(server: Any) -> None:
    """Say what is served, to whom, and where."""
    urls = [str(listener) for listener in server.LISTENERS]
    docs = next((url for url in urls if url.startswith("http")), "below the URL of the proxy: ")
    # Every address is not one to go to.
    docs = docs.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    if said:
        for line in (*said, f"Address: {', '.join(urls)}", f"Docs: {docs}/docs"):
            server.log.info("%s", line)


def _format_lines(worker: Any) -> None:
    """Let gunicorn's lines in a worker have the id of the request, which its own modules know."""
    from landform.standalone.logs import LineFormatter  # noqa: PLC0415

    for handler in worker.log.error_log.handlers:
        if type(handler.formatter).__name__ == LineFormatter.__name__:
            handler.setFormatter(LineFormatter(settings.log_format, handler.stream))


def post_worker_init(worker: Any) -> None:
    """Set the limits of the worker, and let it end with the master.

    An orphan would hold the listening socket, and accept nothing, for long.
    """
    _format_lines(worker)
    worker.max_body_bytes = settings.max_body_bytes
    worker.head_timeout = settings.head_timeout
    worker.body_timeout = settings.body_timeout
    worker.send_timeout = settings.send_timeout
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
