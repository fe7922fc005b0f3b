"""The standalone application: the blueprint at the root of a Flask application."""

import logging
import re
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from platform import python_version
from typing import Any

from flask import Flask, Response, current_app, request
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix

from landform.service.auth.credentials import CredentialAuthorizer
from landform.service.blueprint import REST_ROUTE, Landform, make_blueprint
from landform.service.http.cache import (
    CACHE_LOOKUP,
    NO_LOOKUP,
    Environ,
    cache_middleware,
    cached_response,
)
from landform.service.http.headers import error_response, finish_response
from landform.service.http.views import from_exception
from landform.service.pipeline.json_codec import dumps
from landform.service.pipeline.loading import pairs
from landform.service.pipeline.operations import WP_JSON
from landform.service.pipeline.reply import Finished
from landform.service.resources import Parts, api_routes
from landform.standalone.logs import Report, access_log, around_requests, set_up_logging
from landform.standalone.settings import Settings, all_settings, read_settings
from landform.storage import StorageError, Store

HEALTH = "/healthz"
# The key of the function that tells the worker whether a request is answered without waiting.
AT_ONCE = "landform.at_once"
# That of the function for the most bytes of the body of a request that may have a file.
MOST_FILE_BYTES = "landform.most_file_bytes"
log = logging.getLogger("landform")


class Application(Flask):
    """The Flask application, which responds to OPTIONS as the blueprint does."""

    def make_default_options_response(self) -> Response:
        """Return the response for a URL outside of the blueprint, which has no arguments."""
        allowed = request_ctx.url_adapter.allowed_methods()  # type: ignore[union-attr]
        methods = sorted({*allowed} - {"HEAD", "OPTIONS"})
        endpoints = [{"methods": [method], "args": {}} for method in methods]
        body = {"namespace": "", "methods": methods, "endpoints": endpoints}
        headers = {"Allow": ", ".join(sorted(allowed))}
        return finish_response(request_ctx.request, Finished(dumps(body), 200, headers))


def create_app(settings: Mapping[str, object] | None = None) -> Flask:
    """Return the standalone application, with its database up to date.

    `settings` has settings by their names without prefix, and those of Flask. Without it they are
    read from the environment. Raises `SettingError` and `storage.DatabaseUnusable`.
    """
    app = Application(__name__, static_folder=None)
    mapping = None if settings is None else dict(settings)
    for name in (mapping or {}).keys() & Flask.default_config.keys() - all_settings().keys():
        app.config[name] = mapping.pop(name)  # type: ignore[union-attr]
    values = read_settings(mapping)
    app.url_map.merge_slashes = False
    set_up_logging(values)
    blueprint = make_blueprint(values)
    app.register_blueprint(blueprint)
    if not blueprint.service.store.database.on_server:
        # The file stays open, so that other processes see that it is served.
        blueprint.service.store.watched_versions()
    log.debug("landform %s on Python %s is ready.", version("landform"), python_version())
    app.register_error_handler(Exception, make_error_handler(values.cors_origins))
    _add_probes(app, blueprint.service.store)
    _wrap(app, blueprint, values)
    return app


def _wrap(app: Flask, blueprint: Landform, settings: Settings) -> None:
    """Add metrics, logs, the cache and trusted proxies around the application."""
    service, cache = blueprint.service, blueprint.cache
    reports = list[Report]()
    if settings.metrics:
        from landform.standalone.metrics import Metrics  # noqa: PLC0415 - needs an extra

        metrics = Metrics(service)
        app.add_url_rule("/metrics", "metrics", metrics.view)
        reports.append(metrics.count)
    if settings.access_log == "ON":
        reports.append(access_log(settings.log_format))
    assert isinstance(service.authorizer, CredentialAuthorizer)  # nosec B101
    identify = service.authorizer.cache_identity
    serve = cache_middleware(cache, identify, app.wsgi_app)
    serve = around_requests(serve, app.url_map, reports)

    def at_once(environ: Environ, _: object) -> bool:
        if environ["PATH_INFO"] == HEALTH:
            environ[CACHE_LOOKUP] = NO_LOOKUP
            return True
        # With a database server a look-up in the cache may wait.
        is_file = not service.store.database.on_server
        return is_file and cached_response(cache, identify, environ) is not None

    app.wsgi_app = _behind_proxies(serve, settings)  # type: ignore[method-assign]
    app.extensions[AT_ONCE] = _behind_proxies(at_once, settings)
    app.extensions[MOST_FILE_BYTES] = _file_limits(settings.part_types)


def _behind_proxies(application: Any, settings: Settings) -> Any:
    """Return the application with the headers of trusted proxies applied."""
    n = settings.trusted_proxies
    return ProxyFix(application, x_for=n, x_proto=n, x_host=n, x_prefix=n) if n else application


def _file_limits(parts: Parts) -> Callable[[Environ], int]:
    """Return the function for the most bytes of a body with a file; 0 where there is none."""
    limits = [
        (re.compile(f"{re.sub('<.*?>', '[^/]+', rule)}/?"), operation.most_bytes)
        for route in api_routes(parts, wordpress=True)
        for rule in route.rules
        for operation in route.operations.values()
        if operation.file
    ]

    def limit(environ: Environ) -> int:
        path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
        if path == "/" and REST_ROUTE in query:
            path = f"{WP_JSON}/{dict(pairs(query.encode())).get(REST_ROUTE, '').strip('/')}"
        return max((most for rule, most in limits if rule.fullmatch(path)), default=0)

    return limit


def _add_probes(app: Flask, store: Store) -> None:
    """Add `/healthz`, which needs no database, and `/readyz`, which checks the database."""

    def respond(reason: str = "") -> Response:
        body = {"status": "unavailable", "reason": reason} if reason else {"status": "ok"}
        headers = {"Cache-Control": "no-store"}
        finished = Finished(dumps(body), 503 if reason else 200, headers)
        return finish_response(request_ctx.request, finished)

    def readyz() -> Response:
        try:
            store.check()
            if not store.database.is_writable():
                return respond("The database cannot be written to.")
            return respond("" if store.has_room() else "The disk is full.")
        except StorageError:
            return respond("The database cannot be read, or is not one of this version.")

    app.add_url_rule(HEALTH, "healthz", respond)
    app.add_url_rule("/readyz", "readyz", readyz)


def make_error_handler(origins: Collection[str]) -> Callable[[Exception], Response]:
    """Return the handler of errors outside of the blueprint. `origins` are those of CORS."""

    def handle(error: Exception) -> Response:
        if isinstance(error, MethodNotAllowed) and "TRACE" in (error.valid_methods or ()):
            # A method that no rule allows: the view of the other methods answers.
            adapter = current_app.create_url_adapter(request)
            endpoint, path = adapter.match(method="TRACE")  # type: ignore[union-attr]
            return current_app.view_functions[endpoint](**path)  # type: ignore[return-value]
        return error_response(request_ctx.request, from_exception(error), origins)

    return handle
