"""The checks themselves: what is lost, half there, there twice or unsound is told."""

from collections.abc import Callable

import pytest
from conftest import Server
from consistency import check
from databases import run_sql
from writers import Client, Thing, problems, send, unfound

SPOILS = [
    "DELETE FROM page WHERE slug = 'lost'",
    "UPDATE page SET content_raw = 'x' WHERE slug = 'content'",
    "UPDATE page SET meta = '{}' WHERE slug = 'meta'",
    "DELETE FROM page_text WHERE title > 'title qunfound' AND title < 'title qunfounz'",
]
TOLD = ["lost", "half there", "half there", "twice", "not found"]


def test_the_checks_tell_what_is_not_as_it_was_acknowledged(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(LANDFORM_WORKERS="1")
    names = ("lost", "content", "meta", "unfound", "twice", "whole")
    things = [Thing("pages", name, allowed={1}) for name in names]
    with Client(server) as client:
        for thing in things:
            thing.number = send(client, thing, 1)[1]["id"]
        assert problems(client, things) + unfound(client, things) == []
        check(server.database)
        send(client, Thing("pages", "twice"), 1)
        for spoil in SPOILS:
            run_sql(server.database, spoil)
        told = problems(client, things) + unfound(client, [things[3]])
    assert [line.split(":")[0] for line in told] == TOLD
    with pytest.raises(AssertionError):
        check(server.database)
