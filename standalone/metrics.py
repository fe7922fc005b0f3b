"""Metrics in the format of Prometheus, of all workers together; needs the extra `metrics`.

gunicorn's master names the folder in which the workers count (PROMETHEUS_MULTIPROC_DIR, see
gunicorn.conf.py); without one, a process counts for itself.
"""

import os
from functools import partial

from flask import Response
from flask.globals import request_ctx
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess

from landform.service.auth.local_mode import LocalMode
from landform.service.http.request import ApiRequest, ServiceContext
from landform.standalone.logs import Answered
from landform.storage.pages.listing import count_by_status

PAGES = """# HELP landform_pages Pages by status
# TYPE landform_pages gauge
{}# HELP landform_future_pages Pages that wait for their date
# TYPE landform_future_pages gauge
landform_future_pages {:.1f}
"""
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The counters of one process, and the view that reports those of all."""

    def __init__(self, service: ServiceContext) -> None:
        self._service, self._local = service, LocalMode()
        self._registry = own = CollectorRegistry()
        counter = partial(Counter, registry=own)
        histogram = partial(Histogram, registry=own, buckets=SECONDS)
        labels = ("method", "route", "status")
        self._requests = counter("landform_requests", "Requests served", labels)
        self._seconds = histogram("landform_request_seconds", "Seconds per request", ["route"])
        self._hits = counter("landform_cache_hits", "Responses from the cache")
        self._database = histogram("landform_database_seconds", "Seconds per statement")
        self._waits = histogram("landform_lock_wait_seconds", "Seconds until a write could begin")
        service.store.database.observers.append(self._count_statement)

    def count(self, request: Answered) -> None:
        """Count a request."""
        self._requests.labels(request.method, request.route, request.status).inc()
        self._seconds.labels(request.route).observe(request.seconds)
        if request.is_cached:
            self._hits.inc()

    def _count_statement(self, sql: str, seconds: float) -> None:
        (self._waits if sql == "BEGIN" else self._database).observe(seconds)

    def view(self) -> Response:
        """`GET /metrics`, for everyone whom local mode would serve, and with credentials."""
        self._authorize()
        registry = CollectorRegistry()
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry = self._registry
        counts = count_by_status(self._service.store)
        pages = [f'landform_pages{{status="{name}"}} {n:.1f}\n' for name, n in counts.items()]
        text = PAGES.format("".join(pages), counts["future"]) + generate_latest(registry).decode()
        return Response(text, mimetype="text/plain", headers={"Cache-Control": "no-store"})

    def _authorize(self) -> None:
        request = request_ctx.request
        if self._service.options.local_mode and not self._local.refusal_reason(request.environ):
            return
        # As everywhere else, so that guesses are counted here too.
        with self._service.store.connection():
            ApiRequest(request, self._service).access.require()
