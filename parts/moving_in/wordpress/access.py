"""Find the REST API of a site, and check the credentials."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from landform.parts.moving_in.wordpress.client import CannotBegin, Client, NoAnswer
from landform.parts.moving_in.wordpress.site import Site, read_json
from landform.parts.moving_in.wordpress.values import ascii_url, utf8

# The URL of the REST API in a header `Link`.
API_LINK = re.compile(r'<([^<>]*)>[^<]*\brel="?https://api\.w\.org/')
TURNED_OFF = (
    "A plugin or the server has turned the REST API off. Switch it on for the user of the import "
    "as long as that takes."
)
UNKNOWN_USER = (
    "WordPress does not recognize the user ({code}). The name or the application password may be "
    "wrong: make one at Users, Profile, Application Passwords; that of the login does not work. Or "
    "something on the way removes the header Authorization. Or application passwords are not "
    "available there: they need https, and no plugin that switches them off."
)
UNKNOWN_USER_CODES = (
    "rest_not_logged_in incorrect_password invalid_username invalid_email rest_login_required"
).split()
NO_API = (
    "No WordPress REST API was found at {url}: its page names none, and /wp-json/ and "
    "?rest_route=/ have none. {reason}Give the address of the site's home page."
)
UNENCRYPTED = "The credentials were sent over http, which anybody on the way reads."


@contextmanager
def open_site(client: Client, resources: frozenset[str]) -> Iterator[Site]:
    """Yield the site, or raise `CannotBegin`.

    For feeds alone the routes of Gravity Forms are enough.
    """
    pool = ThreadPoolExecutor(client.concurrency)
    try:
        site = Site(client, find_root(client), pool)
        try:
            index, headers = site.get("/", client.max_bytes)
            site.time = _response_time(headers.get("Date"))
            if not isinstance(index, dict):
                raise NoAnswer(f"{site.root} is no index of WordPress's REST API.")
            site.index = index
            # WordPress refuses this to unknown users.
            site.get("/wp/v2/users/me", context="edit", _fields="id,name")
        except NoAnswer as error:
            reason = _reason(error)
            if resources != {"feed"} or not error.code:
                raise CannotBegin(reason) from error
            site.warnings.append(reason)
        parts = urlsplit(client.url)
        is_local = (parts.hostname or "").startswith(("127.", "localhost", "::1"))
        if parts.scheme == "http" and not is_local:
            site.warnings.append(UNENCRYPTED)
        yield site
    finally:
        client.close()
        pool.shutdown(cancel_futures=True)


def _response_time(header: str | None) -> str:
    """Return the time of a response or, without one, of this machine, a little earlier."""
    try:
        date = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        date = datetime.now(UTC) - timedelta(minutes=5)
    return (date - timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _reason(error: NoAnswer) -> str:
    """Return the reason why access is refused, and advice."""
    if error.code in UNKNOWN_USER_CODES:
        return UNKNOWN_USER.format(code=error.code)
    is_off = error.code == "rest_disabled" or (error.status in (401, 403) and error.code)
    return f"{error} {TURNED_OFF}" if is_off else str(error)


def find_root(client: Client) -> str:
    """Return the URL of the REST API: from a header of the home page, or a usual one."""
    try:
        home = client.get(client.url, signed=False, max_bytes=client.max_bytes)
    except NoAnswer as error:
        raise CannotBegin(str(error)) from error
    client.check_host(home.url)
    with suppress(ValueError):
        if link := API_LINK.search(utf8(home.headers.get("Link", ""))):
            root = ascii_url(urljoin(home.url, link[1]))
            # A site behind a proxy may not know that its URL has https.
            is_https = urlsplit(client.url).scheme == "https"
            return root.replace("http://", "https://", 1) if is_https else root
    base = home.url.partition("?")[0].rstrip("/")
    is_root = "/wp-json" in base or "rest_route=" in home.url
    usual = (f"{base}/wp-json/", f"{base}/?rest_route=/")
    for root in (home.url, *usual) if is_root else usual:
        with suppress(NoAnswer):
            body = read_json(client.get(root, signed=False, max_bytes=client.max_bytes))
            if isinstance(body, dict) and ("namespaces" in body or "code" in body):
                return root
    reason = ""
    try:
        read_json(home)
    except NoAnswer as error:
        reason = f"{error} "
    raise CannotBegin(NO_API.format(url=client.url, reason=reason))
