"""What Linux tells about the processes of a server."""

import os
from pathlib import Path


def children(process: int) -> list[int]:
    """Return the processes that a process has started: the workers of a master."""
    file = Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in file.read_text().split()]


def is_running(process: int) -> bool:
    """Say whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


def memory_kib(process: int) -> int:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def open_files(process: int) -> int:
    """Return the number of file descriptors of a process."""
    return len(os.listdir(f"/proc/{process}/fd"))
