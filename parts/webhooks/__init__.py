"""Webhooks: URLs that events are sent to, signed, until their receivers accept them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from landform.parts.errors import errors_in
from landform.parts.option import FLAG, option
from landform.parts.part import Metric, Part
from landform.parts.webhooks import errors
from landform.parts.webhooks.models import Webhook


@dataclass(frozen=True, kw_only=True)
class Webhooks(Part):
    """Webhooks, with the delivery of events in the background."""

    tables = (Webhook,)
    scopes = ("webhooks:write",)
    errors = errors_in(errors)

    private: bool = option(
        False,
        FLAG,
        "`1`: [webhooks](parts/webhooks.md) may lead to private addresses",
        setting="webhook_private",
    )

    @classmethod
    def first_awaited_event(cls, store: Any) -> int | None:
        """Return the id of the first event that an active webhook waits for."""
        from landform.parts.webhooks import storage  # noqa: PLC0415 - needs the store

        return storage.first_awaited_event(store)

    def work_source(self, service: Any) -> Any:
        """Return the deliveries of events."""
        from landform.parts.webhooks.delivery import Deliveries  # noqa: PLC0415 - needs the service

        return Deliveries(service, private=self.private)

    def metrics(self, store: Any) -> Iterable[Metric]:
        """Return how many events wait, were delivered, and how many attempts failed."""
        from landform.parts.webhooks import storage  # noqa: PLC0415 - needs the store

        return storage.metrics(store)
