"""The add-ons of a service: built in, installed, or registered by a host.

A host registers one by `landing.addons["crm"] = subscribe`, or None to leave it to outside workers.
An installed one is an entry point of the group `landform.addons`, with the slug as its name.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from landform.parts.leads.addons import Addon, AddonError, requests
from landform.parts.leads.addons.mail import NO_SERVER, recipients_of, run_email
from landform.parts.leads.options import SmtpServer
from landform.service.pipeline.call import Service
from landform.service.pipeline.json_codec import JsonObject

GROUP = "landform.addons"
# The functions that read the settings of built-in add-ons, and raise `AddonError` for wrong ones.
SETTINGS_READERS: Mapping[str, Callable[[JsonObject], Any]] = {
    "gravityformswebhooks": requests.request_target,
    "gravityformsslack": requests.slack_url,
    "email": recipients_of,
}


def find_addons(
    service: Service, *, private: bool, server: SmtpServer | None
) -> Callable[[], dict[str, Addon]]:
    """Return a function that returns the add-ons by their slugs, also those of the host by then.

    `private`: whether requests may go to private addresses; `server`: the one for mail.
    """
    addons: dict[str, Addon] = {
        "gravityformswebhooks": partial(requests.run_webhook, private=private),
        "gravityformsslack": partial(requests.run_slack, private=private),
        "email": partial(run_email, server=server),
        **{point.name: partial(_run_installed, point) for point in entry_points(group=GROUP)},
    }

    def all_addons() -> dict[str, Addon]:
        merged = {**addons, **service.addons}
        return {slug: addon for slug, addon in merged.items() if addon}

    return all_addons


def feed_problem(service: Service, feed: Mapping[str, Any], *, has_mail: bool) -> str:
    """Return why a built-in add-on cannot run a feed; empty if it can.

    `has_mail`: whether there is a mail server.
    """
    slug = feed["addon_slug"]
    if slug not in SETTINGS_READERS or slug in service.addons:
        return ""
    try:
        SETTINGS_READERS[slug](json.loads(feed["meta"]))
    except AddonError as error:
        return str(error)
    return NO_SERVER if slug == "email" and not has_mail else ""


def _run_installed(point: EntryPoint, *arguments: Any) -> None:
    """Run an installed add-on, which is imported by then."""
    point.load()(*arguments)
