"""What only a real server shows: many workers writing at once, and reading what others wrote."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Server

pytestmark = pytest.mark.servers

FEED = {"form_id": 1, "addon_slug": "gravityformszapier", "meta": {"feedName": "F"}}


def test_workers_that_write_at_once_lose_nothing(start_server: Callable[..., Server]) -> None:
    server = start_server("--preload", LANDFORM_WORKERS="4")
    feeds = [server.call("POST", "/feeds", FEED)[1]["id"] for _ in range(4)]

    def update(writer: int) -> set[int]:
        bodies = [{"meta": {f"{writer}-{turn}": [writer, turn]}} for turn in range(10)]
        return {server.call("PATCH", f"/feeds/{one}", b)[0] for b in bodies for one in feeds}

    with ThreadPoolExecutor(16) as pool:
        updating = [pool.submit(update, writer) for writer in range(8)]
        created = list(
            pool.map(lambda _: server.call("POST", "/pages", {"title": "Same"}), range(200))
        )
    assert {status for status, _ in created} == {201}
    assert len({page["slug"] for _, page in created}) == 200
    assert len({page["id"] for _, page in created}) == 200
    assert all(job.result() == {200} for job in updating)
    for feed in feeds:
        meta = server.call("GET", f"/feeds/{feed}")[1]["meta"]
        assert len(meta) == 1 + 8 * 10
        assert all(meta[f"{w}-{t}"] == [w, t] for w in range(8) for t in range(10))


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
