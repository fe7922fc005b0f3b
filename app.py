"""The standalone application: settings, log, and the service at the root of a Flask of its own."""

import logging
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from flask import Flask, Response, current_app, request
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix

from landform.service import (
    CACHE_BYTES,
    FAILED_ATTEMPTS_PER_MINUTE,
    MAX_BODY_BYTES,
    POSTGRES_TIMEOUT,
    SEARCH_TIMEOUT,
    Limits,
    create_blueprint,
)
from landform.service.context import ServiceContext
from landform.service.errors import from_exception
from landform.service.http.headers import set_headers
from landform.service.http.json_codec import DEEPEST
from landform.service.http.response_cache import cache_middleware
from landform.service.http.routing import wrap_envelope
from landform.standalone.observing import access_log, add_probes, log_slow_queries, observe_requests
from landform.storage.engines.sqlite.pool import SYNCHRONOUS
from landform.storage.query_budget import LEAST, MOST

PREFIX = "LANDFORM_"


class SettingError(ValueError):
    """A setting that cannot be meant. The text names it, and never shows its value."""


class Setting(NamedTuple):
    """A setting: its default, and how its text is read."""

    default: Any
    read: Callable[[str], Any]


def read_settings(given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return every setting: those given by name, or else those of `LANDFORM_*` variables.

    Raises `SettingError` for a value that cannot be read and, among those given, for an
    unknown name.
    """
    prefix = PREFIX if given is None else ""
    source: Mapping[str, Any] = os.environ if given is None else given
    unknown = sorted(set(given or ()) - set(SETTINGS) - set(Flask.default_config))
    if unknown:
        raise SettingError(f"{unknown[0]} is no setting of landform.")
    values = {}
    for name, setting in SETTINGS.items():
        value = source.get(prefix + name, setting.default)
        try:
            values[name] = setting.read(value) if isinstance(value, str) else value
        except (ValueError, KeyError, OSError) as error:
            hint = f" ({error})" if isinstance(error, SettingError) else ""
            raise SettingError(f"{prefix}{name} has a value that cannot be used{hint}.") from None
    return values


def create_app(settings: Mapping[str, Any] | None = None) -> Flask:
    """Return the standalone application, its database brought up to date.

    `settings` maps the names of the settings, without prefix, to values, and may hold Flask's
    own; without it the environment is read. Raises `SettingError` and
    `storage.DatabaseUnusable`.
    """
    values = read_settings(settings)
    # An import name that is a module: there is no package __init__ for Flask to find.
    app = Flask(__name__, static_folder=None)
    app.config.update({k: v for k, v in (settings or {}).items() if k not in SETTINGS})
    app.url_map.merge_slashes = False
    logging.getLogger("landform").setLevel(values["LOG_LEVEL"])
    blueprint = create_blueprint(
        values["DATABASE_URL"],
        credentials=values["CREDENTIALS"],
        timezone=values["TIMEZONE"],
        public_url=values["PUBLIC_URL"],
        max_body_bytes=values["MAX_BODY_BYTES"],
        failed_attempts_per_minute=values["FAILED_ATTEMPTS_PER_MINUTE"],
        require_if_match=values["REQUIRE_IF_MATCH"],
        cors_origins=values["CORS_ORIGINS"],
        limits=Limits(**{name: values[f"MAX_{name.upper()}"] for name in BOUNDS}),
        sqlite_synchronous=values["SQLITE_SYNCHRONOUS"],
        sqlite_busy_timeout=values["SQLITE_BUSY_TIMEOUT"],
        postgres_timeout=values["POSTGRES_TIMEOUT"],
        create_database=values["CREATE_DATABASE"],
        store_identity=values["STORE_IDENTITY"],
        search_timeout=values["SEARCH_TIMEOUT"],
        cache_bytes=values["CACHE_BYTES"],
        peer_paths=True,
        # A proxy speaks for others, and not each says so.
        local_mode=not values["TRUSTED_PROXIES"],
    )
    app.register_blueprint(blueprint)
    blueprint.service.store.hold()
    app.register_error_handler(Exception, _answering(values["CORS_ORIGINS"]))
    _serve_with(app, blueprint.service, values)
    return app


def _serve_with(app: Flask, service: ServiceContext, values: Mapping[str, Any]) -> None:
    """Put around the application what the settings ask for, the outermost last."""
    add_probes(app, service.store)
    observers = []
    if values["METRICS"]:
        # Needs landform[metrics].
        from landform.standalone.metrics import add_metrics  # noqa: PLC0415

        observers.append(add_metrics(app, service))
    if values["ACCESS_LOG"] != "OFF":
        observers.append(access_log(values["ACCESS_LOG"]))
    if values["SLOW_QUERY_MS"]:
        log_slow_queries(service.store, values["SLOW_QUERY_MS"])
    serve = cache_middleware(service.cache, app.wsgi_app)
    app.wsgi_app = observe_requests(serve, observers) if observers else serve  # type: ignore[assignment, method-assign]
    if n := values["TRUSTED_PROXIES"]:
        proxied = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n, x_prefix=n)
        app.wsgi_app = proxied  # type: ignore[method-assign]


def _answering(origins: Collection[str]) -> Callable[[Exception], Response]:
    """Return what answers whatever no route of the service caught, in the service's shape."""

    def answer(error: Exception) -> Response:
        if isinstance(error, MethodNotAllowed):
            adapter = current_app.create_url_adapter(request)
            endpoint, path = adapter.match(method="GET")  # type: ignore[union-attr]
            if "." in endpoint:
                # A method that no rule of the blueprint names; the view knows what to say.
                return current_app.view_functions[endpoint](**path)  # type: ignore[return-value]
        asked = request_ctx.request
        return wrap_envelope(asked, set_headers(asked, from_exception(error).response(), origins))

    return answer


def _credentials(text: str) -> dict[str, str]:
    pairs = [pair.partition(":") for pair in text.split(",")] if text.strip() else []
    if any(not name.strip() or not secret.strip() for name, _, secret in pairs):
        raise SettingError("it must look like name:secret, several separated by commas")
    found = {name.strip(): secret.strip() for name, _, secret in pairs}
    if len(found) < len(pairs):
        raise SettingError("a name stands in it twice")
    return found


def _timezone(text: str) -> str:
    return ZoneInfo(text).key


def _url(text: str) -> str | None:
    if text and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).netloc):
        raise SettingError("it must be an absolute http or https URL")
    return text or None


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    if not all(re.fullmatch(r"https?://[^/\s*]+", origin) for origin in origins):
        raise SettingError("it must be origins such as https://example.com, separated by commas")
    return origins


