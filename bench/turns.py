"""Times some calls in turns, in processor time: so other programs, and the order, matter less."""

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

TURNS, REQUESTS = 15, 40


def in_turns(calls: Mapping[str, Callable[[], Any]]) -> str:
    """Return the milliseconds of each call, and their ratios to the first."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            began = time.process_time()
            for _ in range(REQUESTS):
                assert call().status_code == 200
            took[name].append((time.process_time() - began) / REQUESTS * 1000)
    base = median(next(iter(took.values())))
    return ", ".join(
        f"{name} {median(times):.3f} ms ({median(times) / base:.2f})"
        for name, times in took.items()
    )
