"""The operation that sends a test mail of a feed."""

import json

from landform.parts.leads import Leads
from landform.parts.leads import errors as e
from landform.parts.leads import response_schemas as responses
from landform.parts.leads.addons.testing import run_test
from landform.parts.leads.intake.merging import site_tags
from landform.parts.leads.storage import forms
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Reply
from landform.storage import feeds

RESOURCE = Resource()
TEST = responses.MailTest()
# For each IP address.
MOST_A_MINUTE = 5


@RESOURCE.post(
    "/feeds/<feed_id>/test",
    scope="feeds:write",
    response=TEST,
    responds_early=True,
    repeatable=False,
    batch=False,
    errors=("gf_feed_invalid_id", e.FeedNotTestable, e.TooManyTestMails),
)
def test_feed(call: Call, feed_id: int) -> Reply:
    """Send a mail with sample values to the fixed addresses of a feed of the add-on `email`.

    Returns how it ended, or a 202 after five seconds. An entry is neither read nor stored.
    """
    feed = feeds.get(call.store, feed_id)
    if feed["addon_slug"] != "email" or "email" in call.service.addons:
        raise e.FeedNotTestable
    if call.access.count("test mails", MOST_A_MINUTE):
        raise e.TooManyTestMails
    form_id = feed["form_id"]
    no_form = {"id": form_id, "title": f"Form {form_id}", "fields": []}
    form = forms.find_form(call.store, form_id) or no_form
    options = call.part(Leads)
    site = site_tags(call.service, options.admin_email)
    state, message = run_test(json.loads(feed["meta"]), form, options.smtp_url, site)
    body = TEST.dump({"state": state, "message": message})
    return Reply(body, status=202 if state == "pending" else 200)
