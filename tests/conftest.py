"""The fixtures: an application on a fresh database, its client, makers, and a real server."""

import gc
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import tiers
from applications import QUICK, SECRET, SETTINGS, Client, Site, basic, host_of, store_of
from databases import UNSAFE, Postgres, begin
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings
from processes import until
from routing import share_compiled_rules
from xdist.workermanage import NodeManager

from landform.app import create_app
from landform.parts import all_parts
from landform.service import Identity
from landform.service.site.responses import load_templates, preloaded
from landform.storage import Store

pytest_plugins = ["browsers", "disks", "receivers"]
share_compiled_rules()
# Compiled once, as workers have them from their master.
preloaded[None] = load_templates(None)
# The same examples each time. A fixture serves all examples of a test.
settings.register_profile(
    "suite", derandomize=True, database=None, deadline=None, max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
settings.load_profile("suite")
ROOT = Path(__file__).parent.parent
# The tests of parts that were deleted.
collect_ignore = [
    f"parts/{folder.name}"
    for folder in Path(__file__).parent.glob("parts/*")
    if folder.name not in all_parts()
]
# The columns of a page as storage creates it, and the query of a list as storage takes it.
PAGE: dict[str, Any] = {
    "title_raw": "T", "title_rendered": "T", "content_raw": "some words", "content_rendered": "C",
    "block_version": 0, "status": "publish", "slug": "", "password": "", "author": 1,
    "date": None, "meta": {},
}  # fmt: skip
LIST = {"page": 1, "per_page": 10, "order": "desc", "orderby": "date"}


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


def needs_part(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(name not in all_parts(), reason=f"there is no part {name}")


def free_port() -> int:
    """Return a port that no connection of another test can be given meanwhile by the system."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database", choices=("sqlite", "postgresql"), default="sqlite",
        help="What the tests run on (see tests/databases.py).",
    )  # fmt: skip
    tiers.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sqlite(why): runs on SQLite only.")
    config.addinivalue_line("markers", "postgresql: runs on PostgreSQL only.")
    config.addinivalue_line("markers", "settings(...): what `app` is made with.")
    config.addinivalue_line("markers", "all_parts: compares what only all parts together make.")
    for name, meaning in tiers.MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    tiers.use_memory(config)
    # In the background of a script it is ignored, also by whatever a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # After a Ctrl-C nobody waits ten seconds for the other processes.
    NodeManager.EXIT_TIMEOUT = 2


def pytest_collection_finish() -> None:
    # What was imported stays: no collection of garbage looks at it again.
    gc.freeze()


TESTS = Path(__file__).parent
# Folders of tests that see nothing of the engine.
WITHOUT_ENGINE = {"architecture", "embedding", "examples", "planning", "python", "standalone"}
# What lends a database of the engine that is tested, or may ask for what does.
DATABASES = {"make_database", "module_database_url", "new_database", "postgres", "request"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.keep_tier(config, items)
    tiers.put_slow_first(items)
    tiers.add_limits(items)
    own, other = "sqlite", "postgresql"
    if config.getoption("--database") == "postgresql":
        own, other = other, own
    for item in items:
        assert isinstance(item, pytest.Function)
        has_database = DATABASES.intersection(item.fixturenames) or item.get_closest_marker(own)
        if mark := item.get_closest_marker(other):
            reason = mark.args[0] if mark.args else "PostgreSQL only"
            item.add_marker(pytest.mark.skip(reason=reason))
        elif own == "postgresql" and (
            not has_database or item.path.relative_to(TESTS).parts[0] in WITHOUT_ENGINE
        ):
            item.add_marker(pytest.mark.skip(reason="no engine changes what it shows"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of PostgreSQL for the whole session."""
    server = Postgres(*UNSAFE)
    yield server
    server.remove()


@contextmanager
def databases(request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[[], str]]:
    """Lend a function that returns the URL of another new database each time."""
    with ExitStack() as lent:
        if request.config.getoption("--database") == "postgresql":
            postgres: Postgres = request.getfixturevalue("postgres")
            yield lambda: lent.enter_context(postgres.lend())
        else:
            numbers = count()
            yield lambda: f"sqlite:///{folder}/test{next(numbers) or ''}.db"


@pytest.fixture
def make_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], str]]:
    with databases(request, tmp_path) as make:
        yield make


@pytest.fixture
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that has no schema yet."""
    if request.config.getoption("--database") == "sqlite":
        return f"sqlite:///{tmp_path}/new.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.create()


@pytest.fixture(scope="module")
def module_database_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    with databases(request, tmp_path_factory.mktemp("module")) as make:
        yield make()


def processes(number: int) -> ProcessPoolExecutor:
    """Return a pool of processes that share nothing but what they have imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["pytest", "landform.app"])
    return ProcessPoolExecutor(number, mp_context=context)


