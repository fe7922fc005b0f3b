"""The operations on redirects."""

from marshmallow import ValidationError

from landform.parts.redirects import schemas, storage
from landform.parts.redirects.errors import RedirectExists, RedirectNotFound
from landform.service.pipeline.call import Call
from landform.service.pipeline.operations import Resource
from landform.service.pipeline.reply import Reply

RESOURCE = Resource()
RESOURCES = (RESOURCE,)
REDIRECT, SCOPE = schemas.Redirect(), "redirects:write"


@RESOURCE.get("/redirects", response=REDIRECT, many=True, scope=SCOPE)
def list_redirects(call: Call) -> Reply:
    """Return all redirects, by `id`."""
    return Reply(REDIRECT.dump(storage.list_all(call.store), many=True))


@RESOURCE.post(
    "/redirects",
    body=schemas.RedirectCreate(),
    response=REDIRECT,
    status=201,
    scope=SCOPE,
    example={"path": "/old", "target": "/new/"},
    errors=("rest_missing_callback_param", RedirectExists),
)
def create_redirect(call: Call) -> Reply:
    """Create a redirect."""
    path, target = call.body["path"], call.body["target"]
    if storage.normal(path) == storage.normal(target):
        raise ValidationError("must be another path.", "target")
    return Reply(REDIRECT.dump(storage.create(call.store, path, target)))


@RESOURCE.delete(
    "/redirects/<redirect_id>", response=REDIRECT, scope=SCOPE, errors=(RedirectNotFound,)
)
def delete_redirect(call: Call, redirect_id: int) -> Reply:
    """Delete a redirect and return it."""
    return Reply(REDIRECT.dump(storage.delete(call.store, redirect_id)))
