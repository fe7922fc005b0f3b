"""The receiver of the session in docs/feeds.md: fails twice, does not answer once, then works."""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# 0 is no answer at all.
STATUSES = [503, 503, 0]


class Receiver(BaseHTTPRequestHandler):
    """Takes what the add-on `post` sends."""

    def do_POST(self):
        """Answer with the next of the statuses, and 200 after them."""
        self.rfile.read(int(self.headers["Content-Length"]))
        status = STATUSES.pop(0) if STATUSES else 200
        if not status:
            time.sleep(60)
            return
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
