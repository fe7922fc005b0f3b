"""How long the faults go on, and the table of what they showed.

`make test` runs a short form; `make faults` sets FAULTS_ROUNDS (kills of each kind),
FAULTS_SOAK and FAULTS_STORM (seconds), and FAULTS_TABLE, a file for the rows of the table.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from statistics import median

# The long form is run on a machine with nothing else to do: only there durations are promises.
IS_LONG = "FAULTS_ROUNDS" in os.environ
HANGS_AFTER_SECONDS = 30.0
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", "2"))
SOAK_SECONDS = float(os.environ.get("FAULTS_SOAK", "3"))
STORM_SECONDS = float(os.environ.get("FAULTS_STORM", "3"))
TABLE = os.environ.get("FAULTS_TABLE")


def record(fault: str, rounds: int, acknowledged: int, lost: int, shown: str) -> None:
    """Add a row to the table, where one is wanted."""
    if TABLE:
        with Path(TABLE).open("a") as table:
            table.write(f"| {fault} | {rounds:,} | {acknowledged:,} | {lost} | {shown} |\n")


def promised(seconds: float) -> float:
    """Return the longest time that something may take: without the long form, until it hangs."""
    return seconds if IS_LONG else HANGS_AFTER_SECONDS


def spread(seconds: Iterable[float]) -> str:
    """Return the median and the maximum of durations in words."""
    ordered = sorted(seconds)
    return f"median {median(ordered):.2f} s, at most {ordered[-1]:.2f} s"
