"""How long a list may take, on a clock that the test sets."""

from threading import Lock

import pytest

from landform.storage import query_budget
from landform.storage.query_budget import SHARE, Deadline


class Clock:
    """The time."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        patch.setattr(query_budget, "perf_counter", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_only_one_list_at_a_time_goes_beyond_its_share(clock: Clock) -> None:
    permit = Lock()
    one, other = Deadline(1.0, permit), Deadline(1.0, permit)
    clock.now += SHARE * 0.9
    assert not one.is_over()
    assert not other.is_over()
    assert not permit.locked()
    clock.now += SHARE * 0.2
    assert not one.is_over()
    assert other.is_over()
    assert (one.is_refused, other.is_refused) == (False, True)
    one.close()
    assert not Deadline(1.0, permit).is_over()


def test_beyond_its_deadline_a_list_with_the_permit_is_given_up_too(clock: Clock) -> None:
    deadline = Deadline(0.5, Lock())
    assert deadline.extend()
    clock.now += 0.4
    assert not deadline.is_over()
    assert deadline.left() == pytest.approx(0.1)
    clock.now += 0.2
    assert deadline.is_over()


def test_the_permit_is_released_once(clock: Clock) -> None:
    permit = Lock()
    first, second = Deadline(1.0, permit), Deadline(1.0, permit)
    assert first.extend()
    first.close()
    assert second.extend()
    first.close()
    assert not Deadline(1.0, permit).extend()
