"""The floor: the smallest Flask application that answers the very bytes that the service answered.

What the service costs beyond this is its own. FLOOR_BODY names a file with the body, FLOOR_STATUS
is the status; a write is answered alike.
"""

import os
from pathlib import Path

from flask import Flask, Response

BODY = Path(os.environ["FLOOR_BODY"]).read_bytes()
STATUS = int(os.environ.get("FLOOR_STATUS", "200"))
app = Flask(__name__)


@app.route("/<path:path>", methods=["GET", "POST", "PATCH"])
def answer(path: str) -> Response:
    """Answer."""
    return Response(BODY, STATUS, mimetype="application/json")
