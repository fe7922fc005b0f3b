"""Applications that tests share: made once for some settings, and as new for each test."""

import functools
import logging
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import FunctionType, MethodType
from typing import Any

from databases import Database
from flask import Flask

from landform.app import create_app
from landform.storage import Store
from landform.storage.clock import Clock, Moment

SECRET = "admin:secret"
ADMIN = ("admin", "secret")
# The rights of `client`, and as many failed logins as the tests have.
SETTINGS = {"CREDENTIALS": SECRET, "TESTING": True, "FAILED_ATTEMPTS_PER_MINUTE": 10_000}
CONTAINERS = (dict, list, set, deque)
OWN = ("landform.", "flask.")
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


class Standing(Clock):
    """A clock that is set to a moment, and stands still."""

    def __init__(self, timezone: str = "UTC", at: datetime = NOON) -> None:
        super().__init__(timezone)
        self.at = at

    def now(self) -> Moment:
        """Return the moment that it is set to."""
        return self.moment(self.at)


def store_of(app: Flask) -> Store:
    """Return the store of a standalone application."""
    store: Store = app.blueprints["landform"].service.store  # type: ignore[attr-defined]
    return store


class Site:
    """A service whose clock is turned by hand, and its visitors."""

    def __init__(self, app: Flask) -> None:
        self.app, self.visitor, self.store = app, app.test_client(), store_of(app)
        self.visitor.environ_base["HTTP_ACCEPT"] = "text/html"
        self.clock = self.store.clock = Standing()

    @classmethod
    def on(cls, url: str, **given: Any) -> "Site":
        """Return one of its own with other settings."""
        return cls(create_app({"DATABASE_URL": url, **SETTINGS, **given}))

    def page(self, **body: Any) -> dict[str, Any]:
        sent = {"title": "A page", "content": "Its content.", **body}
        response = self.visitor.post("/pages", json=sent, auth=ADMIN)
        assert response.status_code == 201, response.text
        return dict(response.get_json())

    def get(self, path: str, **headers: str) -> Any:
        return self.visitor.get(path, headers={n.replace("_", "-"): v for n, v in headers.items()})

    def with_cookie(self, path: str, cookie: str) -> Any:
        """Get a page with this cookie, whatever was set before."""
        headers = {"Cookie": cookie, "Accept": "text/html"}
        return self.app.test_client(use_cookies=False).get(path, headers=headers)

    def at(self, seconds: float) -> None:
        self.clock.at = NOON + timedelta(seconds=seconds)


class State:
    """What landform's objects hold that can be reached from these, to be put back later."""

    def __init__(self, *roots: object) -> None:
        self._contents: list[tuple[Any, Any]] = []
        self._caches: list[Any] = []
        waiting, seen = list(roots), set()
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen.add(id(one))
                waiting += self._remember(one)

    def _remember(self, one: Any) -> Iterable[Any]:
        """Note what one object holds, and return its parts."""
        parts: Iterable[Any] = ()
        if isinstance(one, CONTAINERS):
            self._contents.append((one, one.copy()))
            parts = one.values() if isinstance(one, dict) else one
        elif isinstance(one, (tuple, frozenset)):
            parts = one
        elif isinstance(one, FunctionType):
            parts = [cell.cell_contents for cell in one.__closure__ or ()]
        elif isinstance(one, MethodType):
            parts = [one.__self__, one.__func__]
        elif isinstance(one, functools.partial):
            parts = [one.func, *one.args, *one.keywords.values()]
        elif hasattr(one, "cache_clear"):
            self._caches.append(one)
            parts = [one.__wrapped__]
        elif type(one).__module__.startswith(OWN) and hasattr(one, "__dict__"):
            self._contents.append((vars(one), vars(one).copy()))
            parts = vars(one).values()
        return parts

    def restore(self) -> None:
        """Put everything back."""
        for now, before in self._contents:
            now.clear()
            (now.extend if isinstance(now, (list, deque)) else now.update)(before)
        for cache in self._caches:
            cache.cache_clear()


class Shared:
    """An application that one test after the other has, on a database of its own."""

    def __init__(self, database: Database, settings: dict[str, Any]) -> None:
        self.database = database
        self.app = create_app({"DATABASE_URL": database.url, **SETTINGS, **settings})
        # From its first request on Flask takes no more routes and hooks, which would stay.
        self.app.test_client().get("/nowhere")
        store_of(self.app).dispose()
        self._state = State(self.app, vars(logging.getLogger("landform")))

    def renew(self) -> bool:
        """Make it as it was new, and return whether that could be done."""
        try:
            store_of(self.app).dispose()
        except Exception:
            # Whatever a test has put in the place of a part.
            return False
        self._state.restore()
        return self.database.empty()

    def close(self) -> None:
        """Close the connections to its database."""
        with suppress(Exception):
            store_of(self.app).dispose()
        self.database.close()
