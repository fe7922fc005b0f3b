"""The recorded site, with what only these tests ask for: forms, entries and responses of their own.

with OwnSite() as site:
    site.forms = [{"id": 7, ...}]  # instead of the recorded ones
    site.front = lambda path: (500, {}, "broken") if "/forms/7" in path else None
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

STANDIN = Path(__file__).parent / "standin"
sys.path.append(str(STANDIN))
rest, server = import_module("rest"), import_module("server")


class Handler(server.Handler):  # type: ignore[name-defined, misc]
    """Asks `front` before the site."""

    # Otherwise a body waits 40 ms until its headers are acknowledged.
    disable_nagle_algorithm = True

    def broken(self, mode: str, host: str, path: str, busy: bool) -> Any:
        return self.server.front(path) or super().broken(mode, host, path, busy)


class Call(rest.Call):  # type: ignore[name-defined, misc]
    """Knows the parameters of a list of entries."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked = dict(parse_qsl(arguments[4]))
        if self.route == "/gf/v2/entries":
            self.params.pop("search", None)


server.Call = Call


class OwnSite(server.StandIn):  # type: ignore[name-defined, misc]
    """A recorded site; `most` is how many pages a list may have."""

    def __init__(self) -> None:
        super().__init__(STANDIN / "sites/campaigns")
        self.RequestHandlerClass = Handler
        self.front: Any = lambda path: None
        self.forms: list[dict[str, Any]] | None = None
        self.entries: list[dict[str, Any]] = []

    @property
    def most(self) -> int:
        return self.routes["/wp/v2/pages"]["per_page"]["maximum"]

    @most.setter
    def most(self, number: int) -> None:
        self.routes["/wp/v2/pages"]["per_page"]["maximum"] = number

    def handle_error(self, *args: object) -> None:
        """Say nothing of clients that went away."""


class Raw(bytes):
    """A body of bytes that are sent as they are."""

    def encode(self) -> bytes:
        return self


def list_forms(call: Any, rules: Any) -> Any:
    if call.site.forms is None:
        return rest.Call.list_forms(call, rules)
    active = [form for form in call.site.forms if form["is_active"] + form["is_trash"] == "10"]
    return {form["id"]: {"id": str(form["id"]), "title": form["title"]} for form in active} or []


def one_form(call: Any, rules: Any, number: str) -> Any:
    found = [form for form in call.site.forms or () if str(form["id"]) == number]
    if call.site.forms is not None:
        # The recorded response for an id that is not there.
        call.route = "/gf/v2/forms/0"
    return found[0] if found else rest.Call.kept(call, rules)


def list_entries(call: Any, rules: Any) -> Any:
    status = json.loads(call.asked["search"])["status"]
    found = [entry for entry in call.site.entries if entry["status"] == status]
    found.sort(key=lambda entry: int(entry["id"]))
    size, page = (int(call.asked[f"paging[{name}]"]) for name in ("page_size", "current_page"))
    return {"total_count": len(found), "entries": found[(page - 1) * size : page * size]}


def one_entry(call: Any, rules: Any, number: str) -> Any:
    for entry in call.site.entries:
        if entry["id"] == number:
            return entry
    raise rest.Refused(404, "gf_entry_invalid_id", "There is no such entry.")


rest.ROUTES |= {
    r"/gf/v2/forms": list_forms,
    r"/gf/v2/forms/(?P<id>[\d]+)": one_form,
    r"/gf/v2/entries": list_entries,
    r"/gf/v2/entries/(?P<entry_id>[\d]+)": one_entry,
}
