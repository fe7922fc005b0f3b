"""The primary of PostgreSQL fails under writing clients, and its synchronous standby takes over."""

import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Start
from databases import Postgres, check, programs
from processes import until
from writers import Client, Writers, problems, repeat_creates

pytestmark = pytest.mark.skipif(not programs(), reason="PostgreSQL is not installed")


class Doubting(Client):
    """A client to which a 503 says no more about a write than no response."""

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        status, answer = super().call(method, path, body, **headers)
        if status == 503:
            raise OSError(answer["code"])
        return status, answer


@pytest.fixture
def servers() -> Iterator[list[Postgres]]:
    """A primary, and the standby that has each commit before it is acknowledged."""
    primary = Postgres()
    servers = [primary, Postgres(primary=primary)]
    primary.execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.execute("postgres", "SELECT pg_reload_conf()")
    followed = "SELECT sync_state FROM pg_stat_replication"
    until(lambda: primary.execute("postgres", followed) == [("sync",)], "No standby follows.")
    yield servers
    for server in servers:
        server.remove()


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_failover_neither_loses_nor_doubles_an_acknowledged_write(
    start_server: Start, servers: list[Postgres], sign: signal.Signals
) -> None:
    """A primary that is frozen, or cut off, acknowledges nothing after the end of that either."""
    primary, standby = servers
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    url = f"postgresql://landform@{hosts}/template?connect_timeout=2"
    server = start_server(LANDFORM_DATABASE_URL=url, LANDFORM_POSTGRES_STATEMENT_TIMEOUT="1")
    writers = Writers(server, "failover")
    writers.connect = Doubting
    with writers.writing():
        writers.wait_for(40)
        primary.signal(sign)
        standby.promote()
        writers.wait_for(40)
        if sign == signal.SIGSTOP:
            primary.signal(signal.SIGCONT)
            time.sleep(2)
            primary.signal(signal.SIGKILL)
        writers.wait_for(40)
    # Once it goes on, the old primary, which nobody has fenced off, knows nothing of later rows.
    statuses = {status for status, _ in writers.refused}
    assert statuses <= ({404} if sign == signal.SIGSTOP else set())
    with Client(server) as client:
        repeat_creates(client, writers.things)
        assert problems(client, writers.things) == []
    check(standby.url("template"))
