"""How gunicorn runs landform; `gunicorn -c gunicorn.conf.py wsgi:app`."""

import atexit
import mmap
import os
import shutil
import signal
import tempfile
import threading
from functools import partial
from typing import Any

import landform.app  # noqa: F401 - each worker then starts with all of it
from landform.standalone.settings import (
    SettingError,
    preload_settings,
    preloaded,
    read_settings,
    warnings,
)
from landform.standalone.start import prepare, renew_settings, renew_templates

# Where prometheus_client counts, and what landform's own folders for it are called.
FOLDER, OWN_FOLDER = "PROMETHEUS_MULTIPROC_DIR", "landform-metrics-"
IDENTITY = "LANDFORM_STORE_IDENTITY"

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # A Ctrl-C before gunicorn has a handler of its own ends the process without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    # A reload executes this file again.
    settings = renew_settings() if preloaded else read_settings()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None

# landform's own lines go down to DEBUG; those of gunicorn at that level are about its sockets.
loglevel = settings.log_level.lower().replace("debug", "info")
logger_class = "landform.standalone.worker.ServerLogger"
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

# A new master (SIGUSR2) counts in a folder of its own: the old one will remove its own.
counted_in = os.path.basename(os.environ.get(FOLDER, OWN_FOLDER))
if settings.metrics and counted_in.startswith(OWN_FOLDER):
    mine = f"{OWN_FOLDER}{os.getpid()}-"
    if not counted_in.startswith(mine):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix=mine)
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)

# Where the workers that start with this configuration count their connections; see `Balance`.
counts = memoryview(mmap.mmap(-1, 1024)).cast("I")


def serves_landform(app: Any) -> bool:
    """Return whether the application is landform's own, and not that of a host."""
    return app.app_uri.partition(":")[0] in ("wsgi", "landform.wsgi")


def on_starting(server: Any) -> None:
    """Open or create the database before there are workers, which then serve that one alone."""
    for address in server.address:
        # A number alone is meant as a port, and would be taken for a host.
        if isinstance(address, tuple) and (address[0].isdigit() or not 0 <= address[1] <= 65535):
            raise SystemExit(f"Error: {address} is no address with a port; write 127.0.0.1:8000.")
    preload_settings()
    if serves_landform(server.app):
        if server.cfg.uid != os.geteuid():
            raise SystemExit("Error: start landform as the user that is to serve, without --user.")
        identity = prepare(settings)
        for warning in warnings():
            server.log.warning("%s", warning)
        if identity:
            os.environ[IDENTITY] = identity


def on_reload(server: Any) -> None:
    """Let the workers that start now have the templates as they are now."""
    if serves_landform(server.app):
        renew_templates(settings.templates)


def when_ready(server: Any) -> None:
    """Say where the docs are."""
    urls = [str(listener) for listener in server.LISTENERS]
    docs = next((url for url in urls if url.startswith("http")), "below the URL of the proxy: ")
    # Every address is not one to go to.
    docs = docs.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    server.log.info("Docs: %s/docs", docs)


def post_worker_init(worker: Any) -> None:
    """Let the worker work in the background: publish due pages, and what parts do."""
    if settings.deliver and serves_landform(worker.app):
        deliver = partial(worker.wsgi.blueprints["landform"].deliver, forever=True)
        threading.Thread(target=deliver, daemon=True).start()


def post_fork(server: Any, worker: Any) -> None:
    """Leave the folder to the master, and to the worker the signals before it had handlers."""
    atexit.unregister(shutil.rmtree)
    worker.early = server.SIG_QUEUE
    if server.num_workers > 1:
        worker.counts, worker.slot = counts, worker.age % len(counts)


def child_exit(server: Any, worker: Any) -> None:
    """Forget the connections of a worker that has ended."""
    counts[worker.age % len(counts)] = 0
