"""A PgBouncer in front of PostgreSQL, which may give each transaction another connection."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Start, free_port, needs
from databases import Postgres
from files import command

CONFIG = """
[databases]
* = host=127.0.0.1 port={server} user=landform
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
{user}
"""
# A session keeps its connection: one for each thread of both workers, and more.
SIZES = {"session": 20, "transaction": 2}


@needs("pgbouncer")
@pytest.mark.parametrize("mode", SIZES)
def test_many_workers_read_and_write_through_a_pgbouncer(
    mode: str,
    postgres: Postgres,
    run: Callable[..., None],
    start_server: Start,
    tmp_path: Path,
) -> None:
    port, file = free_port(), tmp_path / "pgbouncer.ini"
    # It does not run as root.
    user = "user = nobody" if os.getuid() == 0 else ""
    values = {"server": postgres.port, "port": port, "mode": mode, "size": SIZES[mode]}
    file.write_text(CONFIG.format(**values, user=user))
    run(port, "pgbouncer", file)
    url = postgres.create().replace(f":{postgres.port}/", f":{port}/")
    server = start_server(LANDFORM_DATABASE_URL=url, LANDFORM_CACHE_BYTES="0", LANDFORM_DELIVER="0")

    def use(number: int) -> list[int]:
        title = f"Page {number}"
        created, page = server.call("POST", "/pages", {"title": title})
        path = f"/pages/{page['id']}"
        return [
            created,
            *(server.call("PUT", path, {"content": str(turn)})[0] for turn in range(7)),
            *(server.call("GET", f"{path}?context=edit")[0] for _ in range(7)),
            *(server.call("GET", f"/pages?search={number}&page=1")[0] for _ in range(7)),
        ]

    with ThreadPoolExecutor(8) as pool:
        statuses = [*pool.map(use, range(30))]
    assert statuses == [[201, *[200] * 21]] * 30
    server.stop()
    for arguments in (["verify"], ["export", tmp_path / "all.ndjson"], ["vacuum"]):
        result = command(url, *arguments)
        assert result.exit_code == 0, result.output
    assert len((tmp_path / "all.ndjson").read_text().splitlines()) == 30
