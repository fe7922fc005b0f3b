"""A session with `standardwebhooks`: it verifies what landform sends, the example what it signs."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from base64 import b64encode
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.error import HTTPError

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

URL, NAME, SECRET = sys.argv[1:]
BASIC = "Basic " + b64encode(f"{NAME}:{SECRET}".encode()).decode()
EXAMPLE = Path(__file__).parents[2] / "examples" / "webhook_receiver.py"
came = threading.Event()
received = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.append((body, dict(self.headers)))
        self.send_response(204)
        self.end_headers()
        came.set()

    def log_message(self, *args):
        pass


def post(url, body, headers):
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read()
    except HTTPError as error:
        return error.code, b""


def create(path, **body):
    status, created = post(URL + path, json.dumps(body).encode(), {"Authorization": BASIC})
    assert status == 201, created
    return json.loads(created)


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
hook = create("/webhooks", url=f"http://127.0.0.1:{server.server_port}/", types=["page.created"])
page = create("/pages", title="A page")
assert came.wait(60)
body, headers = received[0]
webhook = Webhook(hook["secret"])
event = webhook.verify(body, headers)
assert (event["type"], event["data"]["id"]) == ("page.created", page["id"])
try:
    webhook.verify(body.replace(b"created", b"deleted"), headers)
except WebhookVerificationError:
    pass
else:
    raise AssertionError("What was changed on its way was taken for genuine.")
server.shutdown()

free = server.server_port
server.server_close()
environment = {**os.environ, "WEBHOOK_SECRET": hook["secret"]}
example = subprocess.Popen(
    [sys.executable, str(EXAMPLE), str(free)], env=environment, stdout=subprocess.PIPE, text=True
)
try:
    now, sent = datetime.now(tz=UTC), '{"id": 7, "type": "page.updated", "data": {"id": 1}}'
    signed = {
        "webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": webhook.sign("msg_1", now, sent),
    }  # fmt: skip
    address = f"http://127.0.0.1:{free}/"
    while True:
        try:
            statuses = [post(address, sent.encode(), signed)[0] for _ in range(2)]
            break
        except OSError:
            assert example.poll() is None
    statuses.append(post(address, b"{}", signed)[0])
    statuses.append(post(address, sent.encode(), {**signed, "webhook-timestamp": "1700000000"})[0])
    assert statuses == [204, 204, 400, 400], statuses
finally:
    example.terminate()
assert example.stdout.read() == "7 page.updated 1\n"
print("The session is over.")
