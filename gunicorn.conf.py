"""The configuration of gunicorn: `gunicorn -c gunicorn.conf.py wsgi:app`."""

import atexit
import mmap
import os
import shutil
import signal
import tempfile
import threading
from functools import partial
from typing import Any

import landform.app  # noqa: F401 - imported once, before the workers fork
from landform.service.resources import reserved_slugs
from landform.standalone.settings import (
    SettingError,
    preload_settings,
    preloaded,
    read_settings,
    warnings,
)
from landform.standalone.start import renew_settings, set_up
from landform.standalone.worker import QUITTING_SECONDS

# The folder in which prometheus_client counts, and the prefix of landform's own ones.
FOLDER, OWN_FOLDER = "PROMETHEUS_MULTIPROC_DIR", "landform-metrics-"

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C ends the process without a traceback until gunicorn has a handler.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    # A reload executes this file again.
    settings = renew_settings() if preloaded else read_settings()
except SettingError as error:
    raise SystemExit(f"Error: {error}") from None

# Only landform itself logs at DEBUG.
loglevel = settings.log_level.lower().replace("debug", "info")
logger_class = "landform.standalone.worker.ServerLogger"
worker_class = "landform.standalone.worker.Worker"
wsgi_app, bind = "landform.wsgi:app", "127.0.0.1:8000"
workers = settings.workers or os.cpu_count() or 1
# One thread works while another waits for the disk. More compete for Python's interpreter lock.
threads = settings.threads
# Each worker has an application of its own: no database connection crosses a fork.
preload_app = False
# Longer than the idle timeout of the usual proxies, so that they close first.
keepalive = 75
graceful_timeout, timeout = 30, 60
limit_request_line = 8190
# Only LANDFORM_TRUSTED_PROXIES decides which headers are trusted.
secure_scheme_headers, forwarder_headers = dict[str, str](), ""
# Heartbeats in memory, since a slow disk must not look like a dead worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108 # nosec B108
# The folder of the control socket may be read-only.
control_socket_disable = True

# Each master (SIGUSR2 starts a new one) has a folder of its own, and removes it at its end.
metrics_folder = os.path.basename(os.environ.get(FOLDER, OWN_FOLDER))
if settings.metrics and metrics_folder.startswith(OWN_FOLDER):
    prefix = f"{OWN_FOLDER}{os.getpid()}-"
    if not metrics_folder.startswith(prefix):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix=prefix)
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)

# The numbers of connections of the workers; see `Balance`.
counts = memoryview(mmap.mmap(-1, 1024)).cast("I")


def serves_landform(app: Any) -> bool:
    """Return whether the application is landform's, not a host's."""
    return app.app_uri.partition(":")[0] in ("wsgi", "landform.wsgi")


def on_starting(server: Any) -> None:
    """Check the addresses and open the database, before there are workers."""
    if not server.address:
        raise SystemExit("Error: there is no address to listen at; write 127.0.0.1:8000.")
    for address in server.address:
        # gunicorn takes a number alone for a host.
        if isinstance(address, tuple) and (address[0].isdigit() or not 0 <= address[1] <= 65535):
            raise SystemExit(f"Error: {address} is no address with a port; write 127.0.0.1:8000.")
    if serves_landform(server.app):
        if server.cfg.uid != os.geteuid():
            raise SystemExit("Error: start landform as the user that is to serve, without --user.")
        if identity := set_up(settings):
            os.environ["LANDFORM_STORE_IDENTITY"] = identity
        for warning in warnings():
            server.log.warning("%s", warning)
        # The workers share the memory of what is imported before they fork.
        reserved_slugs(settings.part_types)
    preload_settings()


def when_ready(server: Any) -> None:
    """Log the URL of the docs."""
    urls = [str(listener) for listener in server.LISTENERS]
    docs = next((url for url in urls if url.startswith("http")), "below the URL of the proxy: ")
    docs = docs.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    server.log.info("Docs: %s/docs", docs)


def post_worker_init(worker: Any) -> None:
    """Start the thread of a worker that publishes due pages and does the work of parts."""
    if settings.deliver and serves_landform(worker.app):
        deliver = partial(worker.wsgi.blueprints["landform"].deliver, forever=True)
        worker.deliverer = threading.Thread(target=deliver, daemon=True)
        worker.deliverer.start()


def worker_exit(server: Any, worker: Any) -> None:
    """Let feeds and webhooks that are being sent end: otherwise they would be sent again."""
    if deliverer := getattr(worker, "deliverer", None):
        for listener in worker.sockets:
            listener.close()
        service = worker.wsgi.blueprints["landform"].service
        service.stop()
        # Other classes of workers do not tell.
        is_quitting = getattr(worker, "is_quitting", False)
        deliverer.join(QUITTING_SECONDS if is_quitting else service.sending_seconds)


def post_fork(server: Any, worker: Any) -> None:
    """Set up a worker: the master keeps the folder, the worker gets earlier signals."""
    atexit.unregister(shutil.rmtree)
    worker.early = server.SIG_QUEUE
    if server.num_workers > 1:
        worker.counts, worker.slot = counts, worker.age % len(counts)


def child_exit(server: Any, worker: Any) -> None:
    """Set the number of connections of a dead worker to 0."""
    counts[worker.age % len(counts)] = 0
