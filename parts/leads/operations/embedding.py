"""The form alone, for a frame in a page of another site."""

from landform.parts.leads import site
from landform.schemas.known_names import Anything
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Reply

RESOURCE = Resource()


@RESOURCE.get("/forms/<form_id>/embed", name="embed_form", public=True, query=Anything())
def embed_form(call: Call, form_id: int) -> Reply:
    """Return a document with the form alone."""
    return site.embedded(call, site.page_form(call, str(form_id), None))
