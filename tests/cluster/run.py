"""Fail over a PostgreSQL cluster under landform while clients write, and look what is lost.

`python tests/cluster/run.py --help` names the few options.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from bisect import bisect
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS), str(TESTS / "faults")]

from clients import Caller, make_writers  # noqa: E402
from conftest import Server  # noqa: E402
from nodes import PROGRAMS, Cluster, Node, Trouble, until  # noqa: E402
from processes import children  # noqa: E402
from writers import Writers, problems  # noqa: E402

# How many troubles are told in full.
SHOWN = 20
TROUBLES: list[str] = []
# What all of it runs in, so that it touches nothing of the machine, and ends with its first
# process, whatever else has become of it. The cluster has processes killed that nobody waits for.
APART = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"),
)
# A round, in this order: what happens to the primary, and what lets its node come back.
FAULTS: dict[str, tuple[Callable[[Node], None], Callable[[Node], None] | None]] = {
    "node of the primary killed": (Node.kill, Node.start),
    "node of the primary frozen": (Node.freeze, Node.thaw),
    "node of the primary cut off": (Node.cut, Node.mend),
    "postmaster of the primary killed": (Node.kill_postmaster, None),
    "node of the new primary killed": (Node.kill, Node.start),
}


def tell(text: str) -> None:
    """Say how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def strike(name: str, cluster: Cluster, clients: Writers) -> float:
    """Let a fault happen to the primary; return for how long its node was on its way back."""
    hurt, heal = FAULTS[name]
    cluster.wait_until_whole()
    old = cluster.leader()
    assert old, "A whole cluster has a leader."
    tell(f"{name}: {old.name}")
    hurt(old)
    if heal:
        others, wanted = [node for node in cluster.nodes if node is not old], len(clients.times)
        until(lambda: any(node.leads() for node in others), f"a node replaces {old.name}", 120)
        try:
            until(lambda: len(clients.times) >= wanted + 50, f"{name}: writes are acknowledged", 90)
        except Trouble as trouble:
            # No reason to end: what is lost is to be known all the more.
            TROUBLES.append(str(trouble))
        heal(old)
    back = time.monotonic()
    if not heal:
        until(lambda: not cluster.is_whole(), f"the end of {old.name} is seen", 30)
    cluster.wait_until_whole()
    tell(f"the cluster is whole, {len(clients.times)} writes so far")
    return time.monotonic() - back


def inject(cluster: Cluster, clients: Writers, given: argparse.Namespace) -> None:
    """Let one fault after the other happen while clients write, and print a row of each."""
    print("| fault | writes acknowledged | seconds without writes | seconds until whole |")
    print("|---|--:|--:|--:|")
    for name in [None, *(name for name in FAULTS if given.only in name)] * given.rounds:
        began = time.monotonic()
        back = strike(name, cluster, clients) if name else 0
        time.sleep(given.seconds)
        times = sorted(clients.times)
        inner = [began, *times[bisect(times, began) :], time.monotonic()]
        gap = max(b - a for a, b in pairwise(inner))
        print(f"| {name or 'none'} | {len(inner) - 2} | {gap:.1f} | {back:.1f} |", flush=True)


def inside(folder: Path, given: argparse.Namespace) -> int:
    """Do all of it; return the exit status."""
    cluster = Cluster(folder, not given.asynchronous)
    tell("starting the cluster")
    cluster.start()
    tell("starting landform")
    servers = []
    for name in ("one", "other"):
        own = folder / "logs" / name
        own.mkdir()
        servers.append(Server(own, LANDFORM_DATABASE_URL=cluster.url).start())
    time.sleep(2)
    masters = [server.process.pid for server in servers if server.process]
    before = [sorted(children(master)) for master in masters]
    failures = Counter[str]()
    clients = make_writers(servers, failures)
    threading.excepthook = lambda failed: TROUBLES.append(f"a client ended: {failed.exc_value!r}")
    with clients.writing():
        try:
            inject(cluster, clients, given)
        except Trouble as trouble:
            # What was acknowledged until then is to be checked all the same.
            TROUBLES.append(str(trouble))
        tell("stopping the clients, and reading everything")
    TROUBLES.extend(problems(Caller(servers, clients.over, failures), clients.things))
    TROUBLES.extend(map(str, clients.refused))
    if clients.broken:
        TROUBLES.append(f"{clients.broken} requests were given up")
    if before != (after := [sorted(children(master)) for master in masters]):
        TROUBLES.append(f"processes were {before} and are {after}")
    print(f"\ntried again: {dict(failures)}", *TROUBLES[:SHOWN], sep="\n")
    if TROUBLES:
        print(f"{len(TROUBLES)} troubles")
    return 1 if TROUBLES else 0


def first_process(work: Callable[[], int]) -> int:
    """Work in a child, and wait for every process that lost its parent."""
    worker = os.fork()
    if not worker:
        status = 2
        try:
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    while True:
        process, status = os.wait()
        if process == worker:
            return os.waitstatus_to_exitcode(status)


def outside(keep: Path | None) -> int:
    """Do it apart from the machine; leave nothing behind, whatever happens."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing or os.geteuid():
        print(f"Error: needs root{' and '.join(['', *missing])}.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with TemporaryDirectory(prefix="landform-cluster-") as folder:
        os.chmod(folder, 0o755)
        command = [*APART, sys.executable, *sys.argv, "--inside", folder]
        process = subprocess.Popen(command, start_new_session=True)
        try:
            return process.wait()
        except KeyboardInterrupt:
            return 130
        finally:
            for first in children(process.pid) if process.poll() is None else []:
                os.kill(first, signal.SIGKILL)
            process.wait()
            if keep:
                shutil.copytree(Path(folder, "logs"), keep, dirs_exist_ok=True)


def main() -> int:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1, help="how often the faults are repeated")
    parser.add_argument("--seconds", type=float, default=25, help="of writing between the faults")
    parser.add_argument("--only", default="", help="part of the names of the faults to be tried")
    replication = "replicate so that a failover may lose writes"
    parser.add_argument("--asynchronous", action="store_true", help=replication)
    parser.add_argument("--keep", type=Path, help="a folder for the logs")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return first_process(lambda: inside(given.inside, given))
    return outside(given.keep)


if __name__ == "__main__":
    sys.exit(main())
