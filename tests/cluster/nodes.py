"""Three PostgreSQL nodes under Patroni, and etcd, each node in a network of its own.

A node is a network namespace on one bridge: so the processes of a node are those in its namespace,
and pulling its cable is a true network cut, for clients, replicas and etcd at once. Packets vanish
without a reset or an error, which a proxy that stops forwarding could only imitate. All of it
lies within namespaces that `run.py` makes, and touches neither the network nor the processes of
the machine.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

# Who runs PostgreSQL, which refuses root.
USER = "postgres"
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups")
OUTSIDE = 1
PROGRAMS = ("etcd", "patroni", "ip", "mount", "setpriv", "unshare")


class Trouble(Exception):
    """Something did not happen in time, so that the run cannot go on."""


def until(condition: Callable[[], Any], what: str, seconds: float) -> Any:
    """Wait for a condition and return its value; `Trouble` names what it was waited for."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Trouble(f"Waited {seconds:.0f} seconds in vain until {what}.")
        time.sleep(0.1)
    return value


def binaries() -> Path:
    """Return the folder of the newest PostgreSQL, which Debian keeps off the path."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not found:
        raise Trouble("There is no PostgreSQL server.")
    return max(found, key=lambda path: float(path.parent.name))


def run(*command: str) -> str:
    """Run a short command, which must succeed, and return what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def start(folder: Path, name: str, *command: str) -> None:
    """Start a program that goes on, with a log."""
    with (folder / "logs" / f"{name}.log").open("ab") as log:
        subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)


def address(place: int) -> str:
    """Return the address of a node, or that of `OUTSIDE`."""
    return f"10.0.0.{place}"


def hardware_address(place: int) -> str:
    """Return the address that packets for a node go to on the bridge."""
    return f"02:00:00:00:00:{place:02x}"


