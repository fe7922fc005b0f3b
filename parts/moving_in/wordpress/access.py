"""Finds the REST API of a site, and what the credentials are good for there.

What is wrong with either is said in a sentence.
"""

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
NAMED = re.compile(r'<([^<>]*)>[^<]*\brel="?https://api\.w\.org/')
TURNED_OFF = (
    "A plugin or the server has turned the REST API off. Switch it on for the user of the import "
    "as long as that takes."
)
UNRECOGNIZED = (
    "WordPress does not recognize the user ({code}). The name or the application password may be "
    "wrong: make one at Users, Profile, Application Passwords; that of the login does not work. Or "
    "something on the way removes the header Authorization. Or application passwords are not "
    "available there: they need https, and no plugin that switches them off."
)
CODES = (
    "rest_not_logged_in", "incorrect_password", "invalid_username", "invalid_email",
    "rest_login_required",
)  # fmt: skip


@contextmanager
def opened(client: Client, wanted: frozenset[str]) -> Iterator[Site]:
    """Yield the site; `CannotBegin` says what is wrong.

    `wanted`: `page`, `feed`, or both. Feeds alone need no more than Gravity Forms' own routes.
    """
    pool = ThreadPoolExecutor(client.at_once)
    try:
        site = Site(client, find_root(client), pool)
        try:
            index, headers = site.get("/", client.largest)
            site.moment = _moment(headers.get("Date"))
            if not isinstance(index, dict):
                raise NoAnswer(f"{site.root} is no index of WordPress's REST API.")
            site.index = index
            # It is refused where WordPress does not recognize the user.
            site.get("/wp/v2/users/me", context="edit", _fields="id,name")
        except NoAnswer as refused:
            reason = _reason(refused)
            if wanted != {"feed"} or not refused.code:
                raise CannotBegin(reason) from refused
            site.warnings.append(reason)
        parts = urlsplit(client.url)
        is_here = (parts.hostname or "").startswith(("127.", "localhost", "::1"))
        if parts.scheme == "http" and not is_here:
            told = "The credentials were sent over http, which anybody on the way reads."
            site.warnings.append(told)
        yield site
    finally:
        client.close()
        pool.shutdown(cancel_futures=True)


def _moment(header: str | None) -> str:
    """Return the time of a response, and a little before; that of this machine if it has none."""
    try:
        found = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        found = datetime.now(UTC) - timedelta(minutes=5)
    return (found - timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _reason(refused: NoAnswer) -> str:
    """Return what is wrong with access, and what to do."""
    if refused.code in CODES:
        return UNRECOGNIZED.format(code=refused.code)
    is_off = refused.code == "rest_disabled" or (refused.status in (401, 403) and refused.code)
    return f"{refused} {TURNED_OFF}" if is_off else str(refused)


def find_root(client: Client) -> str:
    """Return the URL of the REST API; `CannotBegin` says why there is none.

    The home page names it in a header; where it does not, the usual places follow.
    """
    try:
        home = client.get(client.url, signed=False, most=client.largest)
    except NoAnswer as refused:
        raise CannotBegin(str(refused)) from refused
    client.refuse_foreign(home.url)
    with suppress(ValueError):
        if named := NAMED.search(utf8(", ".join(home.headers.get_all("Link", ())))):
            root = ascii_url(urljoin(home.url, named[1]))
            # A site behind a proxy that ends TLS may take itself for one without it.
            is_secure = urlsplit(client.url).scheme == "https"
            return root.replace("http://", "https://", 1) if is_secure else root
    base = home.url.partition("?")[0].rstrip("/")
    is_root = "/wp-json" in base or "rest_route=" in home.url
    usual = (f"{base}/wp-json/", f"{base}/?rest_route=/")
    for root in (home.url, *usual) if is_root else usual:
        with suppress(NoAnswer):
            body = read_json(client.get(root, signed=False, most=client.largest))
            if isinstance(body, dict) and ("namespaces" in body or "code" in body):
                return root
    said = ""
    try:
        read_json(home)
    except NoAnswer as refused:
        said = f"{refused} "
    raise CannotBegin(
        f"No WordPress REST API was found at {client.url}: its page names none, and /wp-json/ and "
        f"?rest_route=/ have none. {said}Give the address of the site's home page."
    )
