"""Files of parts, such as the documentation and the console."""

import gzip
import re
from hashlib import blake2b
from html import escape
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import urlsplit

from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from landform.service.pipeline.call import Call
from landform.service.pipeline.reply import Reply

# Comments with lines of their own: an eighth of the compressed size of the console.
COMMENT = re.compile(r"^[ \t]*//.*|^[ \t]*/\*(?:[^*]|\*(?!/))*\*/", re.MULTILINE)


def file_reply(call: Call, path: Path, policy: str, **values: str) -> Reply:
    """Return a text file in which `{name}` is replaced with the value of that name.

    `{root}` is the path of the service. Scripts and styles have the same lines without comments.
    """
    text = path.read_text()
    if path.suffix in (".css", ".js"):
        text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    if values:
        values["root"] = urlsplit(call.root_url).path
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", escape(value))
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    content_type = f"{guess_type(path.name)[0]}; charset=utf-8"
    return bytes_reply(call, text.encode(), content_type, headers)


def bytes_reply(
    call: Call, body: bytes, content_type: str, headers: dict[str, str] | None = None
) -> Reply:
    """Return a body with its entity tag, compressed if the client accepts that."""
    headers = {"Vary": "Accept-Encoding", **(headers or {})}
    tag = blake2b(body, digest_size=12).hexdigest()
    accepted = parse_accept_header(call.incoming.headers.get("Accept-Encoding"), Accept)
    if accepted["gzip"] > 0:
        tag, body = f"{tag}-gzip", gzip.compress(body, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Reply(body, headers=headers, etag=f'"{tag}"', content_type=content_type)
