"""Redirects for a proxy, from addresses of the site that no page here has."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from landform.parts.moving_in import origins
from landform.service.page_urls import LINKED, Urls
from landform.storage import Store

# Other links may be formulas of a spreadsheet, or scripts.
HTTP_URL = re.compile(r"https?://[^\x00-\x20\x7f-\x9f]+")


def redirects(store: Store, source: str, urls: Urls) -> Iterator[tuple[str, str]]:
    """Yield the old and the new link of each imported public page with another address.

    The site's domain leads here after the switch. So no old link is the home page, the address of a
    page here, or there twice: a redirect from it would be a loop, or hide a page.
    """
    host = f"https://{source.partition('/')[0]}"
    used = {_key(f"https://{source}", host), _key("/", host)}
    used.update(_key(urls.page_link(row), host) for row in origins.linked_pages(store, LINKED))
    for link, row in origins.imported_pages(store, source, LINKED):
        new = urls.page_link(row)
        # landform finds pages by their ids too.
        by_id = _key(f"{urls.public}/?page_id={row['id']}", host)
        old = _key(link, host) if HTTP_URL.fullmatch(link) else by_id
        if old not in used and old != by_id:
            used.add(old)
            yield link, new


def _key(url: str, host: str) -> str:
    """Return the same text for all spellings of a URL."""
    try:
        parts = urlsplit(urljoin(host, url))
    except ValueError:
        return url
    place = parts.netloc.lower().removeprefix("www.") + unquote(parts.path).rstrip("/")
    return f"{place}?{parts.query}" if parts.query else place
