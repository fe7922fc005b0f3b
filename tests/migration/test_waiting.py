"""A site that wants to be left alone is not asked again at once, whatever time it names."""

from typing import Any

import pytest
from moving_in import stand_in
from test_other_sites import own, small

from landform.standalone.wordpress import waiting
from landform.standalone.wordpress.client import Client
from landform.standalone.wordpress.errors import NoAnswer


@pytest.mark.parametrize("when", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_site_that_asks_for_no_time_is_given_some(
    own: Any, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(
        own.RequestHandlerClass, "broken", lambda *_: (503, {"Retry-After": when}, "")
    )
    waits: list[float] = []
    monkeypatch.setattr(waiting.Gate, "close", lambda _, seconds: waits.append(seconds))
    client = Client(own.url, "admin", "secret", requests=1, timeout=5, agent="test")
    with pytest.raises(NoAnswer, match="goes on answering 503"):
        client.get(own.url)
    client.close()
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (waiting.SHORTEST, waiting.LONGEST_PAUSE)
