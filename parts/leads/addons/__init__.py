"""Add-ons: functions that run a feed for an entry, found by the `addon_slug` of the feed.

An add-on takes the meta of the feed, the entry, the form, and the key of the run, which is the same
for each attempt. It returns nothing, or a text about its success that is stored as that of an error
is; or it raises `AddonError`.
"""

from collections.abc import Callable

from landform.parts.worker import AttemptFailed
from landform.service.pipeline.json_codec import JsonObject

Addon = Callable[[JsonObject, JsonObject, JsonObject, str], str | None]


class AddonError(AttemptFailed):
    """A run that failed. Its message is stored and shown: no secrets, and no values of the entry.

    `retryable`: whether it is tried again; `retry_after`: not before so many seconds.
    """
