"""The responses that no route of the service makes: of the probes, and to other URLs."""

from collections.abc import Callable, Collection

from flask import Flask, Response, current_app, request
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed

from landform.service.errors import from_exception
from landform.service.http.headers import render, set_headers
from landform.service.http.routing import wrap_envelope
from landform.storage import StorageError, Store

HEALTH = "/healthz"


def add_probes(app: Flask, store: Store) -> None:
    """Add `/healthz`, which needs no database, and `/readyz`, which checks whether it can serve."""

    def healthz() -> Response:
        return _uncached({"status": "ok"}, 200)

    def readyz() -> Response:
        reason = _readiness_error(store)
        if reason:
            return _uncached({"status": "unavailable", "reason": reason}, 503)
        return _uncached({"status": "ok"}, 200)

    app.add_url_rule(HEALTH, "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)


def _readiness_error(store: Store) -> str | None:
    """Return in words, and without any path, why writes would fail; None where they would not."""
    try:
        store.check()
        return store.readiness_error()
    except StorageError:
        return "The database cannot be read, or is not one of this version."


def _uncached(body: dict[str, str], status: int) -> Response:
    return render(body, status, {"Cache-Control": "no-store"})


def make_error_handler(origins: Collection[str]) -> Callable[[Exception], Response]:
    """Return the error handler of the standalone application; `origins` may read responses."""

    def handle(error: Exception) -> Response:
        if isinstance(error, MethodNotAllowed):
            adapter = current_app.create_url_adapter(request)
            endpoint, path = adapter.match(method="GET")  # type: ignore[union-attr]
            if "." in endpoint:
                # A method that no rule of the blueprint names; the view knows what to say.
                return current_app.view_functions[endpoint](**path)  # type: ignore[return-value]
        asked = request_ctx.request
        return wrap_envelope(asked, set_headers(asked, from_exception(error).response(), origins))

    return handle
