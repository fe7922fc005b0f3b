"""Bodies of forms, read strictly: what cannot be stored as it was sent is refused."""

from collections.abc import Iterable, Mapping
from io import BytesIO

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from landform.service.errors import ApiError
from landform.service.http.parameters import pairs

URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
KINDS = (URLENCODED, MULTIPART)


def read(
    kind: str, parameters: Mapping[str, str], raw: bytes, most: int
) -> Iterable[tuple[str, str]]:
    """Return the names and values of a form. `parameters`: those of its content type.

    413 for more than `most` fields; 400 for one that is broken, holds files, or is not UTF-8.
    """
    too_many = ApiError(413, "rest_body_too_large", f"The form has more than {most} fields.")
    try:
        if kind == URLENCODED:
            if raw.count(b"&") >= most:
                raise too_many
            return pairs(raw, "strict")
        # Werkzeug puts another character where one is not UTF-8.
        raw.decode()
        return _multipart(parameters, raw, most)
    except RequestEntityTooLarge:
        raise too_many from None
    except UnicodeDecodeError:
        raise ApiError(400, "rest_invalid_param", "The form is not in UTF-8.") from None
    except ValueError as error:
        raise ApiError(400, "rest_invalid_param", "The form is malformed.") from error


def _multipart(parameters: Mapping[str, str], raw: bytes, most: int) -> Iterable[tuple[str, str]]:
    boundary = parameters.get("boundary", "").encode()
    if not boundary or not raw.rstrip().endswith(b"--" + boundary + b"--"):
        raise ValueError("no end")
    parser = FormDataParser(
        stream_factory=lambda *args, **kw: BytesIO(),
        max_form_memory_size=len(raw),
        max_form_parts=most,
        silent=False,
    )
    _, form, files = parser.parse(BytesIO(raw), MULTIPART, len(raw), dict(parameters))
    if None in form or None in files:
        raise ValueError("no name")
    if files:
        params = {name: f"{name} must be text, not a file." for name in files}
        message = f"Invalid: {', '.join(params)}."
        raise ApiError(400, "rest_invalid_param", message, {"params": params})
    return form.items(multi=True)