class Node:
    """A PostgreSQL and its Patroni, alone in a network namespace."""

    def __init__(self, number: int, folder: Path) -> None:
        self.name = f"node{number}"
        self.place = 10 + number
        self.address = address(self.place)
        self.cable = f"cable{number}"
        self.folder = folder

    def connect(self, places: list[int]) -> None:
        """Make the network and lay the cable to the bridge.

        Neighbours are entered by hand: who asks for a lost one would soon be told that there is
        no route, and not wait as long as it takes.
        """
        run("ip", "netns", "add", self.name)
        peer = ("peer", "name", "eth0", "address", hardware_address(self.place))
        run("ip", "link", "add", self.cable, "type", "veth", *peer, "netns", self.name)
        run("ip", "link", "set", self.cable, "master", "bridge", "up")
        within = ("ip", "-n", self.name)
        run(*within, "address", "add", f"{self.address}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            run(*within, "link", "set", link, "up")
        for place in set(places) - {self.place}:
            run(*within, *neighbour(place, "eth0"))
        run("ip", *neighbour(self.place, "bridge"))

    def start(self) -> None:
        """Start Patroni, which starts PostgreSQL."""
        within = ("ip", "netns", "exec", self.name)
        start(self.folder, self.name, *within, *AS_USER, "patroni", f"{self.name}.json")

    def processes(self) -> list[int]:
        """Return the processes of the node, of whatever parents and groups."""
        return [int(number) for number in run("ip", "netns", "pids", self.name).split()]

    def _signal_all(self, sign: signal.Signals) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, sign)

    def kill(self) -> None:
        """Kill Patroni, the postmaster and all its backends."""
        self.freeze()
        self._signal_all(signal.SIGKILL)
        until(lambda: not self.processes(), f"the processes of {self.name} are gone", 10)

    def kill_postmaster(self) -> None:
        """Kill only the postmaster; its backends end when they see it, and Patroni goes on."""
        file = self.folder / self.name / "postmaster.pid"
        os.kill(int(file.read_text().split()[0]), signal.SIGKILL)

    def freeze(self) -> None:
        """Stop every process of the node, without any of them knowing."""
        # Twice, for those that were forked meanwhile.
        self._signal_all(signal.SIGSTOP)
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal_all(signal.SIGCONT)

    def cut(self) -> None:
        """Drop all packets to and from the node."""
        run("ip", "link", "set", self.cable, "down")

    def mend(self) -> None:
        """Let packets through again."""
        run("ip", "link", "set", self.cable, "up")

    def status(self) -> dict[str, Any]:
        """Return what Patroni tells of the node; nothing if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:8008/patroni", timeout=1) as answer:
                told: dict[str, Any] = json.load(answer)
                return told
        except (OSError, ValueError):
            return {}

    def leads(self) -> bool:
        """Return whether the node answers, and as the primary."""
        status = self.status()
        return status.get("role") in ("master", "primary") and status.get("state") == "running"


def neighbour(place: int, device: str) -> tuple[str, ...]:
    """Return the arguments that tell a network where another node is."""
    lasting = ("lladdr", hardware_address(place), "nud", "permanent")
    return ("neighbour", "replace", address(place), *lasting, "dev", device)


class Cluster:
    """etcd and the nodes."""

    def __init__(self, folder: Path, synchronous: bool) -> None:
        self.folder, self.synchronous = folder, synchronous
        (folder / "logs").mkdir()
        for path in (folder, folder / "logs"):
            shutil.chown(path, USER, USER)
        # For the shared memory of PostgreSQL, and for the names of the networks.
        for place in ("/dev/shm", "/run"):
            run("mount", "-t", "tmpfs", "tmpfs", place)
        bridge = ("address", hardware_address(OUTSIDE), "type", "bridge")
        run("ip", "link", "add", "bridge", *bridge)
        run("ip", "address", "add", f"{address(OUTSIDE)}/24", "dev", "bridge")
        for link in ("lo", "bridge"):
            run("ip", "link", "set", link, "up")
        self.nodes = [Node(number, folder) for number in (1, 2, 3)]
        for node in self.nodes:
            node.connect([OUTSIDE, *(node.place for node in self.nodes)])
            (folder / f"{node.name}.json").write_text(json.dumps(settings(node, synchronous)))

    def start(self) -> None:
        """Start all of it and wait until it is whole."""
        clients = f"http://{address(OUTSIDE)}:2379"
        urls = ("--listen-client-urls", clients, "--advertise-client-urls", clients)
        start(self.folder, "etcd", *AS_USER, "etcd", "--enable-v2", "--data-dir", "etcd", *urls)
        for node in self.nodes:
            node.start()
        self.wait_until_whole()

    def leader(self) -> Node | None:
        """Return the one primary; None while there is none or more than one claims to be it."""
        leaders = [node for node in self.nodes if node.leads()]
        return leaders[0] if len(leaders) == 1 else None

    def is_whole(self) -> bool:
        """Tell whether all other nodes follow one primary, one synchronously if that is wanted."""
        leader = self.leader()
        links = leader.status().get("replication", []) if leader else []
        streaming = {link["application_name"] for link in links if link["state"] == "streaming"}
        followed = any(link["sync_state"] in ("sync", "quorum") for link in links)
        wanted = {node.name for node in self.nodes if node is not leader}
        return streaming == wanted and followed is self.synchronous

    def wait_until_whole(self) -> None:
        """Wait until each node is the primary or follows it."""
        until(self.is_whole, "the other nodes follow one primary as they should", 180)

    @property
    def url(self) -> str:
        """Return the address of whichever node is the primary."""
        hosts = ",".join(f"{node.address}:5432" for node in self.nodes)
        query = "target_session_attrs=read-write&connect_timeout=2"
        return f"postgresql://postgres@{hosts}/postgres?{query}"


def settings(node: Node, synchronous: bool) -> dict[str, Any]:
    """Return the configuration of Patroni, in JSON, which is YAML as well."""
    shared = {
        # The lease of the primary, and how long until one who cannot renew it steps down.
        **{"ttl": 20, "loop_wait": 2, "retry_timeout": 5},
        # What follows a crash of PostgreSQL alone: a restart if it takes no longer than this.
        "master_start_timeout": 10,
        "synchronous_mode": synchronous,
        "postgresql": {
            "use_pg_rewind": True,
            "parameters": {
                # A lost connection is noticed sooner than after the usual minute.
                **{"wal_sender_timeout": "10s", "wal_receiver_timeout": "10s"},
                **{"wal_keep_size": "256MB", "max_connections": 100},
            },
        },
    }
    folder = node.folder / node.name
    return {
        **{"scope": "landform", "name": node.name},
        "restapi": {"listen": f"{node.address}:8008", "connect_address": f"{node.address}:8008"},
        # The older of the two interfaces of etcd: over the newer one, Patroni before 3.0.3 lets a
        # primary that was frozen take the lock from its successor, and what that wrote is lost
        # (https://github.com/patroni/patroni/pull/2689).
        "etcd": {"host": f"{address(OUTSIDE)}:2379"},
        "bootstrap": {"dcs": shared, "initdb": [{"encoding": "UTF8"}, "data-checksums"]},
        "postgresql": {
            "listen": f"{node.address}:5432",
            "connect_address": f"{node.address}:5432",
            "data_dir": str(folder),
            "bin_dir": str(binaries()),
            "pgpass": str(node.folder / f"{node.name}.pgpass"),
            "basebackup": [{"checkpoint": "fast"}],
            "remove_data_directory_on_rewind_failure": True,
            "remove_data_directory_on_diverged_timelines": True,
            "authentication": {
                "superuser": {"username": "postgres"},
                "replication": {"username": "replicator"},
            },
            "pg_hba": [f"host {what} all 10.0.0.0/24 trust" for what in ("all", "replication")],
            "parameters": {"unix_socket_directories": ""},
        },
    }
