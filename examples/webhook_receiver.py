"""Receives the events of a landform, verifies their signatures, and prints each once.

`WEBHOOK_SECRET=whsec_... python examples/webhook_receiver.py 9000` listens on port 9000 of
this machine. The signatures are those of Standard Webhooks; landform shows the secret when the
webhook is created. An event may come twice: its id says so.
"""

import base64
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

# In seconds: an older message may be one that somebody has recorded.
TOLERANCE = 300
LARGEST = 64 * 1024


def is_signed(secret: str, message: str, timestamp: str, signatures: str, body: bytes) -> bool:
    """Return whether one of the signatures, separated by blanks, is that of the message."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{message}.{timestamp}.".encode() + body, "sha256")
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected, one) for one in signatures.split())


class Receiver(BaseHTTPRequestHandler):
    """Responds with 204 to events, and with 400 to what is not signed."""

    # A real receiver keeps the ids where they survive a restart.
    seen: ClassVar[set[str]] = set()

    def do_POST(self) -> None:
        """Take an event; whoever takes long does so later, after the response."""
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(min(length, LARGEST))
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        message, timestamp, signatures = (self.headers.get(name, "") for name in names)
        secret = os.environ["WEBHOOK_SECRET"]
        is_genuine = is_signed(secret, message, timestamp, signatures, body)
        if is_genuine and message not in self.seen:
            self.seen.add(message)
            event = json.loads(body)
            print(event["id"], event["type"], event["data"].get("id"), flush=True)
        self.send_response(204 if is_genuine else 400)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Log nothing else."""


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
