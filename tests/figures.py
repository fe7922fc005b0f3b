"""How long the faults go on.

`make test-faults` runs a short form; `make faults` sets FAULTS_ROUNDS (kills of each kind) and
FAULTS_SOAK (seconds).
"""

import os

# The long form is run on a machine with nothing else to do: only there durations are promises.
IS_LONG = "FAULTS_ROUNDS" in os.environ
HANGS_AFTER_SECONDS = 30.0
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", "2"))
SOAK_SECONDS = float(os.environ.get("FAULTS_SOAK", "3"))


def promised(seconds: float) -> float:
    """Return the longest time that something may take: without the long form, until it hangs."""
    return seconds if IS_LONG else HANGS_AFTER_SECONDS
