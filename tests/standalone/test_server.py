"""What only a real server shows: many workers writing at once, and reading what others wrote."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Server

pytestmark = pytest.mark.servers


@pytest.mark.smoke
def test_a_write_through_one_worker_is_read_through_every_other(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="4")
    page = server.call("POST", "/pages", {"title": "First"})[1]["id"]
    for number in range(50):
        server.call("PUT", f"/pages/{page}", {"title": f"Title {number}"})
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: server.call("GET", f"/pages/{page}"), range(4)))
        assert {answer[1]["title"]["rendered"] for answer in answers} == {f"Title {number}"}
