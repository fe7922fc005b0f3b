"""Responses to whatever no route of the service has caught, in the shape of its errors."""

from collections.abc import Callable, Collection

from flask import Response, current_app, request
from flask.globals import request_ctx
from werkzeug.exceptions import MethodNotAllowed

from landform.service.errors import from_exception
from landform.service.http.headers import set_headers
from landform.service.http.routing import wrap_envelope


def make_error_handler(origins: Collection[str]) -> Callable[[Exception], Response]:
    """Return the error handler of the standalone application; `origins` may read responses."""

    def handle(error: Exception) -> Response:
        if isinstance(error, MethodNotAllowed):
            adapter = current_app.create_url_adapter(request)
            endpoint, path = adapter.match(method="GET")  # type: ignore[union-attr]
            if "." in endpoint:
                # A method that no rule of the blueprint names; the view knows what to say.
                return current_app.view_functions[endpoint](**path)  # type: ignore[return-value]
        asked = request_ctx.request
        return wrap_envelope(asked, set_headers(asked, from_exception(error).response(), origins))

    return handle
