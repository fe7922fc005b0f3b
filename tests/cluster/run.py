"""Fail over a PostgreSQL cluster under landform while clients write, and look what is lost.

`python tests/cluster/run.py --help` names the few options.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS), str(TESTS / "faults")]

from clients import Clients, GaveUp, Thing, Verdict, check  # noqa: E402
from conftest import Server  # noqa: E402
from nodes import PROGRAMS, Cluster, Node, Trouble, binaries, until  # noqa: E402
from processes import children  # noqa: E402

# How many troubles are told in full.
SHOWN = 20
# What all of it runs in, so that it touches nothing of the machine, and ends with its first
# process, whatever else has become of it. The cluster has processes killed that nobody waits for.
APART = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"),
)


@dataclass
class Row:
    """A fault, the time of writing until the next one, and what was seen in it."""

    fault: str
    began: float
    ended: float = 0
    back: float | None = None

    def within(self, moment: float) -> bool:
        """Return whether a moment belongs to this fault."""
        return self.began <= moment < self.ended

    def count(self, things: list[Thing], when: str) -> int:
        """Return how many of the things were last written after this fault."""
        return sum(self.within(getattr(thing, when)) for thing in things)

    def gap(self, times: list[float]) -> float:
        """Return the longest time in which nothing was acknowledged."""
        before = max((moment for moment in times if moment < self.began), default=self.began)
        inner = sorted(moment for moment in times if self.within(moment))
        moments = [before, *inner, self.ended]
        return max(b - a for a, b in pairwise(moments))


class Faults:
    """What goes wrong with a primary. Each returns when the node was let come back."""

    def __init__(self, cluster: Cluster, clients: Clients) -> None:
        self.cluster, self.clients = cluster, clients

    def _wait(self, old: Node, fault: str) -> float:
        self.cluster.wait_for_another(old)
        if not self.clients.wait_for(50, 90):
            # No reason to end: what is lost is to be known all the more.
            self.clients.troubles[f"{fault}: no writes until the node was back"] += 1
        return time.monotonic()

    def kill_node(self, old: Node) -> float:
        """Kill the primary with all that is on its node; start it again."""
        old.kill()
        moment = self._wait(old, "killed")
        old.start()
        return moment

    def freeze_node(self, old: Node) -> float:
        """Stop all processes of the primary's node; let them go on."""
        old.freeze()
        moment = self._wait(old, "frozen")
        old.thaw()
        return moment

    def cut_node(self, old: Node) -> float:
        """Cut the primary off from clients, replicas and etcd; mend that."""
        old.cut()
        moment = self._wait(old, "cut off")
        old.mend()
        return moment

    def kill_postmaster(self, old: Node) -> float:
        """Kill the postmaster alone, which Patroni starts again or replaces."""
        old.kill_postmaster()
        moment = time.monotonic()
        until(lambda: not self.cluster.is_whole(), f"the end of {old.name} is seen", 30)
        return moment


# A round, in this order.
FAULTS: dict[str, Callable[[Faults, Node], float]] = {
    "node of the primary killed": Faults.kill_node,
    "node of the primary frozen": Faults.freeze_node,
    "node of the primary cut off": Faults.cut_node,
    "postmaster of the primary killed": Faults.kill_postmaster,
    "node of the new primary killed": Faults.kill_node,
}


