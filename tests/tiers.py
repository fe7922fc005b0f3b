"""The parts of the suite: what runs in process, and what starts servers, faults or clients.

The tests of `tests/faults` and `tests/clients` are a part each. Those that have `start_server`,
`run`, `postgres`, `console` or `recorded_site`, or are marked `servers`, are one too, and a few
elsewhere are marked `faults` or `clients`.
All others run in process, beside the one that is marked `smoke`.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

TESTS = Path(__file__).parent
TIERS = ("process", "servers", "faults", "clients")
MARKERS = {
    "faults": "kills, or writes while other processes do.",
    "servers": "starts a server or another program.",
    "clients": "needs clients, a browser or a fuzzer.",
    "each_part": "deletes one part alone, which CI leaves out.",
    "slow": "takes long, and begins before the others.",
    "smoke": "starts a server, and runs with those in process.",
}
FOLDERS = {"faults", "clients"}
# In seconds, how long a test may take that is not in process. The long form of the faults has no
# such limit.
LIMITS = {"servers": 300, "faults": 900, "clients": 900}
LONG_FORM = "FAULTS_ROUNDS"
FIXTURES = {"start_server", "run", "postgres", "console", "recorded_site"}
# Where Linux has files in memory, and the bytes that have to be free there.
MEMORY, MOST_BYTES = Path("/dev/shm"), 1 << 30


def add_options(parser: pytest.Parser) -> None:
    """Add the option that chooses a part."""
    parser.addoption("--tier", choices=("all", *TIERS), default="all", help=str(__doc__))


def use_memory(config: pytest.Config) -> None:
    """Let the files of tests in process be in memory, where no commit waits for a disk."""
    if config.getoption("--tier") != "process":
        return
    with suppress(OSError), NamedTemporaryFile(dir=MEMORY) as file:
        # Databases mark their files with attributes, which are there from Linux 6.6 on.
        os.setxattr(file.name, "user.landform", b"")
        if shutil.disk_usage(MEMORY).free > MOST_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def tier_of(item: pytest.Function) -> str:
    """Return the part that a test belongs to."""
    folder = item.path.relative_to(TESTS).parts[0]
    if folder in FOLDERS:
        return folder
    if item.get_closest_marker("smoke"):
        return "process"
    for tier in ("clients", "faults"):
        if item.get_closest_marker(tier):
            return tier
    is_server = item.get_closest_marker("servers") or FIXTURES.intersection(item.fixturenames)
    return "servers" if is_server else "process"


def add_limits(items: list[pytest.Item]) -> None:
    """Give each test that is not in process, and has no time limit of its own, that of its part."""
    for item in items:
        tier = tier_of(item)
        if tier in LIMITS and not item.get_closest_marker("timeout"):
            is_long = tier == "faults" and LONG_FORM in os.environ
            item.add_marker(pytest.mark.timeout(0 if is_long else LIMITS[tier]))


def put_slow_first(items: list[pytest.Item]) -> None:
    """Move what takes long to the beginning: nothing waits for it in the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def keep_tier(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests of every other part than the one that is asked for."""
    wanted = config.getoption("--tier")
    if wanted != "all":
        dropped = [item for item in items if tier_of(item) != wanted]
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if tier_of(item) == wanted]
