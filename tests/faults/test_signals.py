"""Signals and recycled workers under load: whoever was let in is answered."""

import os
import signal
from collections.abc import Callable

import pytest
from conftest import Server
from consistency import check
from figures import ROUNDS
from processes import children, ready, until
from writers import Client, Writers, problems

# Beyond the thirty after which gunicorn kills what has not ended.
GRACEFUL_SECONDS = 60


def settle(server: Server, writers: Writers) -> list[str]:
    """Return what is lost of what was written, and which writes were done and never answered."""
    with Client(server) as client:
        told = problems(client, writers.things)
    check(server.database)
    unanswered = [t for t in writers.things if t.unanswered in t.allowed]
    return told + [f"done, but not answered: {thing}" for thing in unanswered]


def test_a_stop_under_load_answers_all_that_it_lets_in_and_ends_in_time(
    start_server: Callable[..., Server],
) -> None:
    server, told = ready(start_server()), []
    for number in range(max(1, ROUNDS // 2)):
        writers = Writers(server, f"s{number}")
        with writers.writing():
            writers.wait_for(40)
            os.kill(server.process.pid, signal.SIGTERM)
            assert server.process.wait(GRACEFUL_SECONDS) == 0
        ready(server.start())
        assert writers.refused == []
        told += settle(server, writers)
    assert told == []


def reload(server: Server) -> None:
    workers = children(server.process.pid)
    os.kill(server.process.pid, signal.SIGHUP)
    until(lambda: not set(workers) & set(children(server.process.pid)), "The old workers stay.")


def stop_worker(server: Server) -> None:
    workers = children(server.process.pid)
    os.kill(workers[0], signal.SIGTERM)
    until(lambda: workers[0] not in children(server.process.pid), "The worker stays.")
    until(lambda: len(children(server.process.pid)) == len(workers), "No other comes.")


def recycle(server: Server) -> None:
    workers = children(server.process.pid)
    until(lambda: set(workers) - set(children(server.process.pid)), "None is recycled.")


DISTURBANCES = {
    "SIGHUP, which reloads, under load": (reload, ()),
    "SIGTERM for one worker under load": (stop_worker, ()),
    "A worker recycled under load": (recycle, ("--max-requests", "60")),
}


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_no_request_is_dropped(start_server: Callable[..., Server], disturbance: str) -> None:
    disturb, arguments = DISTURBANCES[disturbance]
    server = ready(start_server(*arguments))
    writers = Writers(server, "d")
    with writers.writing():
        for _ in range(max(1, ROUNDS // 4)):
            writers.wait_for(40)
            disturb(server)
        writers.wait_for(40)
    told = settle(server, writers)
    assert (writers.refused, writers.broken, told) == ([], 0, [])