def tell(text: str) -> None:
    """Say how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def inject(faults: Faults, rounds: int, seconds: float, only: str, rows: list[Row]) -> None:
    """Write, and let one fault after the other happen meanwhile, each with a row."""
    cluster, clients = faults.cluster, faults.clients

    def begin(name: str) -> None:
        now = time.monotonic()
        if rows:
            rows[-1].ended = now
        rows.append(Row(name, now))

    begin("none")
    time.sleep(seconds)
    chosen = {name: strike for name, strike in FAULTS.items() if only in name}
    for _ in range(rounds):
        for name, strike in chosen.items():
            cluster.wait_until_whole()
            old = cluster.leader()
            assert old, "A whole cluster has a leader."
            begin(name)
            tell(f"{name}: {old.name}")
            back = strike(faults, old)
            tell("the node comes back")
            cluster.wait_until_whole()
            rows[-1].back = time.monotonic() - back
            tell(f"the cluster is whole, {len(clients.times)} writes so far")
            time.sleep(seconds)
    cluster.wait_until_whole()


def table(rows: list[Row], clients: Clients, verdict: Verdict) -> str:
    """Return what happened, a line a fault, in Markdown."""
    lines = [
        "| fault | writes acknowledged | lost | doubled | seconds without writes "
        "| seconds until the node was back |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        cells: list[Any] = [row.fault, sum(row.within(moment) for moment in clients.times)]
        cells += [row.count(verdict.lost, "acknowledged_at")]
        cells += [row.count(verdict.doubled, "created_at"), f"{row.gap(clients.times):.1f}"]
        cells += ["" if row.back is None else f"{row.back:.1f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def processes(servers: list[Server]) -> list[list[int]]:
    """Return each master and its workers."""
    masters = [server.process.pid for server in servers if server.process]
    return [[master, *sorted(children(master))] for master in masters]


def inside(folder: Path, given: argparse.Namespace) -> int:
    """Do all of it; return the exit status."""
    cluster = Cluster(folder, not given.asynchronous)
    tell("starting the cluster")
    cluster.start()
    cluster.create_database("landform")
    tell("starting landform")
    servers = []
    for name in ("one", "other"):
        own = folder / "logs" / name
        own.mkdir()
        servers.append(Server(own, LANDFORM_DATABASE_URL=cluster.url("landform")).start())
    time.sleep(2)
    before = processes(servers)
    clients = Clients(servers)
    tell("writing")
    clients.start()
    rows: list[Row] = []
    try:
        inject(Faults(cluster, clients), given.rounds, given.seconds, given.only, rows)
    except Trouble as trouble:
        # What was acknowledged until then is to be checked all the same.
        clients.troubles[str(trouble)] += 1
    tell("stopping the clients")
    clients.stop()
    rows[-1].ended = time.monotonic()
    tell("reading everything")
    verdict = check(clients, servers)
    after = processes(servers)
    print(table(rows, clients, verdict), flush=True)
    slowest = max(caller.slowest for caller in clients.callers)
    print(f"\nslowest answer: {slowest:.1f} s; tried again: {dict(clients.failures())}")
    troubles = [f"lost: {thing}" for thing in verdict.lost]
    troubles += [f"doubled: {thing}" for thing in verdict.doubled]
    troubles += [f"never sent: {thing}" for thing in verdict.unsent]
    troubles += [f"{what} ({times} times)" for what, times in clients.troubles.items()]
    if before != after:
        troubles.append(f"processes were {before} and are {after}")
    for told in troubles[:SHOWN]:
        print(told)
    if troubles[SHOWN:]:
        print(f"and {len(troubles) - SHOWN} more")
    return 1 if troubles else 0


def first_process(work: Callable[[], int]) -> int:
    """Work in a child, and wait for every process that lost its parent."""
    worker = os.fork()
    if not worker:
        status = 2
        try:
            status = work()
        except (Trouble, GaveUp) as trouble:
            tell(str(trouble))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    while True:
        process, status = os.wait()
        if process == worker:
            return os.waitstatus_to_exitcode(status)


def outside(keep: Path | None, arguments: list[str]) -> int:
    """Do it apart from the machine; leave nothing behind, whatever happens."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing or os.geteuid():
        print(f"Error: needs root{' and '.join(['', *missing])}.", file=sys.stderr)
        return 2
    binaries()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with TemporaryDirectory(prefix="landform-cluster-") as folder:
        os.chmod(folder, 0o755)
        command = [*APART, sys.executable, __file__, *arguments, "--inside", folder]
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
    parser.add_argument(
        "--asynchronous", action="store_true", help="replicate so that a failover may lose writes"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the logs")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return first_process(lambda: inside(given.inside, given))
    return outside(given.keep, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
