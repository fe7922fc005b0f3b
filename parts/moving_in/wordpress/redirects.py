"""The redirects that a proxy needs: from addresses of a site that lead nowhere here."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from landform.parts.moving_in import origins
from landform.service.page_urls import LINKED, Urls
from landform.storage import Store

# Others would be formulas of a spreadsheet, or scripts.
HTTP_ADDRESS = re.compile(r"https?://[^\x00-\x20\x7f-\x9f]+")


def redirects(store: Store, source: str, urls: Urls) -> Iterator[tuple[str, str]]:
    """Yield the old and the new link of each public page that came from a site.

    Once the site's domain leads here, no old address is one of a page here, none is there twice,
    and none is the home page: a redirect from those would lead in circles, or everybody away.
    """
    host = f"https://{source.partition('/')[0]}"
    taken = {_key(f"https://{source}", host), _key("/", host)}
    taken.update(_key(urls.page_link(row), host) for row in origins.linked_pages(store, LINKED))
    for link, row in origins.imported_pages(store, source, LINKED):
        new = urls.page_link(row)
        # By its id a page is found here, too.
        by_id = _key(f"{urls.public}/?page_id={row['id']}", host)
        old = _key(link, host) if HTTP_ADDRESS.fullmatch(link) else by_id
        if old not in taken and old != by_id:
            taken.add(old)
            yield link, new


def _key(url: str, host: str) -> str:
    """Return what is the same for URLs that a server answers alike: however they are spelled."""
    try:
        parts = urlsplit(urljoin(host, url))
    except ValueError:
        return url
    place = parts.netloc.lower().removeprefix("www.") + unquote(parts.path).rstrip("/")
    return f"{place}?{parts.query}" if parts.query else place
