"""Workers share the connections: one that has more leaves the next ones to another."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import ROOT, Server
from processes import children, until

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
        self.server = server
        self.sockets: list[socket.socket] = []
        self.reach_each_worker()

    def reach_each_worker(self) -> None:
        """Wait until each worker accepts, and close the connections."""
        for worker in self.workers():
            self.connect_beside_stopped(worker, 1)
        self.close()

    def connect_beside_stopped(self, worker: int, count: int) -> None:
        """Open connections while a worker is stopped."""
        os.kill(worker, signal.SIGSTOP)
        try:
            self.connect(count)
        finally:
            os.kill(worker, signal.SIGCONT)

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
        return [connections(worker, self.server.port) for worker in self.workers()]


def connections(worker: int, port: int) -> int:
    """Return how many connections to a port a worker has open."""
    rows = [line.split() for line in Path(f"/proc/{worker}/net/tcp").read_text().splitlines()[1:]]
    # The local address, the state (0A: it listens), and the number of each socket.
    ours = {
        f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}") and row[3] != "0A"
    }
    links = []
    for file in Path(f"/proc/{worker}/fd").iterdir():
        with suppress(OSError):
            links.append(os.readlink(file))
    return sum(link in ours for link in links)


@pytest.fixture
def clients(start_server: Callable[..., Server], tmp_path: Path) -> Iterator[Clients]:
    """Clients of workers that leave a connection to others for long."""
    (tmp_path / "patient.conf.py").write_text(PATIENT)
    clients = Clients(start_server("--config", str(tmp_path / "patient.conf.py")))
    yield clients
    for client in clients.sockets:
        client.close()


def test_workers_have_the_same_number_of_connections(clients: Clients) -> None:
    for _ in range(3):
        clients.connect()
        assert clients.spread() == [COUNT / 2, COUNT / 2]
        clients.close()


@pytest.mark.parametrize("number", [0, 1])
def test_a_stopped_worker_does_not_keep_the_other_from_accepting(
    start_server: Callable[..., Server], number: int
) -> None:
    clients = Clients(start_server())
    clients.connect_beside_stopped(clients.workers()[number], 50)
    assert sorted(clients.spread()) == [0, 50]
    clients.close()
