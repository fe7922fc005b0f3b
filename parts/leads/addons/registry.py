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
from landform.parts.leads.addons.mail import NO_SERVER, check_settings, run_email
from landform.parts.leads.intake.merging import site_tags, tags_problem
from landform.parts.leads.options import LeadsOptions
from landform.service.pipeline.call import Service
from landform.service.pipeline.json_codec import JsonObject
from landform.storage.rows import levels

GROUP = "landform.addons"
# The functions that read the settings of built-in add-ons, and raise `AddonError` for wrong ones.
SETTINGS_READERS: Mapping[str, Callable[[JsonObject], Any]] = {
    "gravityformswebhooks": requests.request_target,
    "gravityformsslack": requests.slack_url,
    "email": check_settings,
}


def find_addons(service: Service, options: LeadsOptions) -> Callable[[], dict[str, Addon]]:
    """Return a function that returns the add-ons by their slugs, also those of the host by then."""
    site, private = site_tags(service, options.admin_email), options.addon_private
    addons: dict[str, Addon] = {
        "gravityformswebhooks": partial(requests.run_webhook, private=private, site=site),
        "gravityformsslack": partial(requests.run_slack, private=private, site=site),
        "email": partial(run_email, server=options.smtp_url, site=site),
        **{point.name: partial(_run_installed, point) for point in entry_points(group=GROUP)},
    }

    def all_addons() -> dict[str, Addon]:
        merged = {**addons, **service.addons}
        return {slug: addon for slug, addon in merged.items() if addon}

    return all_addons


def feed_problem(
    service: Service,
    options: LeadsOptions,
    feed: Mapping[str, Any],
    find: Callable[[], JsonObject | None],
) -> str:
    """Return what a built-in add-on cannot do of a feed; empty if it can do all.

    `find` returns the form of the feed, if it has one.
    """
    slug, problems, meta = feed["addon_slug"], [], json.loads(feed["meta"])
    if slug not in SETTINGS_READERS or slug in service.addons:
        return ""
    try:
        SETTINGS_READERS[slug](meta)
    except AddonError as error:
        problems.append(str(error))
    if slug == "email" and not (options.smtp_url or problems):
        problems.append(NO_SERVER)
    texts = [text for level in levels(meta) for text in level if isinstance(text, str)]
    if slug == "email" and meta.get("toField"):
        texts.append(f"{{:{meta['toField']}}}")
    if texts := [text for text in texts if "{" in text]:
        problems += tags_problem(texts, find(), site_tags(service, options.admin_email))
    return " ".join(problems)


def _run_installed(point: EntryPoint, *arguments: Any) -> str | None:
    """Run an installed add-on, which is imported by then."""
    addon: Addon = point.load()
    return addon(*arguments)
