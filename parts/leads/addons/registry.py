"""The add-ons of a service: built in, installed, or registered by a host.

A host registers one by `landing.addons["crm"] = subscribe`, or None to leave it to outside workers.
An installed one is an entry point of the group `landform.addons`, with the slug as its name.
"""

from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points

from landform.parts.leads.addons import Addon
from landform.parts.leads.addons.mail import run_email
from landform.parts.leads.addons.requests import run_slack, run_webhook
from landform.parts.leads.addons.smtp import SmtpServer
from landform.service.call import Service
from landform.service.json_codec import JsonObject

GROUP = "landform.addons"


def all_addons(
    service: Service, *, private: bool = False, server: SmtpServer | None = None
) -> dict[str, Addon]:
    """Return the add-ons by their slugs; those of the host count most, then installed ones.

    `private`: whether they may send to private addresses; `server`: the one for mail.
    """
    built_in = {
        "gravityformswebhooks": partial(run_webhook, private=private),
        "gravityformsslack": partial(run_slack, private=private),
        "email": partial(run_email, server=server),
    }
    installed = {point.name: _imported(point) for point in _entry_points()}
    addons = {**built_in, **installed, **service.addons}
    return {slug: addon for slug, addon in addons.items() if addon}


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _imported(point: EntryPoint) -> Addon:
    """Return an installed add-on, which is imported when a feed runs."""

    def run(meta: JsonObject, entry: JsonObject, form: JsonObject, run_key: str) -> None:
        point.load()(meta, entry, form, run_key)

    return run
