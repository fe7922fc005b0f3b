"""A site that wants to be left alone is not asked again at once, whatever time it names."""

from typing import Any

import pytest
from moving_in import stand_in
from test_other_sites import own, small

from landform.standalone.wordpress import client


@pytest.mark.parametrize("when", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_site_that_asks_for_no_time_is_given_some(
    own: Any, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(
        own.RequestHandlerClass, "broken", lambda *_: (503, {"Retry-After": when}, "")
    )
    waits: list[float] = []
    monkeypatch.setattr(client.Client, "_leave_alone", lambda _, seconds: waits.append(seconds))
    asking = client.Client(own.url, "admin", "secret", requests=1, timeout=5, agent="test")
    assert asking.get(own.url).status == 503
    asking.close()
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (client.SHORTEST, client.LONGEST_PAUSE)
