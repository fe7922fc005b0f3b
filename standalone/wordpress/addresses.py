"""URLs as people and sites write them: made into such as can be asked, or told from none."""

from urllib.parse import quote, urljoin, urlsplit

SAFE = "/:?#[]@!$&'()*+,;=%~-._"
NO_URL = "{url} is no address of a site: it has to look like https://shop.example."


def ascii_url(url: str) -> str:
    """Return a URL as it is sent, its host in IDNA; `ValueError` where it is none of HTTP."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(NO_URL.format(url=url))
    if not host.isascii():
        user, at, _ = parts.netloc.rpartition("@")
        place = host.encode("idna").decode() + (f":{port}" if port else "")
        url = parts._replace(netloc=f"{user}{at}{place}").geturl()
    return quote(url, safe=SAFE)


def joined(base: str, reference: str) -> str:
    """Return the URL that a reference in a response means; `ValueError` where it is none."""
    return ascii_url(urljoin(base, reference))


def utf8(header: str) -> str:
    """Return a header whose bytes are UTF-8, which HTTP libraries read as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def place(url: str) -> str:
    """Return a URL without its query, but for the route of REST that may be in it."""
    bare, _, query = url.partition("?")
    route = [pair for pair in query.split("&") if pair.startswith("rest_route=")]
    return f"{bare}?{route[0]}" if route else bare
