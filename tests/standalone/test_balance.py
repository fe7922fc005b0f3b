"""Workers share the connections: one that has more leaves the next ones to another."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import ROOT, Server
from processes import children, ready, reload, until

pytestmark = pytest.mark.servers
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
COUNT = 8
# Workers that leave a connection to others for so long that these have it, however busy the machine
# is; clients do not wait so long.
PATIENT = f"""
from landform.standalone import balance
balance.YIELD_SECONDS = 25
exec(open({str(ROOT / "gunicorn.conf.py")!r}).read())
"""
CLIENT_TIMEOUT = 20


class Clients:
    """Clients that keep their connections to two workers open."""

    def __init__(self, server: Server) -> None:
        self.server = ready(server)
        self.sockets: list[socket.socket] = []

    def connect(self, count: int = COUNT) -> None:
        """Open connections one after the other, each of which gets a response."""
        for _ in range(count):
            address = "127.0.0.1", self.server.port
            client = socket.create_connection(address, CLIENT_TIMEOUT)
            self.sockets.append(client)
            client.sendall(REQUEST)
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 OK\r\n")

    def close(self) -> None:
        """Close all connections, and wait until no worker has any."""
        while self.sockets:
            self.sockets.pop().close()
        until(lambda: not sum(self.spread()), "Connections stay open.")

    def workers(self) -> list[int]:
        return children(self.server.process.pid)

    def spread(self) -> list[int]:
        """Return how many connections each worker has."""
        return [sockets(worker) - 1 for worker in self.workers()]


def sockets(worker: int) -> int:
    """Return how many sockets a worker has open: the one that listens, and its connections."""
    links = []
    for file in Path(f"/proc/{worker}/fd").iterdir():
        with suppress(OSError):
            links.append(os.readlink(file))
    return sum(link.startswith("socket:") for link in links)


@pytest.fixture
def clients(start_server: Callable[..., Server], tmp_path: Path) -> Iterator[Clients]:
    """Clients of workers that leave a connection to others for long."""
    (tmp_path / "patient.conf.py").write_text(PATIENT)
    clients = Clients(start_server("--config", str(tmp_path / "patient.conf.py")))
    clients.close()
    yield clients
    for client in clients.sockets:
        client.close()


def test_workers_have_the_same_number_of_connections(clients: Clients) -> None:
    for _ in range(3):
        clients.connect()
        assert clients.spread() == [COUNT / 2, COUNT / 2]
        clients.close()


def test_a_new_connection_goes_to_the_worker_that_lost_one(clients: Clients) -> None:
    clients.connect()
    for _ in range(COUNT):
        clients.sockets.pop(0).close()
        until(lambda: sum(clients.spread()) == COUNT - 1, "A connection stays open.")
        clients.connect(1)
        assert clients.spread() == [COUNT / 2, COUNT / 2]


def test_workers_share_connections_after_a_reload(clients: Clients) -> None:
    reload(clients.server)
    ready(clients.server)
    clients.close()
    clients.connect()
    assert clients.spread() == [COUNT / 2, COUNT / 2]


def test_the_successor_of_a_killed_worker_has_the_next_connections(clients: Clients) -> None:
    clients.connect()
    killed = clients.workers()[0]
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in clients.workers(), "The worker does not end.")
    ready(clients.server)
    until(lambda: sum(clients.spread()) == COUNT / 2, "Connections stay open.")
    clients.connect(COUNT // 2)
    assert clients.spread() == [COUNT / 2, COUNT / 2]


def test_no_worker_waits_for_one_that_was_killed(clients: Clients) -> None:
    killed = clients.workers()[0]
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in clients.workers(), "The worker does not end.")
    ready(clients.server)
    clients.close()
    clients.connect()
    assert clients.spread() == [COUNT / 2, COUNT / 2]


@pytest.mark.parametrize("number", [0, 1])
def test_a_stopped_worker_does_not_keep_the_other_from_accepting(
    start_server: Callable[..., Server], number: int
) -> None:
    clients = Clients(start_server())
    clients.close()
    stopped = clients.workers()[number]
    os.kill(stopped, signal.SIGSTOP)
    clients.connect(50)
    assert sorted(clients.spread()) == [0, 50]
    os.kill(stopped, signal.SIGCONT)
    clients.close()
