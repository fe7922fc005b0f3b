"""Entry points for hosts and scripts: `create_blueprint` and `open_api`.

The arguments are the fields of `Options`, which checks them; docs/settings.md describes each.
"""

from collections.abc import Collection, Mapping

from landform.parts.part import Part
from landform.service.auth.credentials import Authorizer, Identity
from landform.service.blueprint import Landform, make_blueprint, make_service
from landform.service.options import SITE_POLICY, Options
from landform.service.python.api import HOST, Api


def create_blueprint(
    database_url: str,
    *,
    name: str = "landform",
    authorizer: Authorizer | None = None,
    wp_json_paths: bool = False,
    root_page: bool = False,
    site: bool = False,
    local_mode: bool = True,
    credentials: Mapping[str, str] | None = None,
    timezone: str = "UTC",
    public_url: str | None = None,
    site_title: str = "landform",
    site_description: str = "",
    site_language: str = "en",
    site_max_age: int = 60,
    site_policy: str = SITE_POLICY,
    site_image: str | None = None,
    site_accent: str = "#0b57d0",
    site_logo: str | None = None,
    site_footer: str = "",
    site_soon: bool = False,
    home_page: str | None = None,
    templates: str | None = None,
    max_body_bytes: int = 4 << 20,
    max_response_bytes: int = 32 << 20,
    failed_attempts_per_minute: int = 60,
    require_if_match: bool = False,
    strict: bool = False,
    cors_origins: Collection[str] = (),
    cors_headers: Collection[str] = (),
    search_timeout: float = 1.0,
    cache_bytes: int = 10 << 20,
    parts: Collection[Part] | None = None,
    event_days: int = 30,
    sqlite_synchronous: str = "FULL",
    busy_timeout: float = 10.0,
    postgres_statement_timeout: float = 15.0,
    group_access: bool = False,
    create_database: bool = True,
    store_identity: str | None = None,
) -> Landform:
    """Return a blueprint that serves the pages and feeds of one database, brought up to date.

    Raises `storage.DatabaseUnusable` where the database cannot be opened, and `ValueError`, with
    the name of the option, for a value that it cannot have.
    """
    return make_blueprint(Options(**locals()))


def open_api(
    database_url: str,
    *,
    name: str = "landform",
    authorizer: Authorizer | None = None,
    wp_json_paths: bool = False,
    root_page: bool = False,
    site: bool = False,
    local_mode: bool = True,
    credentials: Mapping[str, str] | None = None,
    timezone: str = "UTC",
    public_url: str | None = None,
    site_title: str = "landform",
    site_description: str = "",
    site_language: str = "en",
    site_max_age: int = 60,
    site_policy: str = SITE_POLICY,
    site_image: str | None = None,
    site_accent: str = "#0b57d0",
    site_logo: str | None = None,
    site_footer: str = "",
    site_soon: bool = False,
    home_page: str | None = None,
    templates: str | None = None,
    max_body_bytes: int = 4 << 20,
    max_response_bytes: int = 32 << 20,
    failed_attempts_per_minute: int = 60,
    require_if_match: bool = False,
    strict: bool = False,
    cors_origins: Collection[str] = (),
    cors_headers: Collection[str] = (),
    search_timeout: float = 1.0,
    cache_bytes: int = 10 << 20,
    parts: Collection[Part] | None = None,
    event_days: int = 30,
    sqlite_synchronous: str = "FULL",
    busy_timeout: float = 10.0,
    postgres_statement_timeout: float = 15.0,
    group_access: bool = False,
    create_database: bool = True,
    store_identity: str | None = None,
) -> Api:
    """Return the Python API of one database, brought up to date; close it, or use it in `with`.

    The arguments, and what it raises, are those of `create_blueprint`.
    """
    return Api(make_service(Options(**locals())), lambda: None, Identity(HOST))
