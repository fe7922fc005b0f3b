"""Metrics in the format of Prometheus, of all workers together; needs the extra `metrics`.

The workers count in the folder that gunicorn.conf.py names (PROMETHEUS_MULTIPROC_DIR). Without it
each process reports only its own counts.
"""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from flask import Response
from flask.globals import request_ctx
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from landform.parts.part import Metric
from landform.service.auth.local_mode import LocalMode
from landform.service.http.headers import finish_response
from landform.service.http.views import HttpIncoming
from landform.service.pipeline.call import Service
from landform.service.pipeline.reply import Finished
from landform.standalone.logs import RequestRecord
from landform.storage.pages.listing import count_by_status

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The counters of one process, and the view that reports the counters of all."""

    def __init__(self, service: Service) -> None:
        self._service, self._local = service, LocalMode()
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry)
        histogram = partial(Histogram, registry=self._registry, buckets=SECONDS)
        labels = ("method", "route", "status")
        self._requests = counter("landform_requests", "Requests served", labels)
        self._seconds = histogram("landform_request_seconds", "Seconds per request", ["route"])
        self._hits = counter("landform_cache_hits", "Responses from the cache")
        self._database = histogram("landform_database_seconds", "Seconds per statement")
        self._waits = histogram("landform_lock_wait_seconds", "Seconds until a write could begin")
        self._registry.register(self)
        service.store.database.observers.append(self._count_statement)

    def count(self, request: RequestRecord) -> None:
        """Count a request."""
        self._requests.labels(request.method, request.route, request.status).inc()
        self._seconds.labels(request.route).observe(request.ms / 1000)
        if request.cached:
            self._hits.inc()

    def _count_statement(self, sql: str, seconds: float) -> None:
        (self._waits if sql == "BEGIN" else self._database).observe(seconds)

    def view(self) -> Response:
        """`GET /metrics`, in local mode or with credentials."""
        request, local_mode = request_ctx.request, self._service.options.local_mode
        if not local_mode or self._local.refusal_reason(request.environ):
            # As for every operation: wrong credentials are counted too.
            with self._service.store.connection():
                HttpIncoming(request, self._service, "").access.require()
        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            registry.register(self)
        headers = {"Cache-Control": "no-store"}
        finished = Finished(generate_latest(registry), 200, headers, "text/plain; charset=utf-8")
        return finish_response(request, finished)

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Yield the metrics that are read from the database, the same in all workers."""
        store, parts = self._service.store, self._service.options.named_parts
        counts = count_by_status(store)
        metrics = [Metric("pages", "Pages by status", "status", counts)]
        waiting = "Pages that wait for their date"
        yield GaugeMetricFamily("landform_future_pages", waiting, counts["future"])
        with store.connection():
            metrics += [metric for part in parts for metric in part.metrics(store)]
        for metric in metrics:
            family: Any = CounterMetricFamily if metric.is_total else GaugeMetricFamily
            figures = family(f"landform_{metric.name}", metric.meaning, labels=[metric.label])
            for value, figure in metric.figures.items():
                figures.add_metric([value], figure)
            yield figures
