"""Finds out what the credentials are good for, and says in a sentence what is wrong with them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from landform.standalone.wordpress.client import Client
from landform.standalone.wordpress.discovery import TURNED_OFF, find_root
from landform.standalone.wordpress.errors import CannotBegin, NoAnswer
from landform.standalone.wordpress.site import Site

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


def open_site(client: Client, pool: ThreadPoolExecutor, wanted: frozenset[str]) -> Site:
    """Return the site, with what the user may do; `CannotBegin` says what is wrong.

    `wanted`: `page`, `feed`, or both. Feeds alone need no more than Gravity Forms' own routes.
    """
    site = Site(client, find_root(client), pool)
    try:
        index, headers = site.get("/")
        site.moment = _moment(headers.get("Date"))
        if not isinstance(index, dict):
            raise NoAnswer(f"{site.root} is no index of WordPress's REST API.")
        site.index = index
        _identify(site)
    except NoAnswer as refused:
        reason = _reason(site, refused)
        if wanted != {"feed"} or not refused.code:
            raise CannotBegin(reason) from refused
        site.warnings.append(reason)
    if client.url.startswith("http://") and not _is_loopback(client.url):
        site.warnings.append("The credentials were sent over http, which anybody on the way reads.")
    return site


def _moment(header: str | None) -> str:
    """Return the time of a response, and a little before; that of this machine if it has none."""
    try:
        found = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        found = datetime.now(UTC) - timedelta(minutes=5)
    return (found - timedelta(seconds=2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _identify(site: Site) -> None:
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


def _is_loopback(url: str) -> bool:
    return any(url.startswith(f"http://{host}") for host in ("127.", "localhost", "[::1]"))
