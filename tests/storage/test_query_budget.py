"""How long a list may take, on clocks that the test sets."""

import pytest

from landform.storage import SearchBusy, TooExpensive, query_budget
from landform.storage.query_budget import LONG, SHARE, SHARE_BEHIND_LONG, Budget, LongQueryLock


class Clocks:
    """The time, and the time that this thread has worked."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = self.worked = 100.0
        patch.setattr(query_budget, "perf_counter", lambda: self.now)
        patch.setattr(query_budget, "thread_time", lambda: self.worked)

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


def test_a_list_that_works_longer_than_its_share_takes_the_lock(clocks: Clocks) -> None:
    lock = LongQueryLock()
    one, other = Budget(1.0, lock), Budget(1.0, lock)
    clocks.work(SHARE * 0.9)
    assert not one.is_spent()
    assert not lock._lock.locked()
    clocks.work(SHARE * 0.2)
    assert not one.is_spent()
    assert lock._lock.locked()
    assert other.is_spent()
    assert other.refusal is SearchBusy


def test_waiting_for_a_processor_is_no_work(clocks: Clocks) -> None:
    lock = LongQueryLock()
    Budget(1.0, lock).acquire_lock()
    other = Budget(1.0, lock)
    clocks.now += 0.9
    lock._since = clocks.now
    assert not other.is_spent()
    clocks.worked += SHARE * 1.5
    assert other.is_spent()


def test_behind_a_list_that_takes_long_the_others_get_less(clocks: Clocks) -> None:
    lock = LongQueryLock()
    Budget(1.0, lock).acquire_lock()
    clocks.work(LONG * 1.1)
    other = Budget(1.0, lock)
    clocks.work(SHARE_BEHIND_LONG * 1.1)
    assert other.is_spent()
    assert other.refusal is SearchBusy


def test_beyond_its_deadline_a_list_with_the_lock_is_given_up_too(clocks: Clocks) -> None:
    budget = Budget(0.5, LongQueryLock())
    assert budget.acquire_lock()
    clocks.work(0.4)
    assert not budget.is_spent()
    assert budget.left() == pytest.approx(0.1)
    clocks.work(0.2)
    assert budget.is_spent()
    assert budget.refusal is TooExpensive


def test_while_nothing_can_be_spent_only_the_clock_is_looked_at(
    clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = Budget(1.0, LongQueryLock())
    monkeypatch.setattr(query_budget, "thread_time", lambda: 1 / 0)
    clocks.now += SHARE_BEHIND_LONG * 0.9
    assert not budget.is_spent()


def test_the_lock_is_released_once(clocks: Clocks) -> None:
    lock = LongQueryLock()
    first = Budget(1.0, lock)
    assert first.acquire_lock()
    first.close()
    second = Budget(1.0, lock)
    assert second.acquire_lock()
    first.close()
    assert not Budget(1.0, lock).acquire_lock()