def _flag(text: str) -> bool:
    if text not in ("0", "1", ""):
        raise SettingError("it must be 0 or 1")
    return text == "1"


def _positive(text: str) -> int:
    if int(text) < 1:
        raise SettingError("it must be at least 1")
    return int(text)


def _count(text: str) -> int:
    if int(text) < 0:
        raise SettingError("it must be a whole number from 0")
    return int(text)


def _seconds(text: str) -> float:
    if not 0 <= float(text) <= 3600:
        raise SettingError("it must be from 0 to 3600 seconds")
    return float(text)


def _patience(text: str) -> float:
    if not _seconds(text) > 0:
        raise SettingError("it must be more than 0 seconds")
    return float(text)


def _identity(text: str) -> str | None:
    if text and not re.fullmatch("[0-9a-f]{32}", text):
        raise SettingError("it must be the 32 digits that `landform migrate --identity` prints")
    return text or None


def _budget(text: str) -> float:
    if not LEAST <= float(text) <= MOST:
        raise SettingError(f"it must be from {LEAST} to {MOST} seconds")
    return float(text)


def _depth(text: str) -> int:
    if _positive(text) > DEEPEST:
        raise SettingError(f"it must be at most {DEEPEST}")
    return int(text)


def _choice(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.upper() not in choices:
            raise SettingError(f"it must be one of {', '.join(choices)}")
        return text.upper()

    return read


BOUNDS = {bound.name: bound.default for bound in fields(Limits)}
SETTINGS = {
    "DATABASE_URL": Setting("sqlite:///landform.db", str),
    "CREDENTIALS": Setting("", _credentials),
    "TIMEZONE": Setting("UTC", _timezone),
    "PUBLIC_URL": Setting("", _url),
    "MAX_BODY_BYTES": Setting(MAX_BODY_BYTES, _positive),
    "FAILED_ATTEMPTS_PER_MINUTE": Setting(FAILED_ATTEMPTS_PER_MINUTE, _positive),
    "TRUSTED_PROXIES": Setting(0, _count),
    "REQUIRE_IF_MATCH": Setting(False, _flag),
    "CORS_ORIGINS": Setting("", _origins),
    "SQLITE_SYNCHRONOUS": Setting("FULL", _choice(*SYNCHRONOUS)),
    "SQLITE_BUSY_TIMEOUT": Setting(10.0, _seconds),
    "POSTGRES_TIMEOUT": Setting(POSTGRES_TIMEOUT, _patience),
    "CREATE_DATABASE": Setting(True, _flag),
    "STORE_IDENTITY": Setting("", _identity),
    "SEARCH_TIMEOUT": Setting(SEARCH_TIMEOUT, _budget),
    "CACHE_BYTES": Setting(CACHE_BYTES, _count),
    **{f"MAX_{name.upper()}": Setting(bound, _positive) for name, bound in BOUNDS.items()},
    "MAX_JSON_DEPTH": Setting(BOUNDS["json_depth"], _depth),
    "ACCESS_LOG": Setting("OFF", _choice("OFF", "AUTO", "JSON", "PLAIN")),
    "SLOW_QUERY_MS": Setting(0, _count),
    "METRICS": Setting(False, _flag),
    "LOG_LEVEL": Setting("INFO", _choice("DEBUG", "INFO", "WARNING", "ERROR")),
}
