"""Measure how files of pictures are served: by the service, nginx and PocketBase, in turn.

It needs wrk and nginx: `.venv/bin/python bench/pictures.py --seconds 5 --rounds 5`.
"""

import argparse
import io
import json
import os
import tempfile
import urllib.request
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from load import AUTHORIZED, PEER, SERVICE, Case, Servers, call, script, wrk
from PIL import Image

NGINX = "http://127.0.0.1:9104"
SIDES = {"20 KB": 82, "400 KB": 366}  # of pictures of noise
FORM = "--limit\r\nContent-Disposition: form-data; name=file; filename=sun.png\r\n\r\n"


def noise(side: int) -> bytes:
    """Return a PNG of noise."""
    out = io.BytesIO()
    Image.frombytes("RGB", (side, side), os.urandom(side * side * 3)).save(out, "PNG")
    return out.getvalue()


def send(url: str, data: bytes, headers: dict[str, str]) -> Any:
    """Send bytes, and return the JSON of the answer."""
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.loads(answer.read())


def start(servers: Servers) -> None:
    """Start the three, PocketBase with a collection of files."""
    servers.service(SERVICE, f"sqlite:///{servers.folder}/service.db", LANDFORM_WORKERS="2")
    servers.peer()
    account = {"identity": "a@example.com", "password": "password123"}
    signed = call("POST", f"{PEER}/api/collections/_superusers/auth-with-password", account)
    fields = [{"name": "file", "type": "file"}]
    collection = {"name": "media", "type": "base", "createRule": "", "fields": fields}
    token = {"Authorization": json.loads(signed[0])["token"]}
    call("POST", f"{PEER}/api/collections", collection, token)
    configuration = servers.folder / "nginx.conf"
    configuration.write_text(
        f"{'user root;' * (os.getuid() == 0)} daemon off; worker_processes 2; events {{}}\n"
        f"pid {servers.folder}/nginx.pid; http {{ access_log off; sendfile on;\n"
        "server { listen 127.0.0.1:9104; location /media-files/ { types { image/png png; }\n"
        f"alias {servers.folder}/service.db.media/; }} }} }}\n"
    )
    servers.start(NGINX, ["nginx", "-c", str(configuration)])


def main() -> None:
    """Measure each size, and print the ratios."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=5)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    servers = Servers(Path(tempfile.mkdtemp(prefix="landform-bench-")))
    try:
        start(servers)
        given = script(servers.folder / "get.lua", Case("", None, 1), {}, "")
        sent = {"Content-Type": "image/png", "Content-Disposition": "attachment; filename=sun.png"}
        kind = {"Content-Type": "multipart/form-data; boundary=limit"}
        for name, side in SIDES.items():
            data = noise(side)
            path = urlsplit(send(f"{SERVICE}/media", data, sent | AUTHORIZED)["source_url"]).path
            form = FORM.encode() + data + b"\r\n--limit--\r\n"
            record = send(f"{PEER}/api/collections/media/records", form, kind)
            stored = f"{PEER}/api/files/media/{record['id']}/{record['file']}"
            urls = {"service": SERVICE + path, "nginx": NGINX + path, "PocketBase": stored}
            rates: dict[str, list[float]] = {who: [] for who in urls}
            for _ in range(chosen.rounds):
                for who, url in urls.items():
                    rates[who].append(wrk(url, given, chosen.seconds, 32))
            ours = median(rates.pop("service"))
            ratios = (f"{who} {ours / median(found):.2f}" for who, found in rates.items())
            print(f"{name}: the service to", ", to ".join(ratios), flush=True)
    finally:
        servers.close()


if __name__ == "__main__":
    main()