def migrated(url: str, **options: Any) -> Store:
    """Return a store, its schema up to date, that remembers its URL."""
    begin(url)
    store = Store(url, **{"synchronous": QUICK["SQLITE_SYNCHRONOUS"], **options})
    store.migrate()
    store.url = url  # type: ignore[attr-defined]
    return store


@pytest.fixture
def database_url(make_database: Callable[[], str]) -> str:
    """The URL of a database for one test; that of `app`, where a test has one."""
    return make_database()


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """The store of `database_url`."""
    store = migrated(database_url)
    yield store
    store.dispose()


@pytest.fixture
def app(request: pytest.FixtureRequest, database_url: str) -> Iterator[Flask]:
    """An application with the settings of `pytest.mark.settings`, the nearest mark first."""
    given: dict[str, Any] = {}
    for mark in request.node.iter_markers("settings"):
        given = mark.kwargs | given
    begin(database_url)
    app = create_app({"DATABASE_URL": database_url, **SETTINGS, **given})
    yield app
    store_of(app).dispose()


@pytest.fixture
def anonymous(app: Flask) -> FlaskClient:
    """A client without credentials, where credentials are configured."""
    return app.test_client()


@pytest.fixture
def client(app: Flask) -> Client:
    """A client with every right."""
    return Client(app)


@pytest.fixture
def site(app: Flask) -> Site:
    """A service whose clock is turned by hand, and its visitors."""
    return Site(app)


@pytest.fixture
def writer(database_url: str) -> FlaskClient:
    """A client of a host that may write pages, but no unfiltered HTML."""
    identity = Identity("writer", scopes=frozenset({"pages:read", "pages:write"}))
    begin(database_url)
    return host_of(database_url, "/f", authorizer=lambda request: identity).test_client()


class Server:
    """A real gunicorn on a free port, in a process group of its own."""

    def __init__(self, folder: Path, arguments: tuple[str, ...] = (), **environment: str) -> None:
        self.folder = folder
        self.arguments = arguments
        self.environment = environment
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> str:
        """The URL of its database."""
        return self.environment.get("LANDFORM_DATABASE_URL", f"sqlite:///{self.folder}/landform.db")

    def command(self) -> list[str]:
        """Return the module that is run, and its arguments."""
        configuration = str(ROOT / "gunicorn.conf.py")
        address = f"127.0.0.1:{self.port}"
        return ["gunicorn", "-c", configuration, "-b", address, "landform.wsgi:app"]

    def start(self) -> "Server":
        """Start it and wait for its first answer."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LANDFORM")}
        out, log = ((self.folder / name).open("ab") for name in ("server.out", "server.log"))
        with out, log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.command(), *self.arguments],
                cwd=self.folder,
                env={**kept, "LANDFORM_WORKERS": "2", "LANDFORM_CREDENTIALS": SECRET}
                | self.environment,
                stdout=out,
                stderr=log,
                start_new_session=True,
            )
        until(self._answers, "The server does not answer.", 60)
        return self

    def _answers(self) -> bool:
        log = self.folder / "server.log"
        assert self.process.poll() is None, log.read_text()  # type: ignore[union-attr]
        with suppress(OSError):
            return bool(self.call("GET", "/pages")[0])
        return False

    def stop(self, sign: int = signal.SIGTERM) -> None:
        """Send a signal to the whole group and wait for its end."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, sign)
            self.process.wait(60)

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None
    ) -> tuple[int, Any, bytes]:
        """Send one request and return status, headers and body."""
        request = urllib.request.Request(self.url + path, data=body, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers.items(), answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers.items(), error.read()

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send JSON with every right and return the status and what came back."""
        headers = {"Content-Type": "application/json", **basic()}
        sent = None if body is None else json.dumps(body).encode()
        status, _, raw = self.send(method, path, headers, sent)
        return status, json.loads(raw) if raw else None


Start = Callable[..., Server]


@pytest.fixture
def start_server(tmp_path: Path, database_url: str) -> Iterator[Start]:
    """Start real servers; each is stopped at the end of the test."""
    started: list[Server] = []

    def start(*arguments: str, **environment: str) -> Server:
        if not database_url.startswith("sqlite:"):
            environment = {"LANDFORM_DATABASE_URL": database_url, **environment}
        started.append(Server(tmp_path, arguments, **environment))
        return started[-1].start()

    yield start
    for server in started:
        server.stop(signal.SIGKILL)


@pytest.fixture
def run() -> Iterator[Callable[..., None]]:
    """Start a program that listens on a port, wait for it, and end it with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(port: int, *command: str | Path, **environment: str) -> None:
        process = subprocess.Popen(
            command, env=os.environ | environment, stderr=subprocess.DEVNULL, start_new_session=True
        )
        started.append(process)

        def listens() -> bool:
            assert process.poll() is None, f"{command[0]} ended with {process.returncode}"
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        until(listens, f"{command[0]} does not listen.", 60)

    yield start
    for process in reversed(started):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)
