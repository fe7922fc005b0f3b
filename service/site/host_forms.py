"""Forms in the pages of a host, which have its style."""

import logging

from flask import Request

from landform.service.auth.credentials import Access
from landform.service.call import Call, Incoming, Service
from landform.service.errors import from_known
from landform.service.operations import Resource
from landform.service.pipeline import run
from landform.service.reply import NO_STORE, Reply
from landform.service.site.documents import trusted
from landform.service.site.forms import find_form

log = logging.getLogger("landform")
RESOURCE = Resource()


@RESOURCE.get("/", public=True)
def show_form(call: Call, form_id: int) -> Reply:
    """Return a form as HTML without a style; empty if it cannot be submitted."""
    form = find_form(call, str(form_id), None)
    html = call.service.site.render(form.template, form.values) if form else b""
    return Reply(html, caching=NO_STORE)


def form_for_host(service: Service, root_url: str, form_id: int, http: Request) -> str:
    """Return a form as HTML, which templates do not escape, for the page that a request asks for.

    `root_url`: the URL of the service. While the database cannot be used it is empty, with a
    warning in the log: the page of the host has more than the form.
    """
    access = Access(lambda: None, service.attempts, http.remote_addr or "", is_by_host=True)
    headers = dict(http.headers)
    # With the query of the page of the host.
    query = http.query_string
    incoming = Incoming("GET", http.base_url, root_url, headers, access, query_string=query)
    try:
        with service.store.connection():
            finished = run(service, RESOURCE.paths["/"]["GET"], incoming, {"form_id": form_id})
    except Exception as error:
        if (known := from_known(error)) is None:
            raise
        log.warning("Form %s cannot be shown: %s", form_id, known.message)
        return trusted("")
    return trusted(finished.body.decode())
