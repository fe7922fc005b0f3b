"""Addresses that are none, that lead nowhere, or that are written in letters beyond ASCII."""

from typing import Any

import pytest
from moving_in import move, site, stand_in, store

from landform.standalone.wordpress.values import ascii_url

pytestmark = pytest.mark.sqlite("where a site is has nothing to do with the engine")

NONE = "is no address of a site"
NOWHERE = {
    "http://[bad": NONE, "http://": NONE, "http:///x": NONE, "http://host:abc/": NONE,
    "http://127.0.0.1:99999/": NONE, "http://a..b/": "is no address of a server",
    "http://a b/": "http://a%20b/ cannot be found",
    "http://nosuch.invalid/": "cannot be found: there is no such host",
    "http://münchen.invalid/": "http://xn--mnchen-3ya.invalid/ cannot be found",
    "http://127.0.0.1:1/": "cannot be reached: no server answers there",
}  # fmt: skip


@pytest.mark.parametrize("url", NOWHERE)
def test_an_address_that_leads_nowhere_is_named_with_the_reason(move: Any, url: str) -> None:
    result = move.run("import-wordpress", url, "--user", "admin", "--timeout", "2")
    assert result.exit_code == 2, result.output
    assert NOWHERE[url] in " ".join(result.output.split())


URLS = {
    "https://Shop.example/a b?c=%20": "https://Shop.example/a%20b?c=%20",
    "https://münchen.example:8443/ä": "https://xn--mnchen-3ya.example:8443/%C3%A4",
}  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_a_host_is_sent_in_idna_and_a_path_in_percents(url: str) -> None:
    assert ascii_url(url) == URLS[url]


@pytest.mark.parametrize("location", ["http://[bad/", "ftp://x/", "http://x:y/"])
def test_a_redirect_to_no_address_is_named(
    site: Any, move: Any, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    def redirected(*_: object) -> Any:
        return 301, {"Location": location}, ""

    monkeypatch.setattr(site.RequestHandlerClass, "broken", redirected)
    result = move(site.url)
    assert result.exit_code == 2, result.output
    assert f"redirects to '{location}', which is no address of a site" in result.output
