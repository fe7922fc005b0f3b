"""The probes: whether the process lives, and whether it can serve."""

from flask import Flask, Response

from landform.service.http.headers import render
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
