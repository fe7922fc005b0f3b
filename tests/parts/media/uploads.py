"""What tests of pictures send, and what they read of the answers."""

import io
import json
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from applications import Client
from PIL import Image

TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp"}


def picture(
    width: int = 40, height: int = 30, kind: str = "PNG", mode: str = "RGB", **saved: Any
) -> bytes:
    """Return the bytes of a picture, which is red at the left and blue at the right."""
    color = {"1": 1, "L": 90, "CMYK": (0, 200, 200, 0), "RGBA": (200, 30, 30, 128)}.get(
        mode, (200, 30, 30)
    )
    image = Image.new("RGB" if mode == "P" else mode, (width, height), color)
    if mode in ("RGB", "P"):
        image.paste((30, 30, 200), (width // 2, 0, width, height))
    image = image.convert(mode)
    out = io.BytesIO()
    image.save(out, kind, **saved)
    return out.getvalue()


def raw(data: bytes, name: str = "sun.png", **headers: str) -> dict[str, Any]:
    """Return the arguments of a request with a picture as its body."""
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"data": data, "headers": {"Content-Type": "image/png", **disposition, **sent}}


def form(data: bytes, name: str = "sun.png", **fields: str) -> dict[str, Any]:
    """Return the arguments of a request with a form that has a picture."""
    return {"data": {**fields, "file": (io.BytesIO(data), name)}}


def upload(client: Client, data: bytes | None = None, name: str = "sun.png", **query: str) -> Any:
    """Upload a picture and return it in the edit shape."""
    sent = raw(picture() if data is None else data, name)
    answer = client.post("/media", query_string=query, **sent)
    assert answer.status_code == 201, answer.text
    return json.loads(answer.data)


def fetch(client: Any, url: str) -> Image.Image:
    """Return the picture at a URL, which has to be whole."""
    answer = client.get(urlsplit(url).path)
    assert answer.status_code == 200, url
    image = Image.open(io.BytesIO(answer.data))
    image.load()
    return image


def urls_of(item: Any) -> list[str]:
    """Return the URLs of a picture and of its sizes."""
    sizes = item["media_details"]["sizes"].values()
    return [*dict.fromkeys([item["source_url"], *(size["source_url"] for size in sizes)])]


def fetch_from(port: int, path: str) -> None:
    """Read a picture from a server; it has to be whole."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        Image.open(io.BytesIO(answer.read())).load()
