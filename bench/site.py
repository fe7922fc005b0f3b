"""What a public page costs beside `GET /pages/{id}`, in one run: `python bench/site.py`.

Both go through the whole application, without a server, in turns: made anew, and cached.
"""

import tempfile
from functools import partial

from load import page
from turns import in_turns

from landform.app import create_app

CREDENTIAL = "bench:secret"


def main() -> None:
    """Print the milliseconds of each, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in (("made anew", {"CACHE_BYTES": "0"}), ("cached", {})):
            url = f"sqlite:///{folder}/bench.db"
            app = create_app({"DATABASE_URL": url, "CREDENTIALS": CREDENTIAL, **settings})
            client = app.test_client()
            made = client.post("/pages", json=page(1), headers={"X-API-Key": "secret"}).get_json()
            paths = {"page": f"/pages/{made['id']}", "public page": f"/{made['slug']}/"}
            calls = {what: partial(client.get, path) for what, path in paths.items()}
            print(f"{name}: {in_turns(calls)}")


if __name__ == "__main__":
    main()
