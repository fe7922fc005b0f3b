"""How gunicorn runs landform; `gunicorn -c gunicorn.conf.py wsgi:app`."""

import atexit
import os
import shutil
import signal
import tempfile
from typing import Any

from landform.standalone.settings import SettingError, check_installed, read_settings
from landform.standalone.worker import make_logger

# Where prometheus_client counts, and what landform's own folders for it are called.
FOLDER, OWN_FOLDER = "PROMETHEUS_MULTIPROC_DIR", "landform-metrics-"
IDENTITY = "LANDFORM_STORE_IDENTITY"

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # A Ctrl-C before gunicorn has a handler of its own ends the process without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    settings = read_settings()
    check_installed(settings)
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None

# landform's own lines go down to DEBUG; those of gunicorn at that level are about its sockets.
loglevel = settings.log_level.lower().replace("debug", "info")
logger_class = make_logger(settings.log_format)
wsgi_app = "landform.wsgi:app"
bind = "127.0.0.1:8000"
worker_class = "landform.standalone.worker.Worker"
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
# For other workers of gunicorn; that of landform has bounds of its own.
limit_request_line = 8190
# LANDFORM_TRUSTED_PROXIES alone says whose headers count; gunicorn would believe any neighbour.
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""
# Heartbeats in memory: a slow disk must not look like a dead worker. No file has a name there.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108 # nosec B108
# The control socket would be made in a folder that may be read-only.
control_socket_disable = True

# The master, which removes the folder of the metrics; as a daemon it is not this process. What the
# start says, in lines.
master, said = [os.getpid()], list[str]()


def _remove(folder: str) -> None:
    """Remove the folder of the metrics at the end of the master, not of its forks."""
    if os.getpid() == master[0]:
        shutil.rmtree(folder, ignore_errors=True)


if settings.metrics and FOLDER not in os.environ:
    # The workers count there, so that each of them can report for all.
    os.environ[FOLDER] = tempfile.mkdtemp(prefix=OWN_FOLDER)
    atexit.register(_remove, os.environ[FOLDER])


def pre_exec(server: Any) -> None:
    """Let a new master (SIGUSR2) count in a folder of its own: the old one will remove this one."""
    # After a reload this is in what gunicorn takes for the environment of the start.
    if os.path.basename(os.environ.get(FOLDER, "")).startswith(OWN_FOLDER):
        server.cfg.env_orig.pop(FOLDER, None)


def child_exit(server: Any, worker: Any) -> None:
    """Let the gauges of a worker that ended be forgotten."""
    if FOLDER in os.environ:
        from prometheus_client import multiprocess  # noqa: PLC0415

        multiprocess.mark_process_dead(worker.pid)


def on_starting(server: Any) -> None:
    """Open or create the database before there are workers, which then serve that one alone."""
    master[0] = os.getpid()
    for address in server.address:
        if isinstance(address, tuple) and not 0 <= address[1] <= 65535:
            raise SystemExit(f"Error: {address[1]} is not a port; ports are 0 to 65535.")
    if server.app.app_uri.partition(":")[0] in ("wsgi", "landform.wsgi"):
        import landform.app  # noqa: F401, PLC0415 - each worker then starts with all of it
        from landform.standalone.start import prepare_as  # noqa: PLC0415

        start = prepare_as(server.cfg.uid, server.cfg.gid, settings)
        if hasattr(server.app, "check_start"):
            server.app.check_start(start)
        said[:] = start.lines
        for warning in start.warnings:
            server.log.warning("%s", warning)
        if start.identity:
            os.environ[IDENTITY] = start.identity


def when_ready(server: Any) -> None:
    """Say what is served, to whom, and where."""
    urls = [str(listener) for listener in server.LISTENERS]
    docs = next((url for url in urls if url.startswith("http")), "below the URL of the proxy: ")
    # Every address is not one to go to.
    docs = docs.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    if said:
        for line in (*said, f"Address: {', '.join(urls)}", f"Docs: {docs}/docs"):
            server.log.info("%s", line)


def post_fork(server: Any, worker: Any) -> None:
    """Let the worker see the signals for which it had no handlers yet."""
    worker.early = server.SIG_QUEUE


def post_worker_init(worker: Any) -> None:
    """Give the worker the bounds of the settings."""
    names = ("head", "body", "send")
    worker.timeouts = {name: getattr(settings, f"{name}_timeout") for name in names}
    worker.max_body_bytes = settings.max_body_bytes
