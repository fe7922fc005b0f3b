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

from landform.standalone.wordpress.client import CannotBegin, Client, NoAnswer, Response
from landform.standalone.wordpress.site import Site, read_json
from landform.standalone.wordpress.values import ascii_url, utf8

RELATION = "https://api.w.org/"
ELEMENT = re.compile(r"<link\b", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(rel|href)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
TURNED_OFF = (
    "A plugin or the server has turned the REST API off. Switch it on for the user of the import "
    "as long as that takes."
)
NEEDED = (
    "edit_pages", "edit_others_pages", "edit_published_pages", "edit_private_pages",
    "read_private_pages",
)  # fmt: skip
EDITOR = (
    "The role Editor has these rights; pages that only administrators may edit, such as that of "
    "the privacy policy, stay hidden from it."
)
STRIPPED = (
    "The credentials do not reach WordPress: something on the way removes the header "
    'Authorization. With Apache, `SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1` or '
    "`CGIPassAuth On` lets it through."
)
NOT_LOOKED_AT = (
    "WordPress does not look at the credentials: application passwords are not available there. "
    "They need https, and no plugin that switches them off."
)
WRONG = (
    "The user name or the application password is wrong ({code}). Make one in WordPress at Users, "
    "Profile, Application Passwords; the password of the login does not work."
)
WRONG_OR_STRIPPED = (
    "WordPress does not recognize the user: the name or the application password is wrong, or "
    "something on the way removes the header Authorization."
)


@contextmanager
def opened(client: Client, wanted: frozenset[str]) -> Iterator[Site]:
    """Yield the site, with what the user may do; `CannotBegin` says what is wrong.

    `wanted`: `page`, `feed`, or both. Feeds alone need no more than Gravity Forms' own routes.
    """
    pool = ThreadPoolExecutor(client.at_once)
    try:
        site = Site(client, find_root(client), pool)
        try:
            _identify(site)
        except NoAnswer as refused:
            reason = _reason(site, refused)
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


def _identify(site: Site) -> None:
    """Ask what the site says of itself, and of the user."""
    index, headers = site.get("/", site.client.largest)
    site.moment = _moment(headers.get("Date"))
    if not isinstance(index, dict):
        raise NoAnswer(f"{site.root} is no index of WordPress's REST API.")
    site.index = index
    me = site.get("/wp/v2/users/me", context="edit", _fields="id,name,capabilities").body
    capabilities = me.get("capabilities", {}) if isinstance(me, dict) else {}
    if isinstance(capabilities, dict):
        site.capabilities = frozenset(name for name, has in capabilities.items() if has)


def _reason(site: Site, refused: NoAnswer) -> str:
    """Return what is wrong with access, and what to do."""
    if refused.code == "rest_not_logged_in":
        if site.index.get("authentication") in ([], {}):
            return NOT_LOOKED_AT
        return STRIPPED if site.has_forms else WRONG_OR_STRIPPED
    if refused.code in ("incorrect_password", "invalid_username", "invalid_email"):
        return WRONG.format(code=refused.code)
    if refused.code == "rest_login_required":
        return f"{WRONG_OR_STRIPPED} A plugin keeps the REST API from everybody else."
    if refused.code == "rest_disabled" or (refused.status in (401, 403) and refused.code):
        return f"{refused} {TURNED_OFF}"
    return str(refused)


def missing_rights(site: Site) -> str:
    """Return a sentence on the rights that the user lacks to read every page, if any."""
    lacking = [name for name in NEEDED if name not in site.capabilities]
    if not lacking or not site.capabilities:
        return ""
    return f"{site.client.user} lacks the rights {', '.join(lacking)}. {EDITOR}"


def find_root(client: Client) -> str:
    """Return the URL of the REST API; `CannotBegin` says why there is none.

    The home page names it, in a header or an element; where it does not, the usual places follow.
    """
    try:
        home = client.get(client.url, signed=False, most=client.largest)
    except NoAnswer as refused:
        raise CannotBegin(str(refused)) from refused
    client.refuse_foreign(home.url)
    with suppress(ValueError):
        if named := _named(home):
            root = ascii_url(urljoin(home.url, named))
            # A site behind a proxy that ends TLS may take itself for one without it.
            is_secure = urlsplit(client.url).scheme == "https"
            return root.replace("http://", "https://", 1) if is_secure else root
    for root in _usual(home.url):
        try:
            body = read_json(client.get(root, signed=False, most=client.largest))
        except NoAnswer as refused:
            if refused.code:
                return root
            continue
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


def _named(home: Response) -> str:
    """Return the reference to the REST API in the headers or the elements of a page, if any."""
    for header in home.headers.get_all("Link", ()):
        for part in utf8(header).split("<")[1:]:
            url, _, rest = part.partition(">")
            if f"rel={RELATION}" in rest.replace('"', ""):
                return url
    for element in ELEMENT.split(home.body.decode("utf-8", "replace"))[1:]:
        found = ATTRIBUTE.findall(element.partition(">")[0])
        attributes = {name.lower(): value for name, value in found}
        if attributes.get("rel") == RELATION and attributes.get("href"):
            return str(attributes["href"])
    return ""


def _usual(url: str) -> Iterator[str]:
    base = url.partition("?")[0].rstrip("/")
    if "/wp-json" in base or "rest_route=" in url:
        yield url
    yield f"{base}/wp-json/"
    yield f"{base}/?rest_route=/"
